"""The page of several runs side by side: each against the first one."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from string import ascii_uppercase

from planecast.report.labels import result_labels, unique
from planecast.report.numbers import count_text
from planecast.report.page import Page, Verdict
from planecast.report.results_page import results_page
from planecast.report.table import Cell, Heading, Table, estimate_cell
from planecast.results import Result
from planecast.results.compare import SideBySide
from planecast.results.run_ref import Picked


def comparison_page(runs: Sequence[Picked], found: Sequence[SideBySide]) -> Page:
    """What the report says of these runs; `found` has each of them against the first."""
    labels, results = _in_order(runs)
    page = results_page(results, labels)
    letters = ascii_uppercase[: len(runs)]
    named = [f"{letter}: {run.run.path.name}" for letter, run in zip(letters, runs, strict=True)]
    verdicts = [row.verdict for one in found for row in one.comparison.rows if row.verdict]
    same = sum(verdict.startswith("same") for verdict in verdicts)
    open_ = verdicts.count("undecided")
    notes = [f"Run {name}" for name in named]
    notes += dict.fromkeys(note for one in found for note in one.comparison.notes)
    return replace(
        page,
        title=f"{count_text(len(runs), 'run')} side by side",
        verdict=Verdict(
            f"How do {len(runs) - 1} differ from A, {runs[0].run.path.name}?"
            if len(runs) > 2
            else f"How does B differ from A, {runs[0].run.path.name}?",
            f"{len(verdicts) - same - open_} of {count_text(len(verdicts), 'metric')} differ, "
            f"{same} are the same",
            f"{open_} undecided",
        ),
        cards=[],
        sections=[_ratios(found), *_differences(found), *page.sections],
        notes=[*notes, *page.notes],
    )


def _in_order(runs: Sequence[Picked]) -> tuple[list[str], list[Result]]:
    """Equal scenarios of all runs next to each other, in the order of the first run's."""
    everything = [result for run in runs for result in run.results]
    plain = result_labels(everything)
    # The numbers that distinguish equal scenarios are the runs' letters here.
    short = [label.rpartition(" #")[0] or label for label in plain]
    letters = [ascii_uppercase[n] for n, run in enumerate(runs) for _ in run.results]
    first = {label: position for position, label in reversed(list(enumerate(short)))}
    order = sorted(range(len(everything)), key=lambda at: (first[short[at]], letters[at]))
    labels = unique([f"{short[at]} {letters[at]}" for at in order])
    return labels, [everything[at] for at in order]


def _ratios(found: Sequence[SideBySide]) -> Table:
    headings = [
        *(Heading(text) for text in ("scenario", "metric")),
        Heading("A", number=True),
        Heading("other", number=True),
        Heading("other / A", number=True),
        Heading("verdict"),
    ]
    rows = [
        [
            Cell(one.scenario),
            Cell(row.metric, row.a.unit),
            estimate_cell(row.a),
            replace(estimate_cell(row.b), text=f"{one.name} {estimate_cell(row.b).text}"),
            estimate_cell(row.ratio),
            Cell(row.verdict or "no interval"),
        ]
        for one in found
        for row in one.comparison.rows
    ]
    return Table(
        "ratios",
        "Side by side",
        "Each run against A. Brackets hold 95 % intervals. Same: the whole interval of the ratio "
        "lies within the margin; undecided: neither that nor a difference is shown.",
        headings,
        rows,
    )


def _differences(found: Sequence[SideBySide]) -> list[Table]:
    """What was asked differently, where it was."""
    rows = [
        [Cell(one.scenario), Cell(key), Cell(left), Cell(f"{one.name} {right}")]
        for one in found
        for key, (left, right) in one.comparison.differences.items()
    ]
    if not rows:
        return []
    headings = [Heading(text) for text in ("scenario", "key", "A", "other")]
    caption = "Keys of the scenarios that are not alike: the ratios are of these, too."
    return [Table("differences", "What was asked differently", caption, headings, rows)]
