"""Mispredicted branches: what a core did ahead on a wrong path is thrown away.

cycles = mispredictions a packet · penalty. How often depends on the program and its data: of a
packet that may be in a cache of flows or not, of the rule that it meets. A trace shows it, by a
predictor as cores have them (native/trace/branch_predictor.hpp). The penalty is the length of the
pipeline up to where branches are resolved: 15 to 20 cycles of Intel's and AMD's cores (Fog, The
microarchitecture of Intel, AMD and VIA CPUs), more where the branch waits for a load.
"""

from __future__ import annotations

from planecast.machine.hierarchy import Hierarchy
from planecast.machine.mechanism import Mechanism, Term, Values
from planecast.machine.parameter import Parameter
from planecast.workload.profile import WorkloadProfile

PENALTY = "branches.mispredicted"


class Branches(Mechanism):
    """Of programs that were traced: those of others."""

    cause = "mispredicted branches"
    advice = "fewer branches that depend on the packet; let packets of a kind come together"

    def applies(self, profile: WorkloadProfile) -> bool:
        return bool(profile.mispredictions)

    def parameters(self, hierarchy: Hierarchy) -> tuple[Parameter, ...]:
        return (
            Parameter(
                PENALTY,
                "core cycles/misprediction",
                18.0,
                0.4,
                "vary what packets differ in: flows, rules, routes",
                "core",
            ),
        )

    def terms(self, profile: WorkloadProfile, hierarchy: Hierarchy, values: Values) -> list[Term]:
        each = values[PENALTY] * hierarchy.tsc_per_core_cycle
        return [
            Term(stage, self.cause, (PENALTY,), count * each)
            for stage, count in profile.mispredictions.items()
        ]
