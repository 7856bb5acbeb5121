"""Two explanations side by side: where a packet's cycles went from A to B.

A node moved when the interval of its change excludes zero. Measured nodes are independent;
computed ones of one calibration share its errors, so their change is computed as one (see
`model_change`). With a calibration each they count as independent.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated

from pydantic import BeforeValidator

from planecast.errors import InputError
from planecast.explain.explanation import Explanation
from planecast.explain.model_breakdown import model_change
from planecast.explain.stall_causes import UNEXPLAINED, cause_of, in_order
from planecast.model.calibration import Calibration
from planecast.results.arithmetic import difference, total
from planecast.results.estimate import Estimate
from planecast.results.result import Texts
from planecast.scenario.model import Noun, listed
from planecast.scenario.points import differences

_ROUNDING = 1e-6
"""Cycles that sums in another order differ by."""

ALL = "all"
"""The whole packet, not a stage."""


class Change(Noun):
    """One node in both."""

    stage: str
    """A stage, or ``all``."""
    cause: str
    """A cause; empty for the whole of the stage."""
    a: Estimate
    """TSC cycles a packet in A; nothing for a node that A hasn't."""
    b: Estimate
    """The same in B."""
    change: Estimate
    """B less A."""

    @property
    def moved(self) -> bool:
        """Whether the change is more than the intervals leave open."""
        apart = self.change.interval is not None and not self.change.covers(0.0)
        return apart and abs(self.change.value) > _ROUNDING


class Difference(Noun):
    """Everything that changed from A to B."""

    a: str
    """A's label."""
    b: str
    changes: Annotated[tuple[Change, ...], BeforeValidator(listed)]
    """The whole first, its causes, then stage by stage."""
    settings: dict[str, tuple[str, str]]
    """Keys of the scenario in which they differ, with both values."""
    findings: Texts
    """What moved, as sentences, the largest change first."""

    def of(self, stage: str, *, causes: bool) -> list[Change]:
        """The changes of a stage: its causes, or its whole."""
        return [c for c in self.changes if c.stage == stage and bool(c.cause) == causes]

    @property
    def stages(self) -> list[str]:
        """Stages of either, in order."""
        return [c.stage for c in self.changes if not c.cause and c.stage != ALL]


_SHOWN = 0.05
"""Cycles a packet, as one decimal shows them, that a finding names."""


def compare_explanations(
    a: Explanation, b: Explanation, calibration: Calibration | None = None
) -> Difference:
    """Where cycles went from A to B; `calibration` is given when both are explained with it.

    Raises InputError when one of them has no cycles.
    """
    for one in (a, b):
        if one.cycles_per_packet is None:
            raise InputError(
                "there are no cycles to compare", one.label, "measure it, or calibrate first"
            )
    both = calibration is not None and a.modelled is not None and b.modelled is not None
    shared = model_change(a.scenario, b.scenario, calibration) if both and calibration else {}
    nodes_a, nodes_b = _nodes(a), _nodes(b)
    changes = tuple(
        _shared(_change(*place, nodes_a.get(place), nodes_b.get(place)), shared, (a, b))
        for place in _order(nodes_a, nodes_b)
    )
    return Difference(
        a=a.label,
        b=b.label,
        changes=changes,
        settings=differences(a.scenario, b.scenario),
        findings=tuple(_findings(changes)),
    )


Nodes = dict[tuple[str, str], Estimate]


def _nodes(explained: Explanation) -> Nodes:
    found: Nodes = {}
    if explained.cycles_per_packet is not None:
        found[ALL, ""] = explained.cycles_per_packet
    for part in explained.causes:
        found[ALL, part.cause] = part.cycles
    for stage in explained.stages:
        if stage.cycles is not None:
            found[stage.stage, ""] = stage.cycles
        for part in stage.causes:
            found[stage.stage, part.cause] = part.cycles
    return found


def _order(a: Nodes, b: Nodes) -> list[tuple[str, str]]:
    # The longer pipeline gives the order of the stages; the other's own come after.
    longer, other = (a, b) if len(a) >= len(b) else (b, a)
    stages = dict.fromkeys(stage for nodes in (longer, other) for stage, _ in nodes)
    both = a.keys() | b.keys()
    return [
        (stage, cause)
        for stage in stages
        for cause in ["", *in_order({c for s, c in both if s == stage and c})]
        if (stage, cause) in both
    ]


def _change(stage: str, cause: str, a: Estimate | None, b: Estimate | None) -> Change:
    nothing = Estimate(value=0.0, low=0.0, high=0.0, unit="cycles/packet", kind="computed")
    left, right = a or nothing, b or nothing
    return Change(stage=stage, cause=cause, a=left, b=right, change=difference(right, left))


def _shared(
    change: Change, shared: Mapping[tuple[str, str], Estimate], of: tuple[Explanation, Explanation]
) -> Change:
    """The change with the interval that one calibration gives it."""
    known = shared.get((change.stage, change.cause)) if change.cause else None
    if change.cause == UNEXPLAINED and shared:
        # Measured less modelled: the measured parts are independent, the modelled one is one.
        left, right = (_whole(one, change.stage) for one in of)
        parts = (c for (stage, cause), c in shared.items() if stage == change.stage and cause)
        moved = shared[ALL, ""] if change.stage == ALL else total(parts)
        if left is None or right is None or moved is None:
            return change
        known = difference(difference(right, left), moved)
    if known is None or known.interval is None:
        return change
    # The issue width is known exactly, so what is left of core has core's interval.
    low, high = (end - known.value + change.change.value for end in known.interval)
    return change.model_copy(
        update={"change": change.change.model_copy(update={"low": low, "high": high})}
    )


def _whole(explained: Explanation, stage: str) -> Estimate | None:
    if stage == ALL:
        return explained.cycles_per_packet
    return next((s.cycles for s in explained.stages if s.stage == stage), None)


def _findings(changes: tuple[Change, ...]) -> list[str]:
    whole = changes[0]
    said = [
        f"B takes {whole.change.value:+.1f} cycles a packet, {whole.a.value:.1f} to "
        f"{whole.b.value:.1f}" + ("" if whole.moved else ": within the intervals")
    ]
    for causes, what in ((True, "cause"), (False, "stage")):
        named = [
            (cause_of(c.cause).title if causes else c.stage, c)
            for c in changes
            if (c.stage == ALL) == causes and bool(c.cause) == causes and c.moved
            if abs(c.change.value) >= _SHOWN
        ]
        named.sort(key=lambda pair: -abs(pair[1].change.value))
        if named:
            moved = ", ".join(f"{name} {c.change.value:+.1f}" for name, c in named)
            said.append(f"by {what}, beyond the intervals: {moved}")
        else:
            said.append(f"no {what} moved beyond the intervals")
    return said
