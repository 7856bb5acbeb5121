"""Core: instructions at so many cycles each, with every access near.

cycles = I_s(n) · CPI · e_s, with the instructions I_s of stage s in bursts of n, as counted, one
CPI of the machine for all code, and a factor e_s by which stage s deviates: its mix of instructions
and its dependences. The e_s are shrunken effects: log-normal around 1, so few points move them
little. A stage that stores faster than that takes what its stores do (`machine.store_buffer`).
Sources: the vPE study's Fig 6; Clapp et al., IISWC 2015 (the intercept of CPI over misses).
"""

from __future__ import annotations

from planecast.machine.hierarchy import Hierarchy
from planecast.machine.mechanism import Mechanism, Term, Values
from planecast.machine.parameter import Parameter
from planecast.machine.store_buffer import store_waits
from planecast.workload.profile import WorkloadProfile

CPI = "core.cpi"
EFFECT = "core.cpi:"
"""Followed by a stage: the factor on its CPI."""
BURST = "core.burst"

USUAL_CPI = 0.3
"""IPC of 2 to 4.5 without misses: BSDP's data planes with two threads a core (1.9 to 2.8), the vPE
study's 0.5 on Skylake, and wider cores of today."""
EFFECT_SPREAD = 0.4
"""Stages differ more than whole programs, whose IPC on one core spreads by a quarter (BSDP); chosen
by cross-validation over calibration points (docs/explanation/model.md)."""


class Core(Mechanism):
    """Issue of instructions."""

    cause = "instructions"
    advice = "fewer instructions a packet (profile), wider vectors, a newer core"

    def parameters(self, hierarchy: Hierarchy) -> tuple[Parameter, ...]:
        return (
            Parameter(CPI, "core cycles/instruction", USUAL_CPI, 0.4, "leave stages out", "core"),
        )

    def effect(self, stage: str) -> Parameter:
        """The shrunken deviation of a stage."""
        return Parameter(
            EFFECT + stage, "ratio", 1.0, EFFECT_SPREAD, f"leave {stage} out of some points"
        )

    def terms(self, profile: WorkloadProfile, hierarchy: Hierarchy, values: Values) -> list[Term]:
        clock = hierarchy.tsc_per_core_cycle
        issue = [
            Term(
                stage,
                self.cause,
                (CPI, EFFECT + stage),
                (count - profile.of_bursts[stage])
                * (values[CPI] * values.get(EFFECT + stage, 1.0) * clock),
            )
            for stage, count in profile.instructions.items()
        ]
        return [*issue, *store_waits(profile, hierarchy, issue, values)]


class Bursts(Mechanism):
    """Instructions that a burst takes whatever its size wait for no packet: they cost less."""

    cause = "bursts"
    advice = "larger bursts"

    def parameters(self, hierarchy: Hierarchy) -> tuple[Parameter, ...]:
        return (
            Parameter(
                BURST,
                "CPI of a burst's own instructions, over that of packets'",
                0.5,
                0.6,
                "vary placement.burst, 8 and 32 for example",
            ),
        )

    def terms(self, profile: WorkloadProfile, hierarchy: Hierarchy, values: Values) -> list[Term]:
        clock = hierarchy.tsc_per_core_cycle
        each = values[BURST] * values[CPI] * clock
        return [
            Term(
                stage,
                self.cause,
                (BURST, CPI, EFFECT + stage),
                count * (each * values.get(EFFECT + stage, 1.0)),
            )
            for stage, count in profile.of_bursts.items()
        ]
