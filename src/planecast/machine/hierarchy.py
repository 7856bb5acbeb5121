"""The memory hierarchy that the model computes with, as the probe measured it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated, Self

import numpy as np
from numpy.typing import NDArray
from pydantic import Field

from planecast.machine.memory import ASSUMED_GBS, Memory
from planecast.machine.memory_next_to_stream import rise_by_load, rise_by_width
from planecast.machine.page_conflicts import page_conflicts
from planecast.machine.survival import Lifetime, fitted_lifetime, fitted_stream_share
from planecast.machine.tlb_reach import reach
from planecast.scenario.machine import Machine
from planecast.scenario.model import ListOf, Noun

if TYPE_CHECKING:
    from planecast.instruments.host_state import HostState
    from planecast.instruments.loaded_latency import LoadedLatency
    from planecast.instruments.machine_probe import CacheLevel, MachineProbe, PagePoint

Floats = NDArray[np.float64]
Pair = Annotated[tuple[float, float], Field(strict=False)]

FEW_PAGES = 256
"""Whose lines, one in each, fit the L1 of any server core: what a chase over them takes longer is
translation."""
LEAST_MISS_CYCLES = 1.0
"""A smaller step is the chase's noise: the next level of a TLB takes several cycles."""
ASSUMED_WALKERS = 4.0
"""Of a core that was not probed: server cores since 2015 have two to six page walkers."""
RANDOM_SHAPE = 1.0
"""Shape of lines' lifetimes in a cache that evicts at random (`machine.cache_sharing`)."""


class Level(Noun):
    """One cache level as it serves one core."""

    name: str
    size_bytes: Annotated[float, Field(gt=0)]
    """Bytes that this machine really gets of it."""
    latency_cycles: Annotated[float, Field(gt=0)]
    """TSC cycles of a hit, each access waiting for the one before."""
    line_cycles: Annotated[float, Field(gt=0)]
    """TSC cycles a line with eight accesses in flight, as the stages have them at least."""
    shared: bool
    """All forwarding lcores share it; otherwise each has its own."""
    shape: Annotated[float, Field(ge=1, le=64)] = 16.0
    """Of its lines' lifetimes: its ways where the least recently used of a set is evicted, 1 where
    any is (`machine.cache_sharing`)."""


class Flight(Noun):
    """Lines of memory that are asked for together, then used."""

    width: Annotated[int, Field(ge=1)]
    """Misses in flight."""
    line_cycles: Annotated[float, Field(gt=0)]
    """TSC cycles a line."""


class Transfer(Noun):
    """What a line costs that another core wrote last, in TSC cycles."""

    alone_cycles: Annotated[float, Field(ge=0)]
    """One that is waited for."""
    read_cycles: Annotated[float, Field(ge=0)]
    """Each of many that are read together."""
    write_cycles: Annotated[float, Field(ge=0)]
    """Each of many that are written together."""


class SharedMemory(Noun):
    """What is known of the memory that all cores share."""

    idle_ns: Annotated[float, Field(gt=0)]
    """Latency without load."""
    peak_gbs: Annotated[float, Field(gt=0)]
    """GB/s that reads reach at most."""
    loaded: ListOf[Pair] = ()
    """(GB/s, ns) under traffic, where it was measured."""

    @classmethod
    def of(cls, machine: Machine) -> Self:
        """As the catalogue has a machine's socket."""
        values = machine.values
        return cls(
            idle_ns=values.memory_idle_ns.value,
            peak_gbs=values.memory_gbs.value,
            loaded=tuple((point.gbs, point.ns) for point in values.memory_loaded),
        )

    def curve(self) -> Memory:
        """Its latency by load."""
        return Memory(self.idle_ns, self.peak_gbs, measured=self.loaded)


class Ways(Noun):
    """How the last level is divided."""

    own: Annotated[int, Field(ge=1)]
    """Ways that the lcores may fill: the lowest."""
    of: Annotated[int, Field(ge=1)]
    """Ways that there are."""


class TlbLevel(Noun):
    """A level of the TLB, as chases over few pages show the first one."""

    pages: Annotated[float, Field(gt=0)]
    """Of 4 KiB, that it holds at least."""
    miss_cycles: Annotated[float, Field(gt=0)]
    """TSC cycles that a touch takes longer that misses it and waits for the one before."""
    large_share: Annotated[float, Field(ge=0, le=1)]
    """Of these, what parts of 4 KiB of a larger page take: 0 where one entry holds all of it."""

    def at_clock(self, ratio: float) -> Self:
        """The same on a core whose clock is so many times as fast."""
        return self.model_copy(update={"miss_cycles": self.miss_cycles / ratio})

    @classmethod
    def of(cls, chases: Sequence[PagePoint]) -> Self | None:
        """From a probe's chases; None where none over few pages takes longer than the shortest."""
        few = sorted((p for p in chases if p.pages <= FEW_PAGES), key=lambda p: p.pages)
        if not few:
            return None
        near, far = few[0], few[-1]
        missed = far.small_cycles.value - near.small_cycles.value
        if missed < LEAST_MISS_CYCLES:
            return None
        large = 0.0
        if near.huge_cycles is not None and far.huge_cycles is not None:
            large = (far.huge_cycles.value - near.huge_cycles.value) / missed
        half = near.small_cycles.value + missed / 2
        return cls(
            pages=max(p.pages for p in few if p.small_cycles.value <= half),
            miss_cycles=missed,
            large_share=min(max(large, 0.0), 1.0),
        )


class Hierarchy(Noun):
    """Caches, memory and address translation of a machine. Cycles are the TSC's."""

    tsc_hz: Annotated[float, Field(gt=0)]
    core_hz: Annotated[float, Field(gt=0)]
    """Clock that the core ran at while it was probed."""
    levels: Annotated[ListOf[Level], Field(min_length=1)]
    """From the nearest to the last."""
    memory_latency_cycles: Annotated[float, Field(gt=0)]
    flights: Annotated[ListOf[Flight], Field(min_length=1)]
    """Cycles a line from memory by the number of misses in flight, ascending."""
    walk_cycles: Annotated[float, Field(ge=0)]
    """What a page walk adds to a line that is asked for with others, beyond the TLB's reach."""
    lone_walk_cycles: Annotated[float, Field(ge=0)] = 0.0
    """What one adds that is waited for, in pages in no order; 0: not measured."""
    walks_at_once: Annotated[float, Field(ge=1)] = ASSUMED_WALKERS
    """Page walks that a core does together."""
    tlb_pages: Annotated[float, Field(gt=0)]
    """Small pages that the TLB holds (`planecast.machine.tlb_reach`)."""
    first_tlb: TlbLevel | None = None
    """None: not measured."""
    transfer: Transfer | None = None
    """Lines from other cores' caches; None: not measured."""
    memory: SharedMemory | None = None
    """Of machines of the catalogue: memory slows down with what all lcores ask of it."""
    loaded: ListOf[Pair] = ()
    """This host's memory under traffic: (GB/s, times the idle latency), by rising traffic, as
    `machine probe` measured it, else next to one CPU's stream (`HostState`)."""
    rise_by_width: ListOf[Pair] = ()
    """(Lines asked for together, power of the rise above that they show): lone lines wait for their
    latency, many for their turn, which traffic takes from them."""
    memory_peak_gbs: Annotated[float, Field(gt=0)] | None = None
    """GB/s that memory gives at most, where that is known of this host."""
    ways: Ways | None = None
    """Of machines of the catalogue, too; None: undivided, unless known otherwise."""
    stream_lines_per_cycle: Annotated[float, Field(ge=0)] = 0.0
    """Lines a TSC cycle that one core reads of memory in order; 0: not measured."""
    llc_page_conflicts: Annotated[float, Field(ge=1)] = 1.0
    """How many times as densely lines that lie a page apart fill the sets of the last level that
    they meet in; 1: they meet in all (`planecast.machine.page_conflicts`)."""
    last_level_lifetime_ms: Annotated[float, Field(gt=0)] | None = None
    """How long they found a line to stay that nobody here touches; None: not measured."""
    stream_share: Pair | None = None
    """Of the lines that another CPU reads in order, the share that takes room in the last level, as
    paced walks found it, and the spread of its logarithm; None: not measured."""
    background: bool = False
    """Others that nobody names may use the last level: a tenant's view of a shared host."""

    @property
    def tsc_per_core_cycle(self) -> float:
        """TSC cycles of a cycle of the core, at the clock that it was probed at."""
        return self.tsc_hz / self.core_hz

    @classmethod
    def of(
        cls,
        probe: MachineProbe,
        loaded: LoadedLatency | None = None,
        states: Sequence[HostState] = (),
    ) -> Self:
        """The hierarchy of a probed machine. The last level counts as shared. `states` are the
        host's during a run; without them that of the probe counts."""
        states = states or ([] if probe.state is None else [probe.state])
        last = probe.levels[-1].name
        levels: list[Level] = []
        for level in probe.levels:
            size = level.fast_size_bytes or level.size_bytes
            shared = level.name == last
            # Of a shared level the whole is what the kernel says; how much of it a tenant gets is
            # known from how long its lines stay, which is fitted.
            claimed = float(level.claimed_bytes or size.value)
            levels.append(
                Level(
                    name=level.name,
                    size_bytes=max(claimed, size.value) if shared else size.value,
                    # Unknown tenants come and go: whatever a shared level evicts, a line stays for
                    # a random time, unless paced walks say more.
                    shape=RANDOM_SHAPE if shared else float(min(max(level.ways or 8, 1), 64)),
                    latency_cycles=level.latency_cycles.value,
                    line_cycles=_line_cycles(probe, levels, level),
                    shared=shared,
                )
            )
        own = [level.size_bytes for level in levels if not level.shared]
        walks = [point for state in states for point in state.survival]
        lifetime = fitted_lifetime(walks, levels[-1].size_bytes, max(own, default=0.0))
        if lifetime is not None:
            levels[-1] = levels[-1].model_copy(update={"shape": lifetime.shape})
        huge = [flight for flight in probe.flights if flight.page_size == "2MiB"]
        translation = probe.translation()
        return cls(
            tsc_hz=probe.tsc_hz,
            core_hz=probe.core_hz,
            levels=tuple(levels),
            memory_latency_cycles=probe.memory_latency_cycles.value,
            flights=tuple(
                Flight(width=flight.width, line_cycles=flight.prefetch_cycles.value)
                for flight in sorted(huge, key=lambda flight: flight.width)
            )
            or (Flight(width=1, line_cycles=probe.memory_latency_cycles.value),),
            walk_cycles=translation.together_cycles,
            lone_walk_cycles=translation.lone_cycles,
            walks_at_once=translation.at_once or ASSUMED_WALKERS,
            tlb_pages=reach(translation),
            first_tlb=TlbLevel.of(probe.pages),
            stream_lines_per_cycle=probe.stream_lines_per_cycle,
            llc_page_conflicts=page_conflicts(states),
            background=True,
            last_level_lifetime_ms=None if lifetime is None else lifetime.lifetime_ms,
            stream_share=_stream_share(states, lifetime, levels, max(own, default=0.0)),
            transfer=_transfer(probe),
            loaded=rise_by_load(states, loaded),
            rise_by_width=rise_by_width(states),
        )

    def memory_by_load(self) -> Memory:
        """Memory's latency by all that is asked of it: of a machine of the catalogue as it has it;
        of this host as it was probed, else of the usual shape up to its peak, or an assumed one."""
        if self.memory is not None:
            return self.memory.curve()
        idle_ns = self.memory_latency_cycles / self.tsc_hz * 1e9
        measured = tuple((gbs, times * idle_ns) for gbs, times in self.loaded)
        return Memory(idle_ns, self.memory_peak_gbs or ASSUMED_GBS, measured=measured)

    def memory_source(self) -> str:
        """Where that latency is from, in words."""
        if self.memory is not None:
            return "memory's latency under load is the catalogue's"
        peak = self.memory_peak_gbs
        beyond = "assumed" if peak is None else "as the study says"
        shape = f"the usual shape up to {peak or ASSUMED_GBS:g} GB/s, {beyond}"
        if self.loaded:
            most = self.loaded[-1][0]
            return f"memory's latency under load is as probed here to {most:.3g} GB/s, then {shape}"
        return (
            f"memory's latency under load has {shape}; planecast machine probe measures it for "
            "what is calibrated after it"
        )

    @property
    def stream_line_cycles(self) -> float:
        """TSC cycles a line of memory where lines follow each other, and the core's prefetchers ask
        for them; of machines whose stream is not known as of lines at random places."""
        rate = self.stream_lines_per_cycle
        return min(self.memory_line_cycles, 1 / rate) if rate else self.memory_line_cycles

    @property
    def memory_line_cycles(self) -> float:
        """Least TSC cycles that one core needs for a line at a random place of memory, with many
        misses in flight."""
        return min(flight.line_cycles for flight in self.flights)

    def line_cycles(self, width: Floats, rise: Floats | float = 1.0) -> Floats:
        """Cycles a line from memory when so many are asked for together: log-log interpolation.
        Next to others that raise memory's latency so many times, each width has its share of it."""
        asked = np.log(width)
        known = np.log([flight.width for flight in self.flights])
        cycles = np.log([flight.line_cycles for flight in self.flights])
        idle = np.exp(np.interp(asked, known, cycles))
        if not self.rise_by_width:
            return np.asarray(idle * rise)
        widths, powers = zip(*self.rise_by_width, strict=True)
        return np.asarray(idle * np.power(rise, np.interp(asked, np.log(widths), powers)))

    def near_cycles(self, level: Level, width: Floats) -> Floats:
        """Cycles a line of a cache when so many are asked for together: its latency shared by them,
        until the line's own rate limits."""
        return np.asarray(np.maximum(level.latency_cycles / width, level.line_cycles))

    def with_memory(self, times: float) -> Hierarchy:
        """The same with memory's latency times this factor."""
        flights = tuple(
            flight.model_copy(update={"line_cycles": flight.line_cycles * times})
            for flight in self.flights
        )
        latency = self.memory_latency_cycles * times
        return self.model_copy(update={"memory_latency_cycles": latency, "flights": flights})

    def with_last_level(self, factor: float) -> Hierarchy:
        """The same with the last cache level `factor` times as large."""
        last = self.levels[-1]
        larger = last.model_copy(update={"size_bytes": last.size_bytes * factor})
        return self.model_copy(update={"levels": (*self.levels[:-1], larger)})


def _stream_share(
    states: Sequence[HostState],
    lifetime: Lifetime | None,
    levels: Sequence[Level],
    private_bytes: float,
) -> tuple[float, float] | None:
    """`Hierarchy.stream_share` by a run's looks at the host; None where nobody streamed."""
    streamed = [state.streamed for state in states if state.streamed is not None]
    if lifetime is None or not streamed:
        return None
    return fitted_stream_share(streamed, lifetime, levels[-1].size_bytes, private_bytes)


_IN_FLIGHT = 8  # chases at once behind the probe's fast curve


def _line_cycles(probe: MachineProbe, nearer: list[Level], level: CacheLevel) -> float:
    """Cycles a line of a level with eight in flight: the fast curve half-way up to its size."""
    lone = level.latency_cycles.value / _IN_FLIGHT
    if not nearer or not probe.fast_curve:
        return lone
    size = level.fast_size_bytes or level.size_bytes
    middle = (nearer[-1].size_bytes * size.value) ** 0.5
    curve = [(point.size_bytes, point.cycles.value) for point in probe.fast_curve]
    # The nearest measured set; never cheaper than the level before.
    found = min(curve, key=lambda point: abs(np.log(point[0] / middle)))[1]
    return float(max(found, nearer[-1].line_cycles))


def _transfer(probe: MachineProbe) -> Transfer | None:
    """From another core; hardware threads of one share their caches."""
    threads = {pair.other for pair in probe.pairs if pair.siblings}
    found = next((one for one in probe.transfers if one.other not in threads), None)
    if found is None:
        return None
    return Transfer(
        alone_cycles=found.alone_cycles.value,
        read_cycles=found.read_cycles.value,
        write_cycles=found.write_cycles.value,
    )
