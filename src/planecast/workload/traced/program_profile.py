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
as they are. Longer frames have more lines, not farther ones (`far_touches`).
"""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence
from enum import Enum
from functools import cached_property
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from pydantic import Field

from planecast.scenario.dataplane import kind_in
from planecast.scenario.model import ListOf, Noun
from planecast.workload.counts import InstructionCounts
from planecast.workload.traced.between_traces import BetweenTraces, Values
from planecast.workload.traced.coordinates import FRAME, ROTATION
from planecast.workload.traced.prefetches import prefetched
from planecast.workload.traced.profile import TouchHistogram, TracedProfile, TracedStage
from planecast.workload.traced.rotation import Rotation

Floats = NDArray[np.float64]

RANKS = tuple(np.concatenate([[0, 0.05, 0.15, 0.3, 0.5, 0.75], np.geomspace(1, 64, 19)]).tolist())
"""Touches a packet, farthest first, where each component ends: fine where they are farthest."""
_RANKED = tuple(itertools.pairwise(RANKS))


ON_THE_HEAP = frozenset({"ovs", "vpp"})
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
    points: ListOf[TracedPoint]
    """The base first; then with one key changed, and with two that act together."""
    rotation: dict[int, Rotation] = Field(default_factory=dict)
    """Of its packet buffers, by burst size; empty where all get one that was freed just now."""

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
        return kind_in(self.subject) in ON_THE_HEAP

    @property
    def keys(self) -> tuple[str, ...]:
        """Keys of a scenario that some trace changed."""
        return tuple(key for key in self.between.keys if key != ROTATION)

    def rotation_in(self, bursts: Floats) -> tuple[Floats, Floats]:
        """(`share`, `buffers`) of bursts of these sizes; of longer ones than are known those of the
        longest."""
        longest = max(self.rotation)
        found = [self.rotation[min(int(burst), longest)] for burst in bursts]
        return np.array([one.share for one in found]), np.array([one.buffers for one in found])

    @cached_property
    def between(self) -> BetweenTraces:
        """What the points count for at values between theirs."""
        return BetweenTraces(self.subject, self.base, [point.keys for point in self.points])

    @cached_property
    def executed(self) -> Floats:
        """Instructions a packet at each point, of shape (points, stages): of what makes the packets
        as counted, of all else as traced."""
        burst = self.counts.burst
        return np.array(
            [
                [
                    (point.counts or self.counts).stages[SOURCE].at(burst)
                    if stage == SOURCE
                    else _instructions(point.trace, stage)
                    for stage in self.stages
                ]
                for point in self.points
            ]
        )

    @cached_property
    def mispredicted(self) -> Floats:
        """Mispredicted branches a packet at each point, of shape (points, stages)."""
        return np.array(
            [
                [
                    own.mispredictions_per_packet if (own := point.trace.stages.get(stage)) else 0.0
                    for stage in self.stages
                ]
                for point in self.points
            ]
        )

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


SOURCE, OTHER = "source", "other"


class Far(NamedTuple):
    """Touches of one rank: arrays of shape (scenarios,)."""

    stage: str
    what: What
    prefetched: bool
    touches: Floats
    """A packet."""
    distance: Floats
    """Distinct lines, or pages, that the program touches between two touches of such a one."""


def instructions(profile: ProgramProfile, values: Values) -> dict[str, Floats]:
    """Instructions a packet that keys add to those of the base, by stage."""
    more = profile.executed.T @ profile.between.work(values)
    return dict(zip(profile.stages, more, strict=True))


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
    traced = profile.mispredicted.T
    found = np.maximum(traced[:, :1] + traced @ profile.between.work(values), 0.0)
    return {stage: row for stage, row in zip(profile.stages, found, strict=True) if np.any(row > 0)}


def far_touches(profile: ProgramProfile, values: Values, *whats: What) -> list[Far]:
    """Touches that are not near in every trace, by stage; those of each kind apart.

    Longer frames have more lines, not the same ones farther: between two traced lengths there are
    touches of both, each by its share.
    """
    if FRAME not in profile.keys:
        return _far_touches(profile, values, np.ones(1), *whats)
    return [
        far
        for length, share in profile.between.nodes(FRAME, values[FRAME])
        if np.any(share > 0)
        for far in _far_touches(
            profile, {**values, FRAME: np.full_like(share, length)}, share, *whats
        )
    ]


def _far_touches(profile: ProgramProfile, values: Values, share: Floats, *whats: What) -> list[Far]:
    """The same, each by a `share`, of shape (scenarios,) or (1,)."""
    base = profile.points[0].trace
    far = [
        (stage, what, rank)
        for stage, what in itertools.product(profile.stages, whats)
        for rank, logs in enumerate(profile.distances[stage, what].T)
        if np.exp(logs.max()) > what.near
    ]
    if not far:
        return []
    traced = np.array([profile.distances[stage, what][:, rank] for stage, what, rank in far])
    rows = np.exp(traced[:, :1] + traced @ profile.between.weights(values, {}))
    ends = {stage: prefetched(profile.subject, base, stage) for stage, _, _ in far}
    found = []
    for (stage, what, rank), row in zip(far, rows, strict=True):
        low, high = _RANKED[rank]
        ahead = what is What.LOADED and high <= ends[stage]
        found.append(Far(stage, what, ahead, (high - low) * share, row))
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
