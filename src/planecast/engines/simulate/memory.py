"""The memory system of a scenario, from the closed form: what of a packet's cost follows from how
much of the last cache level the lcores hold and from how long memory takes.

The closed form says what each stage costs with any size of the last level and any latency of
memory. A part is in proportion to that latency; the rest moves with the size alone, for it is hits
in the last level. So each stage is a constant, and two curves over the MiB held: latencies of
memory and of the last level that a packet waits for. All lcores are one tenant, for they share
tables. Who else is there (`neighbour`) takes lines away and makes memory slower; so does what the
lcores themselves ask for. The simulator solves that again and again, as loads change; how hard a
neighbour presses, the closed form tells (`neighbours.py`).

With nobody else and an idle memory it comes to what the closed form says.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from planecast.engines.simulate import _simulator as sim
from planecast.engines.simulate.bare import alone, bare
from planecast.engines.simulate.neighbours import Pressure, pressure
from planecast.engines.simulate.service import Service, StageService, services
from planecast.engines.simulate.shared import (
    NONE,
    LastLevel,
    StageMemory,
    last_level,
    memory_by_load,
)
from planecast.engines.solve.delays import Delays
from planecast.engines.solve.regions import facts_of
from planecast.machine.hierarchy import Hierarchy
from planecast.model.calibration import Calibration
from planecast.model.prediction import predict
from planecast.model.site import HOST, Site, at_host
from planecast.model.transfer import transferred
from planecast.scenario.machine import LINE_BYTES
from planecast.scenario.scenario import Scenario

Floats = NDArray[np.float64]

TENANT = "lcores"
SLOWER_WORTH_IT = 0.002
"""Where all that the lcores can ask for makes memory slower by less, nothing is left out."""
_LOADS = np.linspace(0.0, 1.3, 27)


@dataclass(frozen=True)
class MemorySystem:
    """What lcores share behind their own caches."""

    model: sim.Memory
    ways: int
    """Bit mask of those that the lcores may fill."""
    stages: Mapping[str, StageMemory]
    calibration: Calibration
    """At the scenario's site, with an idle memory."""


def memory_system(scenario: Scenario, calibration: Calibration) -> MemorySystem | None:
    """The memory system, where anybody or anything in it makes a difference; else None.

    Raises InputError as `carried` does.
    """
    busy = scenario.neighbour.touched_bytes > 0
    if not busy and scenario.machine == HOST:
        return None  # what its lcores ask of memory themselves is in what was measured
    loaded = transferred(calibration, Site.of(scenario)).calibration
    own = _with_idle_memory(loaded)
    plain = alone(at_host(bare(scenario)))
    cache = last_level(scenario, own.hierarchy)
    lines = _lines(plain, own, cache)
    latency = memory_by_load(scenario, own.hierarchy)
    stages = _stages(plain, own, cache, lines)
    beside = Pressure([], 0.0)
    if busy:
        beside = pressure(scenario, loaded, idle=own, cache=cache, stages=stages, memory=latency)
    if not beside.model:
        fastest = own.hierarchy.tsc_hz / float(predict([plain], own).value[0])
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
        neighbours=beside.model,
        background_gbps=beside.background_gbs,
    )
    return MemorySystem(model, cache.mask, stages, own)


def _with_idle_memory(calibration: Calibration) -> Calibration:
    """What load does to memory is solved here, not by the closed form: it would count twice."""
    idle = calibration.hierarchy.model_copy(update={"memory": None})
    return calibration.model_copy(update={"hierarchy": idle})


def idle_service(scenario: Scenario, system: MemorySystem) -> Service:
    """What bursts cost without neighbours and with an idle memory."""
    (found,) = services([alone(at_host(bare(scenario)))], system.calibration)
    return found


def with_memory(service: Service, system: MemorySystem, burst: int) -> Service:
    """The idle service with the memory system's part of each stage told apart: in full bursts of so
    many packets together as before."""
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


def _lines(plain: Scenario, calibration: Calibration, cache: LastLevel) -> Floats:
    """Lines a packet from memory at each size; first those that come to the last level at all."""
    _, factors = cache.factors(calibration.hierarchy)
    sized = [
        calibration.hierarchy.with_last_level(factor * calibration.last_level_factor)
        for factor in [NONE, *factors]
    ]
    return np.array([float(lines[0]) for _, lines in Delays(facts_of([plain])).on(sized)])


def _stages(
    plain: Scenario, calibration: Calibration, cache: LastLevel, lines: Floats
) -> dict[str, StageMemory]:
    held, factors = cache.factors(calibration.hierarchy)
    near: list[dict[str, float]] = []
    steep: list[dict[str, float]] = []
    for factor in factors:
        hierarchy = calibration.hierarchy.with_last_level(factor)
        one, two = (
            _costs(plain, calibration, hierarchy.with_memory(times)) for times in (1.0, 2.0)
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


def _costs(plain: Scenario, calibration: Calibration, hierarchy: Hierarchy) -> dict[str, float]:
    """TSC cycles a packet by stage."""
    at = calibration.model_copy(update={"hierarchy": hierarchy, "alternatives": ()})
    return {
        name: float(values[0])
        for name, (values, _) in predict([plain], at).stages.items()
        if name in ("source", "tx") or name in plain.workload.stages
    }
