"""Core: instructions at so many cycles each, with every access near.

cycles = I_s(n) · CPI · e_s, with the instructions I_s of stage s in bursts of n, as counted, one CPI
of the machine for all code, and a factor e_s by which stage s deviates: its mix of instructions and
its dependences. The e_s are shrunken effects: log-normal around 1, so few points move them little.
Sources: the vPE study's Fig 6; Clapp et al., IISWC 2015 (the intercept of CPI over misses).
"""

from __future__ import annotations

from planecast.machine.hierarchy import Hierarchy
from planecast.machine.mechanism import Floats, Mechanism, Term, Values
from planecast.machine.parameter import Parameter
from planecast.workload.profile import WorkloadProfile

CPI = "core.cpi"
EFFECT = "core.cpi:"
"""Followed by a stage: the factor on its CPI."""
BURST = "core.burst"

USUAL_CPI = 0.3
"""IPC of 2 to 4.5 without misses: BSDP's data planes with two threads a core (1.9 to 2.8), the vPE
study's 0.5 on Skylake, and wider cores of today."""
EFFECT_SPREAD = 0.25
"""IPC of BSDP's seven programs on one core spreads by a quarter."""
MISPREDICTED_CYCLES = 15.0
"""Core cycles of a branch misprediction, the pipeline's depth: 14 to 20 on cores since 2015."""


class Core(Mechanism):
    """Issue of instructions."""

    cause = "instructions"
    advice = "fewer instructions a packet (profile), wider vectors, a newer core"
    domain = "core"

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
        clock = hierarchy.tsc_hz / hierarchy.core_hz
        return [
            Term(
                stage,
                self.cause,
                (CPI, EFFECT + stage),
                count * (values[CPI] * values.get(EFFECT + stage, 1.0) * clock),
            )
            for stage, count in profile.instructions.items()
        ]


class Bursts(Mechanism):
    """Each stage begins and ends a loop a burst: a misprediction, and the pipeline fills anew."""

    cause = "bursts"
    advice = "larger bursts"
    domain = "core"

    def parameters(self, hierarchy: Hierarchy) -> tuple[Parameter, ...]:
        return (
            Parameter(
                BURST,
                "core cycles/stage and burst",
                MISPREDICTED_CYCLES,
                0.7,
                "vary placement.burst, 8 and 32 for example",
                "core",
            ),
        )

    def terms(self, profile: WorkloadProfile, hierarchy: Hierarchy, values: Values) -> list[Term]:
        clock = hierarchy.tsc_hz / hierarchy.core_hz
        each: Floats = values[BURST] * clock / profile.sizes.burst
        return [
            Term(stage, self.cause, (BURST,), each * profile.runs(stage))
            for stage in profile.stages
        ]
