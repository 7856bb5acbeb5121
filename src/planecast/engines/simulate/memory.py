"""The memory system of a scenario, from the closed form: what of a packet's cost follows from how
much of the last cache level the lcores hold and from how long memory takes.

The closed form says what each stage costs with any size of the last level and any latency of
memory. A part is in proportion to that latency; the rest moves with the size alone, for it is hits
in the last level. So each stage is a constant, and two curves over the MiB held: latencies of
memory and of the last level that a packet waits for. All lcores are one tenant, for they share
tables. Who else is there (`interference.neighbour_*`) takes lines away and makes memory slower; so
does what the lcores themselves ask for. The simulator solves that again and again, as loads change.

With nobody else and an idle memory it comes to what the closed form says.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from planecast.engines.simulate import _simulator as sim
from planecast.engines.simulate.bare import bare
from planecast.engines.simulate.service import Service, StageService
from planecast.engines.solve import Calibration, predicted_cycles
from planecast.engines.solve.carry import carried
from planecast.engines.solve.delays import Delays
from planecast.engines.solve.hierarchy import LINE_BYTES, Hierarchy
from planecast.engines.solve.regions import facts_of
from planecast.engines.solve.site import HOST, Site, at_host
from planecast.errors import InputError
from planecast.instruments.machine_entry import likeness
from planecast.model.memory import Memory
from planecast.model.sharing import memory_of
from planecast.scenario.machine import Machine, machine_of
from planecast.scenario.scenario import Scenario

Floats = NDArray[np.float64]

TENANT = "lcores"
NEIGHBOUR = "neighbour"
MIB = 1 << 20
SLOWER_WORTH_IT = 0.002
"""Where all that the lcores can ask for makes memory slower by less, nothing is left out."""
_SIZES = 24
_LOADS = np.linspace(0.0, 1.3, 27)
_NONE = 1e-6
"""Share of the last level that holds next to nothing."""


@dataclass(frozen=True)
class StageMemory:
    """What a stage waits for, as curves over the MiB of the last level that the lcores hold."""

    held_mib: tuple[float, ...]
    llc_waits: tuple[float, ...]
    memory_waits: tuple[float, ...]
    llc_cycles: float
    """TSC cycles of a hit."""
    idle_cycles: float
    """TSC cycles of an idle memory."""
    accesses: float = 0.0
    """Lines a packet that come to the last level."""
    misses: tuple[float, ...] = ()
    """Share of them that goes on to memory."""

    @property
    def usual_cycles(self) -> float:
        """A packet's with all that the lcores may hold and an idle memory."""
        return self.cycles(self.held_mib[-1], self.idle_cycles)

    def cycles(self, held_mib: float, memory_cycles: float) -> float:
        """A packet's with so much of the last level and such a memory."""
        llc = float(np.interp(held_mib, self.held_mib, self.llc_waits))
        memory = float(np.interp(held_mib, self.held_mib, self.memory_waits))
        return llc * self.llc_cycles + memory * memory_cycles

    def curve(self, waits: Sequence[float]) -> list[sim.CurvePoint]:
        """A curve as the simulator takes it."""
        return [sim.CurvePoint(x=x, y=y) for x, y in zip(self.held_mib, waits, strict=True)]


@dataclass(frozen=True)
class MemorySystem:
    """What lcores share behind their own caches."""

    model: sim.Memory
    ways: int
    """Bit mask of those that the lcores may fill."""
    stages: Mapping[str, StageMemory]


def memory_system(scenario: Scenario, calibration: Calibration) -> MemorySystem | None:
    """The memory system, where anybody or anything in it makes a difference; else None.

    Raises InputError for a neighbour's ways of a host whose ways nobody knows.
    """
    neighbour = scenario.interference.neighbour_lines_per_s > 0
    if not neighbour and scenario.machine == HOST and len(scenario.placement.cpus) == 1:
        return None
    own = carried(calibration, Site.of(scenario)).calibration
    plain = at_host(bare(scenario))
    cache = _cache(scenario, own.hierarchy)
    lines = _lines(plain, own, cache)
    latency = _latency(scenario, own.hierarchy)
    if not neighbour:
        fastest = own.hierarchy.tsc_hz / float(predicted_cycles([plain], own).value[0])
        load = fastest * len(scenario.placement.cpus) * float(lines[-1]) * LINE_BYTES * 1e-9
        if latency.latency_ns(load) < (1 + SLOWER_WORTH_IT) * latency.idle_ns:
            return None
    model = sim.Memory(
        llc_ways=cache.ways,
        way_mib=cache.way_mib,
        llc_latency_ns=own.hierarchy.levels[-1].latency_cycles / own.hierarchy.tsc_hz * 1e9,
        latency_ns=[
            sim.CurvePoint(x=load, y=latency.latency_ns(load))
            for load in (_LOADS * latency.peak_gbs).tolist()
        ],
        neighbours=_neighbours(scenario, cache),
    )
    return MemorySystem(model, cache.mask, _stages(plain, own, cache, lines))


def with_memory(service: Service, system: MemorySystem, burst: int) -> Service:
    """The service with the memory system's part of each stage told apart: in full bursts of so many
    packets together as before."""
    return replace(
        service, stages=tuple(_told_apart(one, system.stages, burst) for one in service.stages)
    )


def settled(stage: StageService, answer: sim.Results, tsc_hz: float) -> StageService:
    """The stage with what memory cost it as the simulator solved it last."""
    if stage.memory is None or not answer.llc:
        return stage
    cycles = stage.memory.cycles(answer.llc[0].mib, answer.memory_latency_ns * 1e-9 * tsc_hz)
    return replace(stage, packet_cycles=stage.packet_cycles + cycles, memory=None)


def _told_apart(stage: StageService, stages: Mapping[str, StageMemory], burst: int) -> StageService:
    memory = stages.get(stage.name)
    if memory is None:
        return stage
    # Where bursts have most of the cost, what is in the packets' part may be less than memory's.
    left = stage.packet_cycles - memory.usual_cycles
    short = max(0.0, -left)
    return replace(
        stage,
        packet_cycles=max(left, 0.0),
        burst_cycles=max(0.0, stage.burst_cycles - short * burst),
        memory=memory,
    )


@dataclass(frozen=True)
class _Cache:
    """The last level as its users share it."""

    ways: int
    way_mib: float
    mask: int
    beside_bytes: float
    """What the lcores have beside their ways: lines that L2 alone holds."""

    @property
    def held_mib(self) -> float:
        """All that the lcores may hold of it."""
        return self.way_mib * self.mask.bit_count()

    def factors(self, hierarchy: Hierarchy) -> tuple[Floats, list[float]]:
        """Sizes held, MiB, up to all, and each as a multiple of the hierarchy's last level."""
        held = self.held_mib * np.linspace(0.0, 1.0, _SIZES + 1) ** 2
        size = hierarchy.levels[-1].size_bytes
        factors = np.maximum((self.beside_bytes + held * MIB) / size, _NONE)
        factors[-1] = 1.0
        return held, factors.tolist()


def _cache(scenario: Scenario, hierarchy: Hierarchy) -> _Cache:
    size = hierarchy.levels[-1].size_bytes
    if scenario.machine == HOST:
        return _Cache(1, size / MIB, 1, 0.0)
    machine = machine_of(scenario.machine)
    ways = int(machine.values.llc_ways.value)
    own = scenario.placement.llc_ways or ways
    beside = max(0.0, size - own * machine.way_bytes)
    return _Cache(ways, machine.way_bytes / MIB, (1 << own) - 1, beside)


def _neighbours(scenario: Scenario, cache: _Cache) -> list[sim.Neighbour]:
    """The neighbour; its ways are the highest ones, the lcores' the lowest."""
    found = scenario.interference
    if found.neighbour_lines_per_s == 0:
        return []
    own = found.neighbour_ways or cache.ways
    return [
        sim.Neighbour(
            name=NEIGHBOUR,
            llc_ways=((1 << own) - 1) << (cache.ways - own),
            lines_per_second=float(found.neighbour_lines_per_s),
            footprint_mib=found.neighbour_bytes / MIB,
        )
    ]


def _latency(scenario: Scenario, hierarchy: Hierarchy) -> Memory:
    """Memory by load: calibrated when idle, and as the machine's, or one's like it, from there."""
    idle_ns = hierarchy.memory_latency_cycles / hierarchy.tsc_hz * 1e9
    machine = _own_likeness() if scenario.machine == HOST else machine_of(scenario.machine)
    if machine is None:  # nobody knows: it then never gets slower
        return Memory(idle_ns, 1e3, rise=0.0)
    found = memory_of(machine)
    more = idle_ns / found.idle_ns
    points = tuple((gbs, ns * more) for gbs, ns in found.measured)
    return replace(found, idle_ns=idle_ns, measured=points)


@lru_cache(maxsize=1)
def _own_likeness() -> Machine | None:
    """The catalogue's machine with cores like this host's."""
    try:
        return likeness(None)
    except (InputError, OSError):
        return None


def _lines(plain: Scenario, calibration: Calibration, cache: _Cache) -> Floats:
    """Lines a packet from memory at each size; first those that come to the last level at all."""
    _, factors = cache.factors(calibration.hierarchy)
    sized = [
        calibration.hierarchy.with_last_level(factor * calibration.last_level_factor)
        for factor in [_NONE, *factors]
    ]
    return np.array([float(lines[0]) for _, lines in Delays(facts_of([plain])).on(sized)])


def _stages(
    plain: Scenario, calibration: Calibration, cache: _Cache, lines: Floats
) -> dict[str, StageMemory]:
    held, factors = cache.factors(calibration.hierarchy)
    near: list[dict[str, float]] = []
    steep: list[dict[str, float]] = []
    for factor in factors:
        hierarchy = calibration.hierarchy.with_last_level(factor)
        one, two = (
            _costs(plain, calibration, _memory_times(hierarchy, times)) for times in (1.0, 2.0)
        )
        steep.append({name: max(0.0, two[name] - one[name]) for name in one})
        near.append({name: one[name] - steep[-1][name] for name in one})
    last = calibration.hierarchy.levels[-1].latency_cycles
    idle = calibration.hierarchy.memory_latency_cycles
    found = {}
    for name in near[0]:
        rest = np.array([costs[name] for costs in near])
        found[name] = StageMemory(
            held_mib=tuple(held.tolist()),
            llc_waits=tuple(((rest - rest.min()) / last).tolist()),
            memory_waits=tuple((np.array([costs[name] for costs in steep]) / idle).tolist()),
            llc_cycles=last,
            idle_cycles=idle,
        )
    # All lines are counted where every packet passes.
    accesses = float(lines[0])
    share = lines[1:] / accesses if accesses > 0 else np.zeros(len(held))
    found["source"] = replace(
        found["source"], accesses=accesses, misses=tuple(np.minimum(share, 1.0).tolist())
    )
    return found


def _memory_times(hierarchy: Hierarchy, times: float) -> Hierarchy:
    """The hierarchy with a memory that takes so many times as long."""
    return hierarchy.model_copy(
        update={
            "memory_latency_cycles": hierarchy.memory_latency_cycles * times,
            "flights": tuple(
                one.model_copy(update={"line_cycles": one.line_cycles * times})
                for one in hierarchy.flights
            ),
        }
    )


def _costs(plain: Scenario, calibration: Calibration, hierarchy: Hierarchy) -> dict[str, float]:
    """TSC cycles a packet by stage."""
    at = calibration.model_copy(update={"hierarchy": hierarchy, "alternatives": ()})
    return {
        name: float(values[0])
        for name, (values, _) in predicted_cycles([plain], at).stages.items()
        if name in ("source", "tx") or name in plain.workload.stages
    }
