"""ProgramProfile: what a program of others does with a packet, as counts and traces of it say.

Nobody described its stages. Their instructions are counted, by burst size; and the program is
traced at a base scenario and again with one key changed at a time (`TracedPoint`). What a key
changes, in instructions and in the distance of touches of a line are, is interpolated between the
traced values of that key, linear in its logarithm, and added to the base's: so keys are taken to
act apart from each other, but for what is known (`coordinates`). Beyond the traced values the
nearest one holds.

Touches, of lines and of pages, are compared by rank: the touch that only r others a packet are
farther than is the same touch in every trace, nearer in one and farther in the other. Keys that
bring lines of a table apart stretch the distances of those ranks, and leave those of packet buffers
as they are.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from enum import Enum
from functools import cached_property
from typing import Annotated

import numpy as np
from numpy.typing import NDArray
from pydantic import BeforeValidator

from planecast.scenario.model import Noun, listed
from planecast.workload.counts import InstructionCounts
from planecast.workload.traced.coordinates import (
    INSTRUCTIONS,
    SCALES,
    SHARES,
    Scale,
    logarithm,
    together,
)
from planecast.workload.traced.prefetches import prefetched
from planecast.workload.traced.profile import TouchHistogram, TracedProfile, TracedStage

Floats = NDArray[np.float64]
Values = Mapping[str, Floats]
"""Keys' values in many scenarios: arrays of shape (scenarios,)."""
Scales = Mapping[tuple[str, str], Scale]
"""By program and key, where a key's scale is not the usual one."""

RANKS = tuple(np.concatenate([[0, 0.05, 0.15, 0.3, 0.5, 0.75], np.geomspace(1, 64, 19)]).tolist())
"""Touches a packet, farthest first, where each component ends: fine where they are farthest."""
_RANKED = tuple(itertools.pairwise(RANKS))


ON_THE_HEAP = frozenset({"ovs"})
"""Programs whose tables malloc places; others ask DPDK, which has them in its large pages."""


class What(Enum):
    """What is touched; touches nearer than so many of them are served by the first level of any
    cache, or TLB, however it is shared."""

    LOADED = "lines loaded"
    STORED = "lines stored to"
    PAGES = "pages"

    @property
    def near(self) -> int:
        """That many."""
        return 32 if self is What.PAGES else 128

    def touches(self, stage: TracedStage) -> TouchHistogram:
        """A stage's."""
        if self is What.PAGES:
            return stage.pages
        return stage.stores if self is What.STORED else stage.loads

    def every(self, trace: TracedProfile) -> int:
        """All that a trace touched."""
        return trace.pages if self is What.PAGES else trace.lines


class TracedPoint(Noun):
    """A trace with some keys changed."""

    keys: dict[str, float]
    """Their values there; none for the base."""
    trace: TracedProfile
    counts: InstructionCounts | None = None
    """Where a key changes what makes the packets, which traces leave out: frames of another
    length."""


class ProgramProfile(Noun):
    """A program of others, counted and traced."""

    subject: str
    """What it is, as `Scenario.forwards` has it."""
    counts: InstructionCounts
    """Of the base scenario, ``source`` among the stages: what makes its packets in memory."""
    base: dict[str, float]
    """Values of the base for all keys that were changed."""
    points: Annotated[tuple[TracedPoint, ...], BeforeValidator(listed)]
    """The base first; then with one key changed, and with two that act together."""

    @property
    def stages(self) -> tuple[str, ...]:
        """As a packet meets them, ``source`` first; ``other`` last where there is any."""
        known = list(self.counts.stages)
        if self.counts.other.at(self.counts.burst) > 0:
            known.append(OTHER)
        return tuple(sorted(known, key=lambda name: name != SOURCE))

    @property
    def on_the_heap(self) -> bool:
        """Whether its tables are there, so in pages of 4 KiB."""
        return self.subject.partition(" ")[0] in ON_THE_HEAP

    @property
    def keys(self) -> tuple[str, ...]:
        """Keys that some trace changed."""
        return tuple(dict.fromkeys(key for point in self.points for key in point.keys))

    @cached_property
    def distances(self) -> Mapping[tuple[str, What], Floats]:
        """Logarithms of the distances of touches, by stage and what is touched, of shape (points,
        ranks)."""
        return {
            (stage, what): np.array(
                [_logarithms(point.trace, stage, what) for point in self.points]
            )
            for stage, what in itertools.product(self.stages, What)
        }

    def work(self, of: Callable[[TracedPoint], Floats], values: Values) -> Floats:
        """What keys add to what the base's trace executes, of shape (1, scenarios)."""
        share = SHARES.get(self.subject)
        if share is None or not self.base.keys() >= set(share.keys):
            return self.changes(of, values, INSTRUCTIONS)
        # Its keys by the share that they decide, all points that change no other; the rest apart.
        own = [point for point in self.points if set(point.keys) <= set(share.keys)]
        keys = [{**self.base, **point.keys} for point in own]
        at = share.of({key: np.array([one[key] for one in keys]) for key in share.keys})
        nodes, places = np.unique(at, return_inverse=True)
        more = np.array([of(point)[0] - of(self.points[0])[0] for point in own])
        mean = np.bincount(places, more) / np.bincount(places)
        others = {key: np.full_like(values[key], self.base[key]) for key in share.keys}
        apart = self.changes(of, {**values, **others}, INSTRUCTIONS)
        return apart + np.interp(share.of(values), nodes, mean)

    def changes(self, of: Callable[[TracedPoint], Floats], values: Values, on: Scales) -> Floats:
        """What keys add to a number of the base's trace, or to several, of shape (numbers,
        scenarios); linear between traced values `on` the scale of each key."""
        base = of(self.points[0])
        weights = {key: self._weights(key, values[key], on, self._nodes(key)) for key in self.keys}
        found = np.zeros((base.size, max((w.shape[1] for w in weights.values()), default=1)))
        for key, own in weights.items():
            found += np.stack([of(self._at({key: x})) - base for x in self._nodes(key)]).T @ own
        for one, other in together(self.subject):
            if one in weights and other in weights:
                rows, columns = (self._nodes(key, (one, other)) for key in (one, other))
                table = np.stack(
                    [
                        [
                            of(self._at({one: x, other: y}))
                            - of(self._at({one: x}))
                            - of(self._at({other: y}))
                            + base
                            for y in columns
                        ]
                        for x in rows
                    ]
                )
                along = self._weights(one, values[one], on, rows)
                across = self._weights(other, values[other], on, columns)
                found += np.einsum("xyn,xs,ys->ns", table, along, across)
        return found

    def _nodes(self, key: str, together: tuple[str, ...] = ()) -> list[float]:
        """Traced values of a key, ascending; of those where several were changed together, if they
        are named."""
        own = {
            point.keys[key]
            for point in self.points
            if key in point.keys and point.keys.keys() >= {*together}
        }
        return sorted(own | {self.base[key]})

    def _at(self, keys: Mapping[str, float]) -> TracedPoint:
        """The point with these values. Raises KeyError where it was not traced."""
        changed = {key: value for key, value in keys.items() if value != self.base[key]}
        for point in self.points:
            if point.keys == changed:
                return point
        raise KeyError(f"no trace of {changed}")

    def _weights(self, key: str, values: Floats, on: Scales, among: Sequence[float]) -> Floats:
        """Shares of a key's traced values, of shape (values, scenarios)."""
        scale = on.get((self.subject, key)) or SCALES.get(key, logarithm)
        nodes = scale(np.array(among))
        asked = scale(np.asarray(values, dtype=np.float64))
        return np.stack([np.interp(asked, nodes, row) for row in np.eye(nodes.size)])


SOURCE, OTHER = "source", "other"


@dataclass(frozen=True)
class Far:
    """Touches of one rank: arrays of shape (scenarios,)."""

    stage: str
    what: What
    prefetched: bool
    touches: float
    """A packet."""
    distance: Floats
    """Distinct lines, or pages, that the program touches between two touches of such a one."""


def instructions(profile: ProgramProfile, stage: str, values: Values) -> Floats:
    """Instructions a packet that keys add to a stage's at the base."""

    def counted(point: TracedPoint) -> Floats:
        return np.array([_instructions(point.trace, stage)])

    def made(point: TracedPoint) -> Floats:
        counts = point.counts or profile.counts
        return np.array([counts.stages[SOURCE].at(profile.counts.burst)])

    of = made if stage == SOURCE else counted
    return np.asarray(profile.work(of, values)[0])


def traced_more(profile: ProgramProfile, stage: str) -> float:
    """Instructions a packet that the base's trace has of a stage, less those that were counted in
    bursts of that size; 0 of what no trace has.

    What keys add is the difference of two traces, so their base is the trace, too. Counts are
    slopes between two lengths of a run: what a program does as its clock or its caches have it (the
    order of Open vSwitch's masks) differs between such runs by a tenth.
    """
    trace = profile.points[0].trace
    if stage not in trace.stages:
        return 0.0
    return _instructions(trace, stage) - profile.counts.part(stage).at(trace.burst)


def mispredictions(profile: ProgramProfile, values: Values) -> dict[str, Floats]:
    """Mispredicted branches a packet by stage; none of a program that was traced without."""
    found = {}
    for stage in profile.stages:

        def traced(point: TracedPoint, stage: str = stage) -> Floats:
            own = point.trace.stages.get(stage)
            return np.array([own.mispredictions_per_packet if own is not None else 0.0])

        count = traced(profile.points[0])[0] + profile.work(traced, values)[0]
        if np.any(count > 0):
            found[stage] = np.maximum(count, 0.0)
    return found


def far_touches(profile: ProgramProfile, values: Values, *whats: What) -> list[Far]:
    """Touches that are not near in every trace, by stage; those of each kind apart."""
    base = profile.points[0].trace
    far = [
        (stage, what, rank)
        for stage, what in itertools.product(profile.stages, whats)
        for rank, logs in enumerate(profile.distances[stage, what].T)
        if np.exp(logs.max()) > what.near
    ]
    if not far:
        return []
    own = np.array([profile.distances[stage, what][:, rank] for stage, what, rank in far])
    traced = {id(point): row for point, row in zip(profile.points, own.T, strict=True)}

    def logarithms(point: TracedPoint) -> Floats:
        return np.asarray(traced[id(point)])

    rows = np.exp(own[:, :1] + profile.changes(logarithms, values, {}))
    ends = {stage: prefetched(profile.subject, base, stage) for stage, _, _ in far}
    found = []
    for (stage, what, rank), row in zip(far, rows, strict=True):
        low, high = _RANKED[rank]
        ahead = what is What.LOADED and high <= ends[stage]
        found.append(Far(stage, what, ahead, high - low, row))
    return found


def _instructions(trace: TracedProfile, stage: str) -> float:
    own = trace.stages.get(stage)
    return own.instructions_per_packet if own is not None else 0.0


def _logarithms(trace: TracedProfile, stage: str, what: What) -> Floats:
    """Mean logarithm of the distance of the touches of each rank; 0 where there are so few."""
    own = trace.stages.get(stage)
    edges = np.array(RANKS)
    if own is None:
        return np.zeros(edges.size - 1)
    touched, logs = _farthest_first(what.touches(own), what.every(trace))
    # The integral of the logarithm over the ranks, at the edges; differences are means.
    whole = np.concatenate([[0.0], np.cumsum(touched * logs)])
    ends = np.concatenate([[0.0], np.cumsum(touched)])
    return np.asarray(np.diff(np.interp(edges, ends, whole)) / np.diff(edges))


def _farthest_first(found: TouchHistogram, every: int) -> tuple[Floats, Floats]:
    """(touches a packet, logarithms of their distances), cold ones first: they are as distant as
    all that was touched."""
    bins: Sequence[tuple[float, float]] = [
        (one.touches_per_packet, np.log(max((one.start + one.end - 1) / 2, 1.0)))
        for one in reversed(found.bins)
    ]
    if found.cold_per_packet > 0:
        bins = [(found.cold_per_packet, float(np.log(max(every, 1)))), *bins]
    if not bins:
        return np.zeros(1), np.zeros(1)
    touched, logs = zip(*bins, strict=True)
    return np.array(touched), np.array(logs)
