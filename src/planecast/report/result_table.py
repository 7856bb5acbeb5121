"""Tables of results: what each scenario does, stage by stage, and where its packets went."""

from __future__ import annotations

from collections.abc import Sequence

from planecast.report.columns import estimate_column
from planecast.report.figures.stage_bars import StageMetric, stage_estimates, stage_names
from planecast.report.numbers import ABSENT
from planecast.report.table import Cell, Heading, Table, samples_cell, share_cell
from planecast.results import Estimate, Result
from planecast.results.columns import Column, Form, in_report
from planecast.scenario.dataplane import OWN

_BRACKETS = "Brackets hold 95 % intervals."
HELD_SHARE = 0.001
"""Share of its packets that a program of others may hold when visits end: some hundred of 100,000
or more."""


def result_table(labels: Sequence[str], results: Sequence[Result]) -> Table:
    """A row a result: throughput, cycles, instructions, and what set the limit."""
    shown = (_column(column, results) for column in in_report())
    columns = [_names(labels), *(column for column in shown if column is not None)]
    return _table("results", "Every scenario", _BRACKETS, columns)


def _column(column: Column, results: Sequence[Result]) -> tuple[Heading, list[Cell]] | None:
    """A column of the registry; None when no result has anything in it."""
    if column.is_metric:
        return estimate_column(column.title, [column.people(result) for result in results])
    values = [column.read(result) for result in results]
    if column.form is Form.TEXT:
        return Heading(column.title), [Cell(value or ABSENT) for value in values]
    # What was computed rests on no samples.
    empty = (None, 0) if column.form is Form.COUNT else (None,)
    if all(value in empty for value in values):
        return None
    cell = share_cell if column.form is Form.SHARE else samples_cell
    return Heading(column.title, column.detail, number=True), [cell(value) for value in values]


def stage_table(
    labels: Sequence[str], results: Sequence[Result], metric: StageMetric, which: str = ""
) -> Table | None:
    """A row a result, a column a stage; None when no result has the metric by stage.

    `which` distinguishes two such tables of one page: measured, predicted.
    """
    found = [stage_estimates(result, metric) for result in results]
    names = stage_names(results, metric)
    if not names:
        return None
    columns = [_names(labels)]
    columns += _estimates(*((name, [stages.get(name) for stages in found]) for name in names))
    noun = metric.split("_", maxsplit=1)[0]
    title = f"Table of {noun} by stage{f', {which}' if which else ''}"
    anchor = "-".join(word for word in ("table", noun, which) if word)
    return _table(anchor, title, _BRACKETS, columns)


def packet_table(labels: Sequence[str], results: Sequence[Result]) -> Table | None:
    """Packets in, out and dropped by cause; None when no engine moved a packet."""
    rows = [
        (label, result)
        for label, result in zip(labels, results, strict=True)
        if result.packets_in is not None
    ]
    if not rows:
        return None
    every = list(dict.fromkeys(cause for _, result in rows for cause in result.drops))
    causes = [cause for cause in every if any(result.drops.get(cause) for _, result in rows)]
    never = [cause for cause in every if cause not in causes]
    counted = ["in", "out", *(f"dropped: {cause}" for cause in causes), "unaccounted"]
    headings = [Heading("scenario"), *(Heading(text, "packets", True) for text in counted)]
    return Table(
        anchor="packets",
        title="Packets and drops",
        caption="Counted, not sampled. Conserved: packets in = packets out + packets dropped."
        + (f" No packet was dropped by {', '.join(never)}." if never else ""),
        headings=headings,
        rows=[_packets(label, result, causes) for label, result in rows],
    )


def unaccounted(result: Result) -> int | None:
    """Packets that came in and neither went out nor were dropped; None when not counted.

    Not of a simulation: it counts what is inside at its end where it stands, and refuses its own
    answer when a packet is missing. Nor what a program of others has gathered and not sent yet when
    a visit ends.
    """
    if result.throughput_pps.kind == "simulated":
        return 0
    if result.packets_in is None or result.packets_out is None:
        return None
    left = result.packets_in - result.packets_out - sum(result.drops.values())
    held = abs(left) <= HELD_SHARE * result.packets_in
    return 0 if held and result.scenario.dataplane.kind != OWN else left


def _packets(label: str, result: Result, causes: Sequence[str]) -> list[Cell]:
    lost = unaccounted(result)
    cells = [Cell(label), Cell(_count(result.packets_in)), Cell(_count(result.packets_out))]
    cells += [Cell(_count(result.drops.get(cause))) for cause in causes]
    if lost == 0:
        inside = (result.packets_in or 0) - (result.packets_out or 0) - sum(result.drops.values())
        what = f"conserved, {inside:,} inside at the end" if inside else "conserved"
        return [*cells, Cell("0", what, "good")]
    return [*cells, Cell(_count(lost), "", "bad" if lost else "")]


def _count(number: int | None) -> str:
    return ABSENT if number is None else f"{number:,}"


_Columns = list[tuple[Heading, list[Cell]]]


def _names(labels: Sequence[str]) -> tuple[Heading, list[Cell]]:
    return Heading("scenario"), [Cell(label) for label in labels]


def _estimates(*columns: tuple[str, Sequence[Estimate | None]]) -> _Columns:
    found = (estimate_column(title, estimates) for title, estimates in columns)
    return [column for column in found if column is not None]


def _table(anchor: str, title: str, caption: str, columns: _Columns) -> Table:
    cells = [cells for _, cells in columns]
    return Table(
        anchor, title, caption, [head for head, _ in columns], list(zip(*cells, strict=True))
    )
