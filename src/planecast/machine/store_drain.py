"""Store drain: a stage that reads headers just written waits until the stores have drained.

The source's stores go to buffers beyond L1, so they stand in the store buffer when it returns. A
long search between hides them; otherwise the stage that reads the headers waits, and the stages
after it overlap a share of their work with the rest of the drain, never more than it takes.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from planecast.machine.hierarchy import Hierarchy
from planecast.machine.mechanism import Mechanism, Term, Values
from planecast.machine.parameter import Parameter
from planecast.workload.profile import WorkloadProfile

DRAIN, OVERLAPPED = "store_drain.wait", "store_drain.overlapped"


class StoreDrain(Mechanism):
    """Waits for stores, exposed by the profile (`WorkloadProfile.exposed_stores`)."""

    cause = "store drain"
    advice = "fewer header lines written before they are read, smaller rings that fit L1"
    domain = "core"

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
        )

    def terms(self, profile: WorkloadProfile, hierarchy: Hierarchy, values: Values) -> list[Term]:
        reader = profile.header_reader
        if reader is None:
            return []
        wait = profile.exposed_stores * self.wait_cycles(hierarchy, values)
        return [Term(reader, self.cause, (DRAIN,), wait)]

    def wait_cycles(self, hierarchy: Hierarchy, values: Values) -> float:
        """TSC cycles a packet where stores are exposed."""
        return values[DRAIN] * hierarchy.levels[min(1, len(hierarchy.levels) - 1)].latency_cycles

    def overlapped(
        self,
        profile: WorkloadProfile,
        hierarchy: Hierarchy,
        values: Values,
        later: Sequence[Term],
    ) -> list[Term]:
        """What of the later stages' terms passes during the drain, as terms below zero: a share of
        each, or all of the drain where that is less."""
        reader = profile.header_reader
        if reader is None or not later or not np.any(profile.exposed_stores):
            return []
        part = min(values[OVERLAPPED], 1.0)
        most = self.wait_cycles(hierarchy, values)
        shared = part * sum(term.cycles for term in later) < most
        found = [
            Term(
                reader,
                self.cause,
                (OVERLAPPED, *term.parameters),
                -profile.exposed_stores * shared * part * term.cycles,
            )
            for term in later
        ]
        return [
            *found,
            Term(reader, self.cause, (DRAIN,), -profile.exposed_stores * ~shared * most),
        ]
