"""Stage starts: a core waits where a burst comes to the next stage.

cycles a packet = start / n, of bursts of n packets, for each stage that works on them: the loop
before ended at a branch that may not be predicted, and nothing of the new stage is ahead of its
first packet. The prior is half of what a mispredicted branch takes (`machine.branches`), give or
take a factor of two. What makes and sends packets overlaps with the bursts before and after; a
search in lock step has its ends (`workload.stages.acl`). Chosen by cross-validation over
calibration points (docs/lab-notes/2026-11-28-what-a-rule-takes.md).
"""

from __future__ import annotations

from planecast.machine.core import Bursts
from planecast.machine.hierarchy import Hierarchy
from planecast.machine.mechanism import Mechanism, Term, Values
from planecast.machine.parameter import Parameter
from planecast.workload.counts import role_of
from planecast.workload.profile import WorkloadProfile

START = "core.stage_start"


class StageStarts(Mechanism):
    """Of own network functions: programs of others have their mispredictions traced."""

    cause = Bursts.cause
    advice = Bursts.advice

    def applies(self, profile: WorkloadProfile) -> bool:
        return not profile.made_in_memory

    def parameters(self, hierarchy: Hierarchy) -> tuple[Parameter, ...]:
        return (
            Parameter(
                START,
                "core cycles/burst",
                10.0,
                0.8,
                "take short bursts through pipelines of several stages",
                "core",
            ),
        )

    def terms(self, profile: WorkloadProfile, hierarchy: Hierarchy, values: Values) -> list[Term]:
        each = values[START] * hierarchy.tsc_per_core_cycle / profile.sizes.burst
        return [
            Term(stage, self.cause, (START,), profile.sizes.runs(stage) * each)
            for stage in profile.stages
            if role_of(stage) == "processing" and stage not in profile.lock_steps
        ]
