"""Buffer conflicts: packet buffers one a page share a set of the L1 cache.

Without hugepages, and without `native/dpdk/buffers.c`, DPDK puts one packet buffer in each page of
4 KiB. Their headers then lie in lines a page apart, which share one set of an L1 cache of 64 sets,
so a burst of more packets than that cache has ways misses it with every header stored. The stage
that reads the headers waits, and the stages after it overlap a share of their work with the wait,
less than it takes; a long search between hides it. Without a reader the next burst's stores wait.
Data planes of before had such buffers (`InstructionCounts.spreads_buffers`); today's have none.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from planecast.machine.hierarchy import Hierarchy
from planecast.machine.mechanism import Floats, Mechanism, Term, Values
from planecast.machine.parameter import Parameter
from planecast.workload.profile import WorkloadProfile

WAIT = "buffer_conflicts.wait"
OVERLAPPED_SHARE = 0.3
"""Of later stages' cycles, what passes during the wait at most. Fitted, this share and the next one
predict points that are left out worse (docs/explanation/model.md)."""
UNREAD_SHARE = 0.4
"""Of the wait, what is left of it where no stage reads headers."""


class BufferConflicts(Mechanism):
    """Waits for headers, exposed by the profile (`WorkloadProfile.exposed_headers`)."""

    cause = "buffer conflicts"
    advice = "hugepages, so that packet buffers lie side by side; shorter bursts"

    def applies(self, profile: WorkloadProfile) -> bool:
        return profile.one_buffer_a_page

    def parameters(self, hierarchy: Hierarchy) -> tuple[Parameter, ...]:
        return (
            Parameter(
                WAIT,
                "latencies of the second level/packet",
                0.7,
                0.7,
                "omit the search from points that share the other stages",
                "core",
            ),
        )

    def terms(self, profile: WorkloadProfile, hierarchy: Hierarchy, values: Values) -> list[Term]:
        reader = profile.header_reader
        if reader is None:
            return []
        wait = self.wait_cycles(profile, hierarchy, values)
        read = profile.sizes.runs(reader)
        unread = wait * (1 - read) * UNREAD_SHARE
        return [
            Term(reader, self.cause, (WAIT,), wait * read),
            Term(profile.stages[0], self.cause, (WAIT,), unread),
        ]

    def wait_cycles(self, profile: WorkloadProfile, hierarchy: Hierarchy, values: Values) -> Floats:
        """TSC cycles a packet, before anything is overlapped with them."""
        first, second = hierarchy.levels[0], hierarchy.levels[min(1, len(hierarchy.levels) - 1)]
        missing: Floats = np.maximum(1 - first.shape / profile.sizes.burst, 0.0)
        return profile.exposed_headers * missing * (values[WAIT] * second.latency_cycles)

    def overlapped(
        self,
        profile: WorkloadProfile,
        hierarchy: Hierarchy,
        values: Values,
        later: Sequence[Term],
    ) -> list[Term]:
        """What of the later stages' terms passes during the wait, as terms below zero: of a wait w
        and a share y of the later cycles w·(1 − exp(−y/w)), which is less than either."""
        reader = profile.header_reader
        if reader is None or not later:
            return []
        wait = profile.sizes.runs(reader) * self.wait_cycles(profile, hierarchy, values)
        shared = OVERLAPPED_SHARE * np.asarray(sum(term.cycles for term in later))
        ratio = np.where(wait > 0, shared / np.maximum(wait, 1e-9), 0.0)
        left = np.where(wait > 0, np.exp(-ratio), 0.0)
        found = [
            Term(reader, self.cause, term.parameters, -left * OVERLAPPED_SHARE * term.cycles)
            for term in later
        ]
        rest = wait * (1 - left * (1 + ratio))
        return [*found, Term(reader, self.cause, (WAIT,), -rest)]
