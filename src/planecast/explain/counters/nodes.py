"""Nodes and metrics of an explanation: values with intervals and marks, from vectors or shares."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass

import numpy as np

from planecast.explain.counters.explanation import ExplainedMetric, ExplainedNode
from planecast.explain.counters.vectors import Vectors
from planecast.instruments.recorded import Recording, Share
from planecast.results.estimate import Estimate, Kind
from planecast.results.student import FEWEST_ROUNDS, half_width
from planecast.topdown import Definition, Evaluation, Metric, Node, evaluate_tree, over_threshold
from planecast.topdown.dimension import parse_dimension
from planecast.topdown.expression import Values
from planecast.topdown.node_names import node_name
from planecast.topdown.plausible import impossible_share

REFUSED_BELOW = 0.05
"""A ratio of events counted less of the time than this, and not together, is not shown."""
MARKED_BELOW = 0.5
"""Below this share of the time it is shown with a mark."""
_APART = 0.01
"""Groups that take turns fairly differ by less than this in the share of the time that each has."""
_COUNTS = {
    "events": "event",
    "instructions": "instruction",
    "core cycles": "cycle",
    "reference cycles": "tsc",
}
_SHOWN_UNITS = {"instructions/cycle": "instructions/cycle", "cycles/event": "cycles"}


@dataclass(frozen=True)
class Known:
    """A node's value before it becomes an estimate."""

    value: float
    rounds: Values
    marks: tuple[str, ...] = ()
    running: float = 1.0
    kind: Kind = "computed"
    half_width: float | None = None


def from_vectors(definition: Definition, vectors: Vectors, smt: bool) -> Evaluation:
    """The whole tree over a recording's vectors."""
    return evaluate_tree(definition, vectors.events, smt)


def known_nodes(
    definition: Definition, vectors: Vectors, evaluation: Evaluation, smt: bool
) -> dict[str, Known]:
    """What the counts say of each node that they suffice for."""
    found = {}
    for name in definition.nodes:
        if name in evaluation.values:
            found[name] = _known(name, definition, vectors, evaluation, smt)
    return found


def _known(
    name: str, definition: Definition, vectors: Vectors, evaluation: Evaluation, smt: bool
) -> Known:
    values = evaluation.values[name]
    running = [vectors.running[event] for event in definition.events_of(name, smt)]
    marks = running_marks(running)
    return Known(float(values[0]), values[1:], marks, min(running, default=1.0))


def running_marks(running: Collection[float]) -> tuple[str, ...]:
    """What is to be said of a ratio whose events were counted so much of the time each."""
    least, most = min(running, default=1.0), max(running, default=1.0)
    apart = most - least > _APART
    if apart and least < REFUSED_BELOW:
        return (f"refused: counted {100 * least:.1f} % of the time, and not together",)
    if least < MARKED_BELOW:
        return (
            f"counted {100 * least:.0f} % of the time" + (", and not together" if apart else ""),
        )
    return ()


def shared_nodes(recording: Recording, definition: Definition) -> tuple[dict[str, Known], set[str]]:
    """What another tool computed, by our names; and the names that the definition doesn't have."""
    found: dict[str, list[Share]] = defaultdict(list)
    unknown = set()
    for share in recording.shares:
        name = node_name(share.node)
        if name in definition.nodes:
            found[name].append(share)
        else:
            unknown.add(share.node)
    return {name: _shared(shares) for name, shares in found.items()}, unknown


def _shared(shares: list[Share]) -> Known:
    """The mean over places and rounds of what a tool says."""
    by_round: dict[float, list[float]] = defaultdict(list)
    for share in shares:
        if share.value is not None:
            by_round[share.round].append(share.value)
    rounds = np.array([float(np.mean(values)) for values in by_round.values()])
    value = float(rounds.mean()) if rounds.size else float("nan")
    running = min(share.running for share in shares)
    spreads = [share.spread for share in shares if share.spread is not None]
    half = 2 * max(spreads) if spreads and rounds.size == 1 else None
    return Known(value, rounds, running_marks([running]), running, half_width=half)


def estimated(known: Known, scale: float, unit: str) -> Estimate:
    """A known value as an estimate; three rounds or more give its interval (Student's t)."""
    rounds = known.rounds[np.isfinite(known.rounds)]
    half = known.half_width
    if rounds.size >= FEWEST_ROUNDS:
        half = half_width(rounds)
    value = known.value * scale
    ends = (None, None) if half is None else (value - half * scale, value + half * scale)
    return Estimate(
        value=value,
        low=ends[0],
        high=ends[1],
        samples=max(int(rounds.size), 1),
        unit=unit,
        kind=known.kind,
    )


def explained_nodes(
    definition: Definition, known: Mapping[str, Known], missing: Mapping[str, str], smt: bool
) -> tuple[ExplainedNode, ...]:
    """Every node that is known, or whose parent is.

    Impossible values, and those that rest on one, have a mark and no share.
    """
    own = {name: _unusable(value) for name, value in known.items()}
    reasons = {name: own[name] or _unfounded(definition, name, own, smt) for name in own}
    shares = {name: known[name].value for name, reason in reasons.items() if not reason}
    over = over_threshold(definition, shares)
    found = []
    for node in definition.nodes.values():
        if node.name not in known and not _worth_naming(node, shares):
            continue
        found.append(_explained(node, known.get(node.name), reasons, over, missing))
    return tuple(found)


def _worth_naming(node: Node, shares: Mapping[str, float]) -> bool:
    return node.level == 1 or (node.level == 2 and node.entry.parent in shares)


def _unusable(known: Known) -> str | None:
    refused = next((mark for mark in known.marks if mark.startswith("refused")), None)
    why = impossible_share(known.value)
    return refused or (f"impossible: {why}" if why else None)


def _unfounded(
    definition: Definition, name: str, own: Mapping[str, str | None], smt: bool
) -> str | None:
    """Which node that it is computed from can't be, directly or through others."""
    for part in sorted(definition.parts_of(name, smt)):
        if own.get(part):
            return f"refused: rests on {definition.nodes[part].meaning.title}, {own[part]}"
    return None


def _explained(
    node: Node,
    known: Known | None,
    reasons: Mapping[str, str | None],
    over: Mapping[str, bool],
    missing: Mapping[str, str],
) -> ExplainedNode:
    reason = reasons.get(node.name)
    share = None if known is None or reason else estimated(known, 1.0, "share")
    marks: tuple[str, ...] = ()
    if known is None:
        marks = (missing.get(node.name, "not in the file"),)
    elif reason:
        marks = (reason,)
    else:
        marks = known.marks
    return ExplainedNode.from_node(
        node,
        share,
        over=over[node.name] and share is not None,
        marks=marks,
        sample=node.entry.sample,
    )


def explained_metrics(
    definition: Definition,
    vectors: Vectors,
    evaluation: Evaluation,
    smt: bool,
    packets: float | None,
) -> Iterator[ExplainedMetric]:
    """Figures outside the tree; counts are given a packet where packets are known."""
    for name, metric in definition.metrics.items():
        if name not in evaluation.values:
            continue
        known = _known(name, definition, vectors, evaluation, smt)
        scaled = _scaled(metric, packets, vectors.rounds)
        if scaled is None:
            continue
        yield _metric(metric, known, *scaled)


def _scaled(metric: Metric, packets: float | None, rounds: int) -> tuple[float, float, str] | None:
    """Scale of the whole, scale of a round, and unit; None for a count without packets."""
    for unit, base in _COUNTS.items():
        if metric.dimension == parse_dimension(base):
            if packets is None:
                return None
            return 1 / packets, rounds / packets, f"{unit}/packet"
    return 1.0, 1.0, _SHOWN_UNITS.get(metric.entry.unit, "share")


def _metric(
    metric: Metric, known: Known, whole: float, a_round: float, unit: str
) -> ExplainedMetric:
    adjusted = Known(
        known.value * whole, known.rounds * a_round, known.marks, known.running, known.kind
    )
    refused = next((mark for mark in known.marks if mark.startswith("refused")), None)
    reason = refused
    if not np.isfinite(adjusted.value):
        reason = "impossible: divided by a count of 0"
    elif unit == "share":
        why = impossible_share(adjusted.value)
        reason = f"impossible: {why}" if why else refused
    value = None if reason else estimated(adjusted, 1.0, unit)
    entry = metric.entry
    beyond = value is not None and (
        (entry.over is not None and value.value > entry.over)
        or (entry.below is not None and value.value < entry.below)
    )
    return ExplainedMetric(
        metric=metric.name,
        title=metric.meaning.title,
        group=entry.group,
        value=value,
        over=beyond,
        marks=(reason,) if reason else known.marks,
        means=metric.meaning.means,
    )
