"""Clock domains: what scales with the core's clock, and what takes its nanoseconds all the same.

A packet costs core cycles, and time in last-level cache, interconnect and memory, whose clocks are
their own: cycles(f) = core + fixed_ns * f. So throughput grows less than linearly with the core's
clock, as an outcome. How much is fixed is a published fit's share (`forwarding_fixed_share`); by
program, from top-down shares, it would be farther off (docs/explanation/prediction.md).
"""

from __future__ import annotations

from typing import Literal, NamedTuple, Self

from planecast.errors import InputError
from planecast.scenario.machine import Machine

Priority = Literal["high", "low"]

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


def forwarding_fixed_share(uncore_ghz: float = UNCORE_GHZ) -> float:
    """Share of a packet's time that follows the uncore's clock, by the published fit."""
    return UNCORE_NS / uncore_ghz / (REST_NS + UNCORE_NS / uncore_ghz)


def core_ghz(machine: Machine, active_cores: int = 0, priority: Priority | None = None) -> float:
    """The clock of a core: base without turbo (0 active cores), else turbo by active cores.

    Between one active core and all of them it falls evenly. With Speed Select Base Frequency a
    priority has a base clock of its own. Raises InputError for a machine that has no such classes,
    and for more active cores than it has.
    """
    values = machine.values
    if priority is not None:
        found = values.high_priority_ghz if priority == "high" else values.low_priority_ghz
        if found is None:
            raise InputError(
                f"{machine.title} has no cores of {priority} priority",
                "machine",
                "machines that have them: gold-6230n, gold-5218n, gold-6252n",
            )
        return found.value
    if active_cores == 0:
        return values.base_ghz.value
    if not 0 < active_cores <= values.cores.value:
        raise InputError(
            f"got {active_cores} active cores, but {machine.title} has {values.cores.value:g}",
            "machine",
        )
    one, every = values.turbo_one_core_ghz.value, values.turbo_all_cores_ghz.value
    along = (active_cores - 1) / max(1.0, values.cores.value - 1)
    return one + (every - one) * along


def beyond_turbo(machine: Machine, ghz: float) -> list[str]:
    """What a reader should know of a clock that no core of a machine reaches; else nothing."""
    most = machine.values.turbo_one_core_ghz.value
    if ghz <= most * (1 + 1e-6):
        return []
    return [f"{ghz:g} GHz are more than the {most:g} GHz that a core of {machine.title} reaches"]
