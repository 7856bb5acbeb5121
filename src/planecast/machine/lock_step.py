"""Lock-step walks: lanes of a vector search advance together, a dependent load each step.

A round of walks takes steps · (step + lane · packets in it): the latency of one step, and the loads
of the lanes that have a packet. Walks with scalar loads have a shorter step, and their loads are
among the counted instructions. Source: DPDK's acl_run_avx512_common.h and acl_run_sse.h.
"""

from __future__ import annotations

from planecast.machine.hierarchy import Hierarchy
from planecast.machine.mechanism import Mechanism, Term, Values
from planecast.machine.parameter import Parameter
from planecast.workload.profile import WorkloadProfile

STEP, LANE, SCALAR = "lock_step.step", "lock_step.lane", "lock_step.scalar_step"


class LockStepWalks(Mechanism):
    """What rte_acl's wide search takes beyond its instructions."""

    cause = "table walks"
    advice = "fewer rules or fields, an offload of the search, bursts that fill all lanes"
    domain = "core"

    def parameters(self, hierarchy: Hierarchy) -> tuple[Parameter, ...]:
        # A step is a gather from L1 and some dependent vector operations.
        return (
            Parameter(
                STEP,
                "core cycles/step",
                30.0,
                0.6,
                "take bursts of a quarter, a half and all of the search's lanes",
                "core",
            ),
            Parameter(
                SCALAR,
                "core cycles/step",
                15.0,
                0.6,
                "take bursts of 4 and of 8",
                "core",
            ),
            Parameter(LANE, "core cycles/step and lane", 2.0, 0.6, "leave the search out", "core"),
        )

    def terms(self, profile: WorkloadProfile, hierarchy: Hierarchy, values: Values) -> list[Term]:
        clock = hierarchy.tsc_hz / hierarchy.core_hz
        found = []
        for stage, walk in profile.lock_steps.items():
            parts = ((STEP, walk.gathered), (LANE, walk.gathered_packets), (SCALAR, walk.scalar))
            for name, count in parts:
                cycles = count * (walk.steps * values[name] * clock)
                found.append(Term(stage, self.cause, (name,), cycles))
        return found
