"""What lcores and neighbours share behind their own caches: ways of the last level, and memory."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from planecast.engines.simulate import _simulator as sim
from planecast.machine.hierarchy import Hierarchy
from planecast.machine.memory import Memory
from planecast.machine.tenants import memory_of
from planecast.model.site import HOST
from planecast.scenario.machine import machine_of
from planecast.scenario.scenario import Scenario

Floats = NDArray[np.float64]

MIB = 1 << 20
_SIZES = 24
NONE = 1e-6
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
class LastLevel:
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
        factors = np.maximum((self.beside_bytes + held * MIB) / size, NONE)
        factors[-1] = 1.0
        return held, factors.tolist()


def last_level(scenario: Scenario, hierarchy: Hierarchy) -> LastLevel:
    """That of the scenario's machine; this host's has one way, for nobody knows how many."""
    size = hierarchy.levels[-1].size_bytes
    if scenario.machine == HOST:
        return LastLevel(1, size / MIB, 1, 0.0)
    machine = machine_of(scenario.machine)
    ways = int(machine.values.llc_ways.value)
    own = scenario.placement.llc_ways or ways
    beside = max(0.0, size - own * machine.way_bytes)
    return LastLevel(ways, machine.way_bytes / MIB, (1 << own) - 1, beside)


def memory_by_load(scenario: Scenario, hierarchy: Hierarchy) -> Memory:
    """Memory by load: calibrated when idle, and from there as the closed form has it of this host,
    as the catalogue of another machine."""
    if scenario.machine == HOST:
        return hierarchy.memory_by_load()
    idle_ns = hierarchy.memory_latency_cycles / hierarchy.tsc_hz * 1e9
    found = memory_of(machine_of(scenario.machine))
    more = idle_ns / found.idle_ns
    points = tuple((gbs, ns * more) for gbs, ns in found.measured)
    return replace(found, idle_ns=idle_ns, measured=points)
