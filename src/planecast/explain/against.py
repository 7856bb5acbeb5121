"""Two explanations side by side: where a packet's cycles went from A to B.

A node moved when the interval of its change leaves out nothing. Computed nodes of both sides come
from one calibration and share its errors, so their changes' intervals are rather too wide.
"""

from __future__ import annotations

from typing import Annotated

from pydantic import BeforeValidator

from planecast.errors import InputError
from planecast.explain.arithmetic import difference
from planecast.explain.causes import in_order
from planecast.explain.explanation import Explanation
from planecast.results.estimate import Estimate
from planecast.results.result import Texts
from planecast.scenario import SCENARIO_KEYS, value_at
from planecast.scenario.model import Noun, list_text, listed

ALL = "all"
"""The whole packet, beside the stages."""


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
        return self.change.interval is not None and not self.change.covers(0.0)


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


def compare_explanations(a: Explanation, b: Explanation) -> Difference:
    """Where cycles went from A to B. Raises InputError when one of them has no cycles."""
    for one in (a, b):
        if one.cycles_per_packet is None:
            raise InputError(
                "there are no cycles to compare", one.label, "measure it, or calibrate first"
            )
    changes = tuple(
        _change(stage, cause, nodes_a.get((stage, cause)), nodes_b.get((stage, cause)))
        for nodes_a, nodes_b in [(_nodes(a), _nodes(b))]
        for stage, cause in _order(nodes_a, nodes_b)
    )
    return Difference(
        a=a.label,
        b=b.label,
        changes=changes,
        settings=_settings(a, b),
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


def _settings(a: Explanation, b: Explanation) -> dict[str, tuple[str, str]]:
    found = {}
    for key in SCENARIO_KEYS:
        left, right = value_at(a.scenario, key), value_at(b.scenario, key)
        if left != right:
            found[key] = (_text(left), _text(right))
    return found


def _text(value: object) -> str:
    return list_text(value) if isinstance(value, tuple) else str(value)


def _findings(changes: tuple[Change, ...]) -> list[str]:
    whole = changes[0]
    said = [
        f"B takes {whole.change.value:+.1f} cycles a packet, {whole.a.value:.1f} to "
        f"{whole.b.value:.1f}" + ("" if whole.moved else ": within the intervals")
    ]
    for causes, what in ((True, "cause"), (False, "stage")):
        named = [
            (c.cause if causes else c.stage, c)
            for c in changes
            if (c.stage == ALL) == causes and bool(c.cause) == causes and c.moved
        ]
        named.sort(key=lambda pair: -abs(pair[1].change.value))
        if named:
            moved = ", ".join(f"{name} {c.change.value:+.1f}" for name, c in named)
            said.append(f"by {what}, beyond the intervals: {moved}")
        else:
            said.append(f"no {what} moved beyond the intervals")
    return said
