"""What counters say as a table: what limits, how sure, what to try; then the tree."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from planecast.cli.tables.sheet import Column, Sheet, estimate_text

if TYPE_CHECKING:
    from planecast.explain.counters import (
        CounterDifference,
        CounterExplanation,
        ExplainedMetric,
        ExplainedNode,
    )
    from planecast.results import Estimate

_COLUMNS = (
    Column("name", "node"),
    Column("level", "level", number=True),
    Column("value", "value", number=True),
    Column("low", "", number=True),
    Column("high", "", number=True),
    Column("unit", "of"),
    Column("threshold", "limit", number=True),
    Column("over", ""),
    Column("samples", "n", number=True),
    Column("kind", "kind"),
    Column("marks", "remark"),
)
_SHOWN = tuple(column for column in _COLUMNS if column.key not in ("low", "high"))
_OF = {"slots": "slots", "clocks": "clocks", "core_clocks": "core clocks", "uops": "operations"}


def counters_sheet(found: CounterExplanation, *, people: bool) -> Sheet:
    """The sheet of one explanation; `people` leaves out the columns that machines alone read."""
    rows = [*map(_node_row, found.nodes), *map(_metric_row, found.metrics)]
    cells = [*map(_node_cells, found.nodes), *map(_metric_cells, found.metrics)]
    notes = [*(f"can't be known: {what}" for what in found.unknown), *found.notes]
    columns = _SHOWN if people else _COLUMNS
    return Sheet(columns, rows, cells, found, lead=list(_lead(found)), notes=notes)


_CHANGES = (
    Column("name", "node"),
    Column("level", "level", number=True),
    Column("a", "A", number=True),
    Column("b", "B", number=True),
    Column("change", "B - A", number=True),
    Column("low", "", number=True),
    Column("high", "", number=True),
    Column("cycles_per_packet", "cycles/packet", number=True),
    Column("moved", ""),
)


_MOVED = {True: "moved", False: "", None: "no interval"}


def difference_sheet(found: CounterDifference, *, people: bool) -> Sheet:
    """The sheet of what changed from A to B."""
    rows, cells = [], []
    for one in found.changes:
        rows.append(
            {
                "name": one.node,
                "level": one.level,
                "a": one.a.value,
                "b": one.b.value,
                "change": one.change.value,
                "low": one.change.low,
                "high": one.change.high,
                "cycles_per_packet": one.cycles.value if one.cycles else None,
                "moved": one.moved,
            }
        )
        a, b, change = (estimate_text(part.scaled(100, "%")) for part in (one.a, one.b, one.change))
        cells.append(
            {
                "name": "  " * (one.level - 1) + one.title,
                "level": str(one.level),
                "a": f"{a} %",
                "b": f"{b} %",
                "change": f"{change} points",
                "cycles_per_packet": f"{one.cycles.value:+.1f}" if one.cycles else "",
                "moved": _MOVED[one.moved],
            }
        )
    for figure in found.figures:
        rows.append(
            {
                "name": figure.metric,
                "a": figure.a.value,
                "b": figure.b.value,
                "change": figure.change.value,
                "low": figure.change.low,
                "high": figure.change.high,
                "moved": figure.moved,
            }
        )
        scale = (100, "%") if figure.a.unit == "share" else (1, figure.a.unit)
        a, b, change = (
            estimate_text(part.scaled(*scale)) for part in (figure.a, figure.b, figure.change)
        )
        cells.append(
            {
                "name": f"{figure.title}, {scale[1]}",
                "a": a,
                "b": b,
                "change": change,
                "moved": _MOVED[figure.moved],
            }
        )
    columns = [column for column in _CHANGES if column.header or column.key == "moved"]
    lead = [f"A: {found.a}", f"B: {found.b}", "", *found.findings]
    shown = columns if people else _CHANGES
    return Sheet(shown, rows, cells, found, lead=lead, notes=found.notes)


def _lead(found: CounterExplanation) -> Iterator[str]:
    yield f"{found.label}: {found.tool}, {found.architecture}"
    for title, sentences in (
        ("What limits it", found.limits),
        ("How sure that is", found.certainty),
    ):
        yield ""
        yield title
        yield from (f"  {sentence}" for sentence in sentences)
    yield ""
    yield "What to try"
    yield from (f"  {advice.try_this} ({advice.why})" for advice in found.advice)
    if not found.advice:
        yield "  nothing that this input gives reason for"


def _row(value: Estimate | None, marks: tuple[str, ...]) -> dict[str, Any]:
    return {
        "value": value.value if value else None,
        "low": value.low if value else None,
        "high": value.high if value else None,
        "samples": value.samples if value else None,
        "kind": value.kind if value else None,
        "marks": "; ".join(marks),
    }


def _node_row(node: ExplainedNode) -> dict[str, Any]:
    return {
        "name": node.node,
        "level": node.level,
        "unit": f"share of {_OF[node.of]}",
        "threshold": node.threshold,
        "over": node.over,
        **_row(node.share, node.marks),
    }


def _metric_row(metric: ExplainedMetric) -> dict[str, Any]:
    return {
        "name": metric.title if metric.group.startswith("pcm") else metric.metric,
        "level": None,
        "unit": metric.value.unit if metric.value else None,
        "threshold": None,
        "over": metric.over,
        **_row(metric.value, metric.marks),
    }


def _node_cells(node: ExplainedNode) -> dict[str, str]:
    share = node.share.scaled(100, "%") if node.share else None
    return {
        "name": "  " * (node.level - 1) + node.title,
        "level": str(node.level),
        "value": f"{estimate_text(share)} %" if share else "–",
        "unit": _OF[node.of],
        "threshold": f"{100 * node.threshold:.4g} %",
        "over": "◄" if node.over else "",
        "samples": str(node.share.samples) if node.share else "",
        "kind": node.share.kind if node.share else "",
        "marks": "; ".join(node.marks),
    }


def _metric_cells(metric: ExplainedMetric) -> dict[str, str]:
    value = metric.value
    unit = value.unit if value else ""
    if value is not None and unit == "share":
        value, unit = value.scaled(100, "%"), "%"
    return {
        "name": metric.title,
        "level": "",
        "value": estimate_text(value),
        "unit": unit,
        "threshold": "",
        "over": "◄" if metric.over else "",
        "samples": str(value.samples) if value else "",
        "kind": value.kind if value else "",
        "marks": "; ".join(metric.marks),
    }
