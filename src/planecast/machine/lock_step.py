"""Lock-step walks: lanes of a vector search advance together, a dependent load each step.

A round of walks takes steps · step, however many lanes have a packet: what lanes load is covered by
the latency of the step (by cross-validation: docs/explanation/model.md). A search may take a part
of a round more for its ends, which its stage's descriptor says. Walks with scalar loads
have a shorter step, and their loads are among the counted instructions. Walks of one path share
their lines and end together; where each packet takes another path than the one before, a round
takes (1 + divergence) times as long, and in proportion where a share of them does. Source: DPDK's
acl_run_avx512_common.h and acl_run_sse.h.

A step whose load is served by no near cache waits for the slowest lane (`workload.regions`), less
what other lanes do in that time. A search with gathers advances two groups of lanes in turns, so
half of a step's cycles pass in the other group. Scalar loads of different lanes do not wait for
each other: an out-of-order core has a step and a half of the others' ahead (by cross-validation:
docs/lab-notes/2026-11-28-what-a-rule-takes.md).
"""

from __future__ import annotations

import numpy as np

from planecast.machine.hierarchy import Hierarchy
from planecast.machine.mechanism import Floats, Mechanism, Term, Values
from planecast.machine.parameter import Parameter
from planecast.workload.profile import WorkloadProfile
from planecast.workload.stages.descriptor import LockStep

STEP, SCALAR = "lock_step.step", "lock_step.scalar_step"
DIVERGENCE = "lock_step.divergence"


STEPS_AHEAD = {STEP: 0.5, SCALAR: 1.5}
"""Steps of other lanes that pass while a line is waited for, by kind of step."""


def covered_cycles(
    walk: LockStep, hierarchy: Hierarchy, values: Values
) -> list[tuple[str, Floats]]:
    """TSC cycles of a wait in which other lanes walk, by the parameter that they follow: of shape
    (scenarios,)."""
    wide = np.asarray(walk.gathered > 0, dtype=np.float64)
    clock = hierarchy.tsc_per_core_cycle
    return [
        (name, share * (STEPS_AHEAD[name] * values.get(name, 0.0) * clock))
        for name, share in ((STEP, wide), (SCALAR, 1.0 - wide))
    ]


class LockStepWalks(Mechanism):
    """What rte_acl's wide search takes beyond its instructions."""

    cause = "table walks"
    advice = (
        "fewer rules or fields, an offload of the search, bursts that fill all lanes, or no "
        "gathers where the CPU's are slow (measure … -- --force-max-simd-bitwidth=128)"
    )

    def applies(self, profile: WorkloadProfile) -> bool:
        return not profile.made_in_memory

    def parameters(self, hierarchy: Hierarchy) -> tuple[Parameter, ...]:
        # A step is a gather from L1 and some dependent vector operations. Microcode that keeps
        # gathers from passing on speculative data makes it some five times as long on Intel's cores
        # up to Ice Lake, so the prior is wide. Without gathers it is a load
        # from L1 (5 cycles), the move of its address to a register and of the loaded back (6), and
        # some 15 vector instructions that wait for each other, two of them multiplications: 28 by
        # the latencies of Intel's and AMD's cores (Fog, Instruction tables; acl_run_sse.h).
        return (
            Parameter(
                STEP,
                "core cycles/step",
                30.0,
                1.0,
                "take bursts of a quarter, a half and all of the search's lanes",
                "core",
            ),
            Parameter(
                SCALAR,
                "core cycles/step",
                28.0,
                0.4,
                "take bursts of 4 and of 8",
                "core",
            ),
            Parameter(
                DIVERGENCE,
                "ratio",
                0.25,
                0.8,
                "vary the rules, 256 and 4096 for example",
            ),
        )

    def terms(self, profile: WorkloadProfile, hierarchy: Hierarchy, values: Values) -> list[Term]:
        clock = hierarchy.tsc_per_core_cycle
        found = []
        for stage, walk in profile.lock_steps.items():
            for name, count in ((STEP, walk.gathered), (SCALAR, walk.scalar)):
                cycles = count * (walk.steps * values[name] * clock)
                apart = cycles * walk.divergent * values[DIVERGENCE]
                found.append(Term(stage, self.cause, (name,), cycles))
                found.append(Term(stage, self.cause, (name, DIVERGENCE), apart))
        return found
