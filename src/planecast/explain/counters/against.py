"""Two recordings side by side: which shares moved, and where a packet's cycles went from A to B.

Shares of slots of level 1 add up to all slots, so that times the cycles a packet each is a number
of cycles a packet, and their changes add up to the whole change: a waterfall.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Annotated

from pydantic import BeforeValidator

from planecast.explain.counters.explanation import CounterExplanation, ExplainedNode
from planecast.results.arithmetic import difference
from planecast.results.estimate import Estimate
from planecast.results.result import Texts
from planecast.scenario.model import Noun, listed

_MUCH = 0.01
"""Changes of a share below this are not listed as findings."""


class NodeChange(Noun):
    """A node in both."""

    node: str
    title: str
    level: int
    a: Estimate
    """Share of 1 in A."""
    b: Estimate
    change: Estimate
    """B less A."""
    cycles: Estimate | None = None
    """B less A in core cycles a packet, for level 1 where both know their cycles a packet."""

    @property
    def moved(self) -> bool | None:
        """Whether the interval of the change excludes zero; None without an interval."""
        return None if self.change.interval is None else not self.change.covers(0.0)


class FigureChange(Noun):
    """A figure outside the tree in both: instructions a packet, IPC, a latency."""

    metric: str
    title: str
    a: Estimate
    b: Estimate
    change: Estimate
    """B less A."""

    @property
    def moved(self) -> bool | None:
        """As of a node."""
        return None if self.change.interval is None else not self.change.covers(0.0)


class CounterDifference(Noun):
    """What changed from A to B."""

    a: str
    """A's label."""
    b: str
    changes: Annotated[tuple[NodeChange, ...], BeforeValidator(listed)]
    """Nodes that both know, in the tree's order."""
    findings: Texts
    """What moved, as sentences."""
    notes: Texts = ()
    a_cycles: Estimate | None = None
    """Core cycles a packet of A; None where they aren't known."""
    b_cycles: Estimate | None = None
    figures: Annotated[tuple[FigureChange, ...], BeforeValidator(listed)] = ()
    """What both know outside the tree."""


def compare_counters(a: CounterExplanation, b: CounterExplanation) -> CounterDifference:
    """What changed from A to B, over nodes that both know."""
    left = {node.node: node for node in a.nodes}
    per_packet = _cycles(a), _cycles(b)
    changes = tuple(
        _change(left[node.node], node, per_packet)
        for node in b.nodes
        if node.share is not None and node.node in left and left[node.node].share is not None
    )
    notes = []
    if a.architecture != b.architecture:
        notes.append(f"A is {a.architecture}, B is {b.architecture}: nodes below level 2 differ")
    if a.smt != b.smt:
        notes.append("one thread of the core was busy in one, both in the other")
    if all(per_packet) and len({one.unit for one in per_packet if one is not None}) > 1:
        notes.append(
            "cycles are of two clocks, a core's and a time-stamp counter's: their difference "
            "includes that of the clocks"
        )
    if None in per_packet:
        notes.append("cycles by node need the cycles a packet of both (--packets, --pps)")
    return CounterDifference(
        a=a.label,
        b=b.label,
        changes=changes,
        findings=tuple(_findings(changes, per_packet)),
        notes=tuple(notes),
        a_cycles=per_packet[0],
        b_cycles=per_packet[1],
        figures=tuple(_figures(a, b)),
    )


def _figures(a: CounterExplanation, b: CounterExplanation) -> Iterator[FigureChange]:
    left = {(metric.metric, metric.place): metric.value for metric in a.metrics}
    for metric in b.metrics:
        was, now = left.get((metric.metric, metric.place)), metric.value
        if was is not None and now is not None and was.unit == now.unit:
            yield FigureChange(
                metric=metric.metric, title=metric.title, a=was, b=now, change=_less(now, was)
            )


def _cycles(explained: CounterExplanation) -> Estimate | None:
    return next((m.value for m in explained.metrics if m.metric == "cycles"), None)


def _change(
    a: ExplainedNode, b: ExplainedNode, cycles: tuple[Estimate | None, Estimate | None]
) -> NodeChange:
    assert a.share is not None
    assert b.share is not None
    per_a, per_b = cycles
    moved = None
    known = per_a is not None and per_b is not None and per_a.unit == per_b.unit
    if b.level == 1 and known and per_a is not None and per_b is not None:
        moved = _less(_product(b.share, per_b), _product(a.share, per_a))
    return NodeChange(
        node=b.node,
        title=b.title,
        level=b.level,
        a=a.share,
        b=b.share,
        change=_less(b.share, a.share),
        cycles=moved,
    )


def _product(share: Estimate, cycles: Estimate) -> Estimate:
    """Cycles a packet of a share; without an interval when one of the two has none."""
    value = share.value * cycles.value
    low = high = None
    if share.interval is not None and cycles.interval is not None:
        (share_low, share_high), (least, most) = share.interval, cycles.interval
        down = cycles.value * (share.value - share_low), share.value * (cycles.value - least)
        up = cycles.value * (share_high - share.value), share.value * (most - cycles.value)
        low, high = value - math.hypot(*down), value + math.hypot(*up)
    return Estimate(value=value, low=low, high=high, unit="cycles/packet", kind="computed")


def _less(b: Estimate, a: Estimate) -> Estimate:
    """B less A; without an interval when one of them has none, for a count once made may be off."""
    change = difference(b, a)
    if a.interval is None or b.interval is None:
        return change.model_copy(update={"low": None, "high": None})
    return change


def _findings(
    changes: tuple[NodeChange, ...], cycles: tuple[Estimate | None, Estimate | None]
) -> Iterator[str]:
    per_a, per_b = cycles
    if per_a is not None and per_b is not None:
        parts = ", ".join(
            f"{change.title} {change.cycles.value:+.1f}" for change in changes if change.cycles
        )
        clock = "core " if per_a.unit == per_b.unit else ""
        yield (
            f"B takes {per_b.value - per_a.value:+.1f} {clock}cycles a packet ({per_a.value:.1f} "
            f"to {per_b.value:.1f}){': ' if parts else ''}{parts}"
        )
    beyond = [change for change in changes if change.moved is not False]
    shown = sorted(beyond, key=lambda change: -abs(change.change.value))
    named = ", ".join(
        f"{change.title} {100 * change.change.value:+.1f} points"
        for change in shown
        if abs(change.change.value) >= _MUCH
    )
    if not changes:
        yield "they have no node in common"
    elif not named:
        yield "no share moved beyond its interval by a point or more"
    elif any(change.moved is None for change in shown):
        yield f"shares that moved, without intervals to judge it by: {named}"
    else:
        yield f"shares that moved beyond their intervals: {named}"
