"""Store drain: a stage that reads headers just written waits until the stores have drained.

The source's stores go to buffers beyond L1, so they stand in the store buffer when it returns. A
long search between hides them; otherwise the stage that reads the headers waits, and the stages
after it overlap a share of their work with the rest of the drain, less than it takes. Without a
reader the next burst's stores wait for room in the buffer, in the source. Half of what the buffer
holds drains while the source fills the rest, so for that much of a burst nothing waits: short
bursts drain behind the rest of the loop.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from planecast.machine.hierarchy import Hierarchy
from planecast.machine.mechanism import Floats, Mechanism, Term, Values
from planecast.machine.parameter import Parameter
from planecast.workload.profile import WorkloadProfile

DRAIN, OVERLAPPED = "store_drain.wait", "store_drain.overlapped"
UNREAD = "store_drain.unread"

DRAINED = 0.5
"""Share of a full store buffer that drains while it fills: in order, at a steady rate."""


class StoreDrain(Mechanism):
    """Waits for stores, exposed by the profile (`WorkloadProfile.exposed_stores`)."""

    cause = "store drain"
    advice = "fewer header lines written before they are read, smaller rings that fit L1"
    domain = "core"

    def applies(self, profile: WorkloadProfile) -> bool:
        return not profile.made_in_memory

    def parameters(self, hierarchy: Hierarchy) -> tuple[Parameter, ...]:
        return (
            Parameter(
                DRAIN,
                "latencies of the second level/packet",
                0.7,
                0.7,
                "leave the search out of points that have other stages in common",
                "core",
            ),
            Parameter(
                OVERLAPPED,
                "share of later stages' cycles",
                0.3,
                0.7,
                "take pipelines with and without the search",
            ),
            Parameter(
                UNREAD,
                "share of the wait where no stage reads headers",
                0.4,
                0.8,
                "take a point with workload.stages=none",
            ),
        )

    def terms(self, profile: WorkloadProfile, hierarchy: Hierarchy, values: Values) -> list[Term]:
        reader = profile.header_reader
        if reader is None:
            return []
        wait = self.wait_cycles(profile, hierarchy, values)
        read = profile.runs(reader)
        unread = wait * (1 - read) * values[UNREAD]
        return [
            Term(reader, self.cause, (DRAIN,), wait * read),
            Term(profile.stages[0], self.cause, (DRAIN, UNREAD), unread),
        ]

    def wait_cycles(self, profile: WorkloadProfile, hierarchy: Hierarchy, values: Values) -> Floats:
        """TSC cycles a packet, before anything is overlapped with them."""
        level = hierarchy.levels[min(1, len(hierarchy.levels) - 1)]
        held = DRAINED * hierarchy.store_buffer / profile.source_stores
        wait: Floats = profile.exposed_stores * np.maximum(1 - held / profile.sizes.burst, 0.0)
        return wait * (values[DRAIN] * level.latency_cycles)

    def overlapped(
        self,
        profile: WorkloadProfile,
        hierarchy: Hierarchy,
        values: Values,
        later: Sequence[Term],
    ) -> list[Term]:
        """What of the later stages' terms passes during the drain, as terms below zero: of a wait w
        and a share y of the later cycles w·(1 − exp(−y/w)), which is less than either."""
        reader = profile.header_reader
        if reader is None or not later:
            return []
        part = min(values[OVERLAPPED], 1.0)
        wait = profile.runs(reader) * self.wait_cycles(profile, hierarchy, values)
        shared = part * np.asarray(sum(term.cycles for term in later))
        ratio = np.where(wait > 0, shared / np.maximum(wait, 1e-9), 0.0)
        left = np.where(wait > 0, np.exp(-ratio), 0.0)
        found = [
            Term(reader, self.cause, (OVERLAPPED, *term.parameters), -left * part * term.cycles)
            for term in later
        ]
        rest = wait * (1 - left * (1 + ratio))
        return [*found, Term(reader, self.cause, (DRAIN,), -rest)]
