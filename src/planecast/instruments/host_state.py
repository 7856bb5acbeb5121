"""HostState: what a host's other tenants change, as measured now in some four seconds."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Annotated, Literal

import numpy as np
from pydantic import BeforeValidator, Field, ValidationError

from planecast.cache_line import LINE_BYTES
from planecast.errors import RunError, first_refusal
from planecast.instruments.core_to_core import usual_looks
from planecast.instruments.quantiles import turn_quantile
from planecast.native import how_to_build
from planecast.results.estimate import Estimate
from planecast.scenario.model import Noun, listed

Share = Annotated[float, Field(ge=0, le=1)]


class SurvivalPoint(Noun):
    """A paced walk: each line of a working set once a lap, in random order."""

    working_set_bytes: int
    """Its lines times 64."""
    cycles_per_line: float
    """TSC cycles from one line to the next, as it was."""
    lap_seconds: float
    """Seconds of a lap: how old each line is when it is asked for again."""
    survived: Share
    """Share of the timed lines that were still in some cache."""
    cycles: float
    """TSC cycles of a timed access on average, with some 30 to 60 of reading the clock."""


class StreamedSurvival(Noun):
    """The same walks next to another CPU that streams from memory."""

    lines_per_second: float
    """That it reads at that time."""
    survival: Annotated[tuple[SurvivalPoint, ...], BeforeValidator(listed)]


class LoadPoint(Noun):
    """Random lines of memory, so many asked for at once."""

    width: int
    """Lines that are prefetched together, then used, before the next ones are chosen."""
    loaded: bool
    """Another CPU streams from memory at the same time."""
    cycles: Estimate
    """TSC cycles a line."""


class WalkPoint(Noun):
    """What a line costs more in 4 KiB pages than in 2 MiB pages, one line in each 4 KiB."""

    pages: int
    """4 KiB pages, and lines."""
    placed: Literal["in_order", "scattered"]
    """How the 4 KiB pages were touched first: neighbours that lie side by side in memory may share
    a TLB entry (AMD since Zen), scattered ones can't."""
    width: int
    """Chases at once: walks overlap."""
    cycles: Estimate
    """TSC cycles a line in 4 KiB pages."""
    huge_cycles: Estimate
    """TSC cycles a line, the same lines in 2 MiB pages."""

    @property
    def walk_cycles(self) -> float:
        """TSC cycles a line that the walks add, at least 0."""
        return max(0.0, self.cycles.value - self.huge_cycles.value)


class PageConflicts(Noun):
    """Timed accesses to one line in each of many pages: as many as would fill the last level twice,
    were only those of its sets used that one place in a page selects. TSC cycles."""

    same_cycles: Estimate
    """Where all lie at the same place of their pages."""
    spread_cycles: Estimate
    """The same pages, where the lines lie at all places."""


class HostState(Noun):
    """What memory and the shared cache do at one time. All cycles are of the time-stamp counter."""

    cpu: int
    """The CPU that was measured."""
    tsc_hz: float
    """Frequency of the time-stamp counter."""
    began_tsc: int
    """The time-stamp counter when it began, as `began_tsc` of trials."""
    ended_tsc: int
    """And when it ended."""
    hit_cycles: float
    """Median of timed accesses to a working set of twice the L2, reading the clock included."""
    miss_cycles: float
    """Median of timed accesses to lines that were flushed; a survivor costs less than the geometric
    mean of both."""
    survival: Annotated[tuple[SurvivalPoint, ...], BeforeValidator(listed)]
    """Survival in the caches by age, for working sets of 1 to 64 MiB at three paces."""
    streamed: StreamedSurvival | None = None
    """The same next to another CPU's stream; None where there is none, or in states of before."""
    stream_lines_per_cycle: Estimate
    """Lines a TSC cycle that one CPU reads from memory in order, alone."""
    neighbour_lines_per_cycle: float | None
    """The same of another CPU while this one makes random accesses; None where there is none."""
    memory: Annotated[tuple[LoadPoint, ...], BeforeValidator(listed)]
    """Random accesses, alone and next to the other CPU's stream."""
    walks: Annotated[tuple[WalkPoint, ...], BeforeValidator(listed)]
    """What page walks add, by number of pages."""
    conflicts: PageConflicts | None = None
    """Of lines a page apart; None: not measured."""
    handoff_ns: float | None = None
    """What a cache line took to another CPU, the longer of before and after; None where unknown."""

    def rise(self) -> tuple[float, float] | None:
        """(GB/s that the other CPU streams, times by which it raises what a line of memory takes):
        the geometric mean over how many lines are asked for at once. None where no other streams.
        """
        stream, times = self.neighbour_lines_per_cycle, list(self.rises().values())
        if not stream or not times:
            return None
        return stream * self.tsc_hz * LINE_BYTES / 1e9, float(np.exp(np.mean(np.log(times))))

    def rises(self) -> dict[int, float]:
        """The same of so many lines asked for at once; none where no other streams."""
        alone = {point.width: point.cycles.value for point in self.memory if not point.loaded}
        return {
            point.width: point.cycles.value / alone[point.width]
            for point in self.memory
            if point.loaded and point.width in alone
        }

    def conflict_share(self) -> float | None:
        """How much longer lines a page apart take for lying at the same place of their pages, as a
        share of what memory takes longer than the last level; None where that was not measured."""
        if self.conflicts is None:
            return None
        longer = self.conflicts.same_cycles.value - self.conflicts.spread_cycles.value
        return longer / max(self.miss_cycles - self.hit_cycles, 1.0)

    def lifetime_seconds(self, beyond_bytes: int) -> float | None:
        """Age in seconds at which half of the lines are gone, from working sets above a size (the
        private cache's, which has survivors of its own). None if all or none survived."""
        points = sorted(
            (p for p in self.survival if p.working_set_bytes > beyond_bytes),
            key=lambda point: point.lap_seconds,
        )
        if not points:
            return None
        ages = np.log([point.lap_seconds for point in points])
        # Noise apart, an older line is no likelier to be there.
        shares = np.minimum.accumulate([point.survived for point in points])
        if shares[0] < 0.5 or shares[-1] >= 0.5:
            return None
        return float(np.exp(np.interp(-0.5, -shares, ages)))


def usual_states(states: Sequence[HostState]) -> list[HostState]:
    """Those in which the CPUs were where they usually are: a hypervisor moves them."""
    ways = [np.nan if state.handoff_ns is None else state.handoff_ns for state in states]
    return [
        state for state, there in zip(states, usual_looks(np.array(ways)), strict=True) if there
    ]


class HostStates(Noun):
    """The host's states during a run, in the order of time: ``host-state.json``."""

    states: Annotated[tuple[HostState, ...], BeforeValidator(listed)]
    """Before the first trial, about half-way, and after the last."""


class _Survival(Noun):
    bytes: int
    pace: float
    lap_cycles: float
    share: float
    cycles: float
    timed: int


class _Load(Noun):
    width: int
    loaded: bool
    cycles: list[float]


class _Walk(Noun):
    kind: Literal["in_order", "scattered", "huge"]
    pages: int
    width: int
    cycles: list[float]


class _Conflict(Noun):
    same: float
    spread: float


class _Output(Noun):
    """What ``planecast-probe --state`` prints."""

    state: Literal[1]
    complete: Literal[True]
    cpu: int
    tsc_hz: float
    began_tsc: int
    ended_tsc: int
    hit_cycles: float
    miss_cycles: float
    huge_share: float
    survival: list[_Survival]
    streamed_survival: list[_Survival]
    streamed: float
    conflicts: list[_Conflict]
    other: int
    other_stream: float
    stream: Annotated[list[float], Field(min_length=1)]
    memory: list[_Load]
    walks: list[_Walk]


def read_state(text: str) -> HostState:
    """The state that the probe printed. Raises RunError when it is not what this version knows."""
    try:
        raw = _Output.model_validate_json(text)
    except ValidationError as error:
        raise RunError(
            f"planecast-probe sent a malformed reply: {first_refusal(error)}",
            what_to_do=f"build it again with {how_to_build()}",
        ) from error
    return HostState(
        cpu=raw.cpu,
        tsc_hz=raw.tsc_hz,
        began_tsc=raw.began_tsc,
        ended_tsc=raw.ended_tsc,
        hit_cycles=raw.hit_cycles,
        miss_cycles=raw.miss_cycles,
        survival=_survival(raw.survival, raw.tsc_hz),
        streamed=StreamedSurvival(
            lines_per_second=raw.streamed * raw.tsc_hz,
            survival=_survival(raw.streamed_survival, raw.tsc_hz),
        )
        if raw.streamed_survival
        else None,
        stream_lines_per_cycle=_low(raw.stream, "lines/cycle", 0.75),
        neighbour_lines_per_cycle=raw.other_stream if raw.other >= 0 else None,
        memory=tuple(
            LoadPoint(width=p.width, loaded=p.loaded, cycles=_low(p.cycles)) for p in raw.memory
        ),
        walks=tuple(_walks(raw.walks)),
        conflicts=_conflicts(raw.conflicts),
    )


def _survival(found: Sequence[_Survival], tsc_hz: float) -> tuple[SurvivalPoint, ...]:
    return tuple(
        SurvivalPoint(
            working_set_bytes=point.bytes,
            cycles_per_line=point.pace,
            lap_seconds=point.lap_cycles / tsc_hz,
            survived=point.share,
            cycles=point.cycles,
        )
        for point in found
    )


def _conflicts(found: Sequence[_Conflict]) -> PageConflicts | None:
    if not found:
        return None
    return PageConflicts(
        same_cycles=_low([one.same for one in found]),
        spread_cycles=_low([one.spread for one in found]),
    )


def _walks(found: Sequence[_Walk]) -> Iterable[WalkPoint]:
    huge = {(walk.pages, walk.width): walk.cycles for walk in found if walk.kind == "huge"}
    for walk in found:
        if walk.kind != "huge" and (walk.pages, walk.width) in huge:
            yield WalkPoint(
                pages=walk.pages,
                placed=walk.kind,
                width=walk.width,
                cycles=_low(walk.cycles),
                huge_cycles=_low(huge[walk.pages, walk.width]),
            )


def _low(values: Sequence[float], unit: str = "cycles", probability: float = 0.25) -> Estimate:
    """The lower quartile of slices and a bootstrapped 95 % interval: what interrupts a slice makes
    it slower, never faster."""
    sample = np.asarray(values, dtype=np.float64)
    value, low, high = turn_quantile(sample, np.arange(sample.size), probability)
    return Estimate(
        value=value,
        low=min(low, value),
        high=max(high, value),
        samples=int(sample.size),
        unit=unit,
        kind="measured",
    )
