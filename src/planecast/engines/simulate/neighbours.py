"""A scenario's neighbours as the simulator's, whose caches replace lines at random.

The closed form's replace nearly the least recently used ones, as measured caches do: lines that
lcores touch again and again stay, beside a stream that at random would take most of the cache. So
the neighbours press on the lcores as hard as makes both agree at full load: they bring in so many
lines that what they leave costs the lcores what the closed form says (`solve.beside`), but no more
than they really touch. What they move besides passes the cache by. At part load the lcores bring in
less beside the same neighbours.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from planecast.engines.simulate import _simulator as sim
from planecast.engines.simulate.bare import alone, bare
from planecast.engines.simulate.shared import MIB, LastLevel, StageMemory
from planecast.engines.solve.engine import neighbours_of
from planecast.machine.memory import Memory
from planecast.model.calibration import Calibration
from planecast.model.prediction import predict
from planecast.model.site import at_host
from planecast.scenario.machine import LINE_BYTES
from planecast.scenario.scenario import Scenario
from planecast.workload.scenario_columns import ScenarioColumns

NEIGHBOUR = "neighbour"
MOST_MIB = 1e6
"""Footprint that the simulator takes at most; to any cache it is a stream."""
_GB = LINE_BYTES / 1e9
_HALVINGS = 40
_HOLDS_ON = 1e-3  # as in native/simulator: who has all its lines holds on by what it touches
_LEAST, _MOST = 1e-4, 1 - 1e-6


@dataclass(frozen=True)
class Pressure:
    """What neighbours do to the last level and to memory."""

    model: list[sim.Neighbour]
    """All as one; none where their working sets stay in their own cores' caches."""
    background_gbs: float
    """What they move to and from memory beside that."""


def pressure(
    scenario: Scenario,
    calibration: Calibration,
    *,
    idle: Calibration,
    cache: LastLevel,
    stages: Mapping[str, StageMemory],
    memory: Memory,
) -> Pressure:
    """Of the scenario's neighbours. `calibration` is carried to its site, `idle` the same with an
    idle memory; `stages` wait for `cache` and `memory`."""
    asked = ScenarioColumns.of([at_host(bare(scenario))])
    found, _ = neighbours_of(asked, calibration)
    if found is None or float(found.lines_per_s[0]) == 0:
        return Pressure([], 0.0)
    assert found.memory_gbs is not None
    theirs = float(found.memory_gbs[0])
    cost = float(predict(asked, calibration).value[0])
    quiet = float(predict([alone(at_host(bare(scenario)))], idle).value[0])
    pps = calibration.hierarchy.tsc_hz * float(asked.lcores[0]) / cost
    source = stages["source"]

    def missed(held_mib: float) -> float:
        """Lines a second that the lcores fetch from memory."""
        share = float(np.interp(held_mib, source.held_mib, source.misses))
        return pps * source.accesses * share

    def added(held_mib: float) -> float:
        latency_ns = memory.latency_ns(missed(held_mib) * _GB + theirs)
        cycles = latency_ns * 1e-9 * calibration.hierarchy.tsc_hz
        return sum(one.cycles(held_mib, cycles) - one.usual_cycles for one in stages.values())

    low, high = 0.0, cache.held_mib
    for _ in range(_HALVINGS):
        middle = (low + high) / 2
        low, high = (middle, high) if added(middle) > cost - quiet else (low, middle)
    brought = max(missed(high), _HOLDS_ON * pps * source.accesses)
    footprint = min(scenario.neighbour.all_bytes / MIB / calibration.last_level_factor, MOST_MIB)
    ways = scenario.neighbour.ways or cache.ways
    both = max(0, cache.mask.bit_count() + ways - cache.ways)  # theirs are the highest
    lines, missing = float(found.lines_per_s[0]), 0.0
    if both:
        own = high / cache.way_mib - (cache.mask.bit_count() - both)
        kept = min(max(own / both, _LEAST), _MOST)
        held = cache.way_mib * (ways - both * kept)
        missing = max(0.0, 1 - held / footprint)
        # Each way is split by the lines that are brought in.
        lines = min(lines, brought * (1 - kept) / kept / max(missing, _HOLDS_ON))
    else:
        missing = max(0.0, 1 - cache.way_mib * ways / footprint)
    model = sim.Neighbour(
        name=NEIGHBOUR,
        llc_ways=((1 << ways) - 1) << (cache.ways - ways),
        lines_per_second=lines,
        # The lcores' curves are over the size as probed, in which as many lines lie as in the one
        # that fitted: what the neighbours touch is so much less, too.
        footprint_mib=footprint,
    )
    return Pressure([model], max(0.0, theirs - lines * missing * _GB))
