"""First-level TLB: headers whose page it no longer holds when they are read.

The source writes a burst's headers, and the next stage reads them. In between the burst comes to
other pages: those of the other packets, and of the lines that the reader asks for. Where these are
more than the first level of the TLB holds, the second level translates once more, and the reader
waits for a share of that:

    cycles a packet = share · miss · x^4 / (x^4 + entries^4),  x = n (b + a / 2)

with n packets a burst, b pages a packet of buffers, which lie side by side, and a those of lines
that the reader asks for: at its middle it has asked for half of them. Entries and the cycles of a
miss are a probe's, of chases over 16 to 256 pages: 64, and 5.3 TSC cycles on a Zen 3 guest, 4.9 on a
Zen 4 one, in pages of 2 MiB as well where the host maps these by 4 KiB. Of the touches of tables
nothing is counted: they come after a prefetch, and do not wait.
"""

from __future__ import annotations

import numpy as np

from planecast.machine.hierarchy import Hierarchy
from planecast.machine.mechanism import Floats, Mechanism, Term, Values
from planecast.machine.parameter import Parameter
from planecast.workload.profile import WorkloadProfile

SHARE = "tlb.first_level"
SHARPNESS = 4.0
"""Of the step: pages of a burst are not as many as of another."""


class FirstTlb(Mechanism):
    """Of own network functions, whose stages read headers."""

    cause = "first-level TLB"
    advice = "shorter bursts; pages of 2 MiB that the host of a guest maps as such"
    domain = "core"

    def applies(self, profile: WorkloadProfile) -> bool:
        return profile.header_reader is not None

    def parameters(self, hierarchy: Hierarchy) -> tuple[Parameter, ...]:
        if hierarchy.first_tlb is None:
            return ()
        return (
            Parameter(
                SHARE,
                "share of a miss that the reader of headers waits for",
                0.2,
                0.7,
                "vary placement.burst up to 64",
            ),
        )

    def terms(self, profile: WorkloadProfile, hierarchy: Hierarchy, values: Values) -> list[Term]:
        reader, tlb = profile.header_reader, hierarchy.first_tlb
        if reader is None or tlb is None or SHARE not in values:
            return []
        pages = pages_between(profile, reader) / tlb.pages
        missed = pages**SHARPNESS / (pages**SHARPNESS + 1.0)
        cycles = np.where(profile.small_pages, tlb.small_cycles, tlb.large_cycles)
        return [
            Term(reader, self.cause, (SHARE,), profile.runs(reader) * missed * cycles * values[SHARE])
        ]


def pages_between(profile: WorkloadProfile, reader: str) -> Floats:
    """Pages that a burst comes to between writing a header and reading it, of shape
    (scenarios,)."""
    size = profile.sizes.columns.size
    burst = np.broadcast_to(profile.sizes.burst, (size,))
    found = np.zeros(size)
    for region, table in zip(profile.regions, profile.pages, strict=True):
        if region.stage == profile.stages[0]:
            found += np.minimum(burst * table.touches, table.lines)
        elif region.asked is not None and region.asked.stage == reader:
            # So many of a table's pages in no order.
            found += table.lines * -np.expm1(-burst * table.touches / table.lines) / 2
    return found
