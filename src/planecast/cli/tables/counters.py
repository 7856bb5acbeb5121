"""What counters say as a table: what limits, how sure, what to try; then the tree."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from planecast.cli.tables.sheet import Column, Sheet, Worded, estimate_text, percent

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
    Column("value", "value", number=True, absent="–", ends=("low", "high")),
    Column("unit", "of"),
    Column("threshold", "limit", number=True, form=percent("{:.4g} %")),
    Column("over", "", form=lambda over: "◄" if over else ""),
    Column("samples", "n", number=True),
    Column("kind", "kind"),
    Column("marks", "remark"),
)
_OF = {"slots": "slots", "clocks": "clocks", "core_clocks": "core clocks", "uops": "operations"}


def counters_sheet(found: CounterExplanation) -> Sheet:
    """The sheet of one explanation."""
    rows = [*map(_node_row, found.nodes), *map(_metric_row, found.metrics)]
    notes = [*(f"can't be known: {what}" for what in found.unknown), *found.notes]
    return Sheet(_COLUMNS, rows, found, lead=list(_lead(found)), notes=notes)


_CHANGES = (
    Column("name", "node"),
    Column("level", "level", number=True),
    Column("a", "A", number=True),
    Column("b", "B", number=True),
    Column("change", "B - A", number=True, ends=("low", "high")),
    Column("cycles_per_packet", "cycles/packet", number=True, form=lambda c: f"{c.value:+.1f}"),
    Column("moved", "", form=lambda moved: "moved" if moved else "", absent="no interval"),
)


def difference_sheet(found: CounterDifference) -> Sheet:
    """The sheet of what changed from A to B."""
    rows = [
        {
            "name": Worded(one.node, "  " * (one.level - 1) + one.title),
            "level": one.level,
            "a": _scaled(one.a, 100, " %"),
            "b": _scaled(one.b, 100, " %"),
            "change": _scaled(one.change, 100, " points"),
            "cycles_per_packet": one.cycles,
            "moved": one.moved,
        }
        for one in found.changes
    ]
    for figure in found.figures:
        scale, unit = (100, "%") if figure.a.unit == "share" else (1, figure.a.unit)
        rows.append(
            {
                "name": Worded(figure.metric, f"{figure.title}, {unit}"),
                "a": _scaled(figure.a, scale),
                "b": _scaled(figure.b, scale),
                "change": _scaled(figure.change, scale),
                "moved": figure.moved,
            }
        )
    lead = [f"A: {found.a}", f"B: {found.b}", "", *found.findings]
    return Sheet(_CHANGES, rows, found, lead=lead, notes=found.notes)


def _scaled(value: Estimate, scale: float, unit: str = "") -> Worded:
    return Worded(value, estimate_text(value.scaled(scale, "")) + unit)


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
        yield "  no advice follows from this input"


def _row(value: Estimate | None, marks: tuple[str, ...]) -> dict[str, Any]:
    return {
        "samples": value.samples if value else None,
        "kind": value.kind if value else None,
        "marks": "; ".join(marks),
    }


def _node_row(node: ExplainedNode) -> dict[str, Any]:
    return {
        "name": Worded(node.node, "  " * (node.level - 1) + node.title),
        "level": node.level,
        "value": _scaled(node.share, 100, " %") if node.share else None,
        "unit": Worded(f"share of {_OF[node.of]}", _OF[node.of]),
        "threshold": node.threshold,
        "over": node.over,
        **_row(node.share, node.marks),
    }


def _metric_row(metric: ExplainedMetric) -> dict[str, Any]:
    value = metric.value
    share = value is not None and value.unit == "share"
    unit = value.unit if value else None
    return {
        "name": Worded(
            metric.title if metric.group.startswith("pcm") else metric.metric, metric.title
        ),
        "value": _scaled(value, 100 if share else 1) if value else None,
        "unit": Worded(unit, "%") if share else unit,
        "over": metric.over,
        **_row(value, metric.marks),
    }
