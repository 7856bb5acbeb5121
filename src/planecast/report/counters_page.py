"""The page of what hardware counters say: verdict, where the slots go, the rest of the machine."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from planecast.explain.counters import (
    CounterDifference,
    CounterExplanation,
    ExplainedMetric,
)
from planecast.report.figures.topdown_bars import topdown_bars
from planecast.report.figures.topdown_changes import topdown_changes, topdown_steps
from planecast.report.figures.topdown_sankey import topdown_sankey
from planecast.report.figures.uncore_bars import uncore_bars
from planecast.report.html import page_html
from planecast.report.numbers import ABSENT, digits, interval_text
from planecast.report.page import Card, Drawing, Page, Verdict, drawing
from planecast.report.table import Cell, Heading, Table, estimate_cell
from planecast.report.tree_table import tree_table
from planecast.report.verdict_table import verdict_table

_INDENT = "\u2003"
_HEADLINE = ("instructions_per_cycle", "instructions", "cycles")


def counters_html(found: CounterExplanation, against: CounterDifference | None = None) -> str:
    """The explanation as one offline HTML file; `against` adds how another differs from it."""
    return page_html(counters_page(found, against))


def counters_page(found: CounterExplanation, against: CounterDifference | None = None) -> Page:
    """What the page says."""
    tables = [verdict_table(found.limits, found.certainty, found.advice)]
    tables += [tree_table(found.nodes)] if found.nodes else []
    tables += [_figures(found.metrics)] if found.metrics else []
    tables += [_changes(against)] if against is not None else []
    threads = "both threads of a core busy" if found.smt else "one thread a core"
    return Page(
        title=f"{found.label}, explained",
        verdict=Verdict(
            f"What limits {found.label}?",
            # What it means is in the table of verdicts.
            found.limits[0].partition(": ")[0] if found.limits else "not known",
            found.certainty[0] if found.certainty else "",
        ),
        machine=f"{found.tool}; {found.architecture}{f'; {threads}' if found.nodes else ''}",
        cards=list(_cards(found)),
        sections=[
            tables[0],
            *_drawings(found),
            *(_against(against) if against is not None else []),
            *tables[1:],
        ],
        manifests=[found.manifest],
        notes=[*(f"can't be known: {text}" for text in found.unknown), *found.notes],
    )


def _cards(found: CounterExplanation) -> Iterator[Card]:
    for node in found.nodes:
        if node.level == 1 and node.share is not None:
            share = node.share.scaled(100, "%")
            detail = f"{interval_text(share)} of the {node.of}, {share.kind}".strip()
            yield Card(f"{digits(share.value)} %", node.title, detail)
    for metric in found.metrics:
        if metric.metric in _HEADLINE and metric.value is not None:
            detail = f"{interval_text(metric.value)} {metric.value.unit}".strip()
            yield Card(digits(metric.value.value), metric.title, detail)


def _drawings(found: CounterExplanation) -> list[Drawing]:
    cycles = next((m.value for m in found.metrics if m.metric == "cycles"), None)
    bands = "core cycles a packet" if cycles is not None else "percent of the slots"
    return [
        *drawing(
            "slots",
            "Where the slots go",
            f"Levels 1 and 2, {bands}; what is missing on level 2 was not counted.",
            topdown_sankey(found.nodes, cycles.value if cycles is not None else None),
        ),
        *drawing(
            "tree",
            "The tree",
            "Every node that is known, with its 95 % interval where rounds give one; a stroke is "
            "the threshold, and nodes over theirs (and their parent's) are in full colour. From "
            "level 3 on, shares of clocks overlap.",
            topdown_bars(found.nodes),
        ),
        *drawing(
            "uncore",
            f"What {found.tool} read",
            "The mean over the intervals that were recorded.",
            uncore_bars(found.metrics, found.tool),
        ),
    ]


def _against(against: CounterDifference) -> list[Drawing]:
    caption = f"A: {against.a}. B: {against.b}."
    known = all(change.moved is not None for change in against.changes)
    doubt = "" if known else " Some have no interval, and how certain a change is, is unknown."
    return [
        *drawing(
            "steps",
            "From A to B, a packet",
            f"{caption} Core cycles a packet by the parts of level 1; (?) marks steps that the "
            f"intervals can't distinguish from zero.{doubt}",
            topdown_steps(against),
        ),
        *drawing(
            "points",
            "Shares from A to B",
            f"{caption} Faint: within the intervals.{doubt}",
            topdown_changes(against),
        ),
    ]


def _figures(metrics: Sequence[ExplainedMetric]) -> Table:
    rows = []
    for metric in metrics:
        value = metric.value
        if value is not None and value.unit == "share":
            value = value.scaled(100, "%")
        cell = estimate_cell(value, kind=True)
        unit = value.unit if value is not None else ABSENT
        remark = "; ".join((*(["worth a look"] if metric.over else []), *metric.marks))
        rows.append([Cell(metric.title), cell, Cell(unit), Cell(remark), Cell(metric.means)])
    return Table(
        "figures",
        "Next to the tree",
        "Figures of the core, of memory and of other sockets, where they were counted.",
        [
            Heading("figure"),
            Heading("value", number=True),
            Heading("unit"),
            Heading("remark"),
            Heading("what it means"),
        ],
        rows,
    )


def _changes(against: CounterDifference) -> Table:
    moved = {True: "moved", False: "", None: "no interval"}
    rows = [
        [
            Cell(_INDENT * (one.level - 1) + one.title),
            estimate_cell(one.a.scaled(100, "%")),
            estimate_cell(one.b.scaled(100, "%")),
            estimate_cell(one.change.scaled(100, "points")),
            estimate_cell(one.cycles),
            Cell(moved[one.moved]),
        ]
        for one in against.changes
    ]
    rows += [
        [
            Cell(one.title, one.a.unit),
            estimate_cell(one.a),
            estimate_cell(one.b),
            estimate_cell(one.change),
            Cell(""),
            Cell(moved[one.moved]),
        ]
        for one in against.figures
    ]
    return Table(
        "changes",
        "From A to B",
        "; ".join((*against.findings, *against.notes)) + ".",
        [
            Heading("node"),
            Heading("A", "percent of the slots or clocks, else as named", number=True),
            Heading("B", number=True),
            Heading("B less A", "points, else as named", number=True),
            Heading("B less A", "core cycles/packet", number=True),
            Heading("beyond the intervals"),
        ],
        rows,
    )
