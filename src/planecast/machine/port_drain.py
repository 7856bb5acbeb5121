"""Port drain: packets that are made in memory are stored faster than stores drain.

A program of others gets its packets from a port in memory, which writes frames and buffers' headers
as a copying port does (memif, vhost). While a burst's stores fit into the store buffer they drain
behind the program's own work; with longer bursts the next stores wait. So a packet of a burst of n
waits wait · max(0, 1 − buffered/n) cycles, with a bend that is round enough for slopes to lead the
fit across it. Lines that the program waits for come while stores drain (`overlapped`). No source;
the forms were chosen among calibration points of testpmd and l3fwd.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from planecast.machine.hierarchy import Hierarchy
from planecast.machine.mechanism import Mechanism, Term, Values
from planecast.machine.parameter import Parameter
from planecast.workload.profile import WorkloadProfile

DRAIN, BUFFERED = "port_drain.wait", "port_drain.buffered"
SOURCE = "source"
POWER = 8.0
"""Of two equal waits at a time 9 % more than one is seen."""
BEND = 6.0
"""How sharp the bend is: the wait at the bend itself is 12 % of the longest."""


class PortDrain(Mechanism):
    """Of programs between ports in memory alone."""

    cause = "port drain"
    advice = "bursts that the store buffer holds, or a port that writes no packets with the core"
    domain = "core"

    def applies(self, profile: WorkloadProfile) -> bool:
        return profile.made_in_memory

    def parameters(self, hierarchy: Hierarchy) -> tuple[Parameter, ...]:
        vary = "vary placement.burst, 4, 16 and 64 for example"
        return (
            Parameter(DRAIN, "core cycles/packet", 10.0, 1.0, vary, "core"),
            Parameter(BUFFERED, "packets", 8.0, 0.8, vary),
        )

    def overlapped(self, drain: Sequence[Term], lines: Sequence[Term]) -> list[Term]:
        """What of the waits for `lines` passes while stores drain, as terms below zero.

        Of two waits w and y together (wᵖ + yᵖ)^(1/p) is seen, little more than the longer one. That
        is of degree 1 in both, so its parts by w and y are its slopes times these (Euler).
        """
        if not drain or not lines:
            return []
        w = np.asarray(sum(term.cycles for term in drain))
        y = np.maximum(np.asarray(sum(term.cycles for term in lines)), 0.0)
        both = np.maximum((w**POWER + y**POWER) ** (1 / POWER), 1e-9)
        kept = {True: (w / both) ** (POWER - 1), False: (y / both) ** (POWER - 1)}
        return [
            Term(SOURCE, self.cause, term.parameters, (kept[own] - 1) * term.cycles)
            for own, terms in ((True, drain), (False, lines))
            for term in terms
        ]

    def terms(self, profile: WorkloadProfile, hierarchy: Hierarchy, values: Values) -> list[Term]:
        wait = values[DRAIN] * hierarchy.tsc_hz / hierarchy.core_hz
        ratio = values[BUFFERED] / profile.sizes.burst
        over = np.logaddexp(0.0, BEND * (1 - ratio)) / BEND
        slope = ratio / (1 + np.exp(-BEND * (1 - ratio)))
        # Two terms, so that the sum of those that name a parameter is the slope by its logarithm.
        return [
            Term(SOURCE, self.cause, (DRAIN,), wait * (over + slope)),
            Term(SOURCE, self.cause, (DRAIN, BUFFERED), -wait * slope),
        ]
