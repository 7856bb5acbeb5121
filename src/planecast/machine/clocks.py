"""Clock domains: what scales with the core's clock, and what takes its nanoseconds all the same.

A packet costs core cycles, and time in last-level cache, interconnect and memory, whose clocks are
their own: cycles(f) = core + fixed_ns * f. So throughput grows less than linearly with the core's
clock, as an outcome. How much is fixed is a published fit's share (`forwarding_fixed_share`); by
program, from top-down shares, it would be farther off (docs/explanation/prediction.md).
"""

from __future__ import annotations

from typing import NamedTuple, Self

from planecast.errors import InputError
from planecast.scenario.machine import Machine
from planecast.scenario.placement import CorePriority

UNCORE_NS = 17.7
"""Forwarding took 128.4 + 17.7 / f ns a packet on Haswell and later, f the uncore's GHz from 1.2 to
2.4: a published fit, within 0.56 %."""
REST_NS = 128.4
UNCORE_GHZ = 2.4
"""The uppermost clock that the fit covers."""


class Clocked(NamedTuple):
    """Cost of a packet in two clock domains."""

    core_cycles: float
    fixed_ns: float

    @classmethod
    def split(cls, cycles: float, ghz: float, fixed: float) -> Self:
        """A cost that was found at `ghz`, of which the share `fixed` doesn't follow the core."""
        return cls(cycles * (1 - fixed), cycles * fixed / ghz)

    def cycles(self, ghz: float) -> float:
        """Core cycles a packet at a core clock. Rises with it; raises ValueError without clock."""
        if ghz <= 0:
            raise ValueError(f"a clock of {ghz:g} GHz")
        return self.core_cycles + self.fixed_ns * ghz

    def pps(self, ghz: float) -> float:
        """Packets a second of one core. Rises with its clock."""
        return ghz * 1e9 / self.cycles(ghz)


def forwarding_fixed_share() -> float:
    """Share of a packet's time that follows the uncore's clock, by the published fit."""
    return UNCORE_NS / UNCORE_GHZ / (REST_NS + UNCORE_NS / UNCORE_GHZ)


def core_ghz(machine: Machine, priority: CorePriority = "none") -> float:
    """The base clock of a core; with Speed Select Base Frequency a priority has one of its own.

    Raises InputError for a priority on a machine that has no such classes.
    """
    values = machine.values
    if priority == "none":
        return values.base_ghz.value
    found = values.high_priority_ghz if priority == "high" else values.low_priority_ghz
    if found is None:
        raise InputError(
            f"{machine.title} has no cores of {priority} priority",
            "machine",
            "machines that have them: gold-6230n, gold-5218n, gold-6252n",
        )
    return found.value


def beyond_turbo(machine: Machine, ghz: float) -> list[str]:
    """What a reader should know of a clock that no core of a machine reaches; else nothing."""
    most = machine.values.turbo_one_core_ghz.value
    if ghz <= most * (1 + 1e-6):
        return []
    return [f"{ghz:g} GHz are more than the {most:g} GHz that a core of {machine.title} reaches"]
