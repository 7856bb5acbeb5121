"""First-level TLB: headers and tries whose page it no longer holds when they are read.

The source writes a burst's headers, and the next stage reads them. In between the burst comes to
other pages: those of the other packets, and of the lines that the reader asks for. Where these are
more than the first level of the TLB holds, the second level translates once more, and the reader
waits for a part of that:

    cycles a packet = wait · x^4 / (x^4 + entries^4),  x = n (b + a / 2)

with n packets a burst, b pages a packet of buffers, which lie side by side, and a those of lines
that the reader asks for, half of them at its middle. Entries and the cycles of a miss are the
probe's, of chases over 16 to 256 pages, in pages of 2 MiB as well where a guest's host maps these
by 4 KiB: 64, and 7 core cycles on Zen 3 and Zen 4 guests. The lines of tables take no such wait:
they were asked for ahead.

A search in lock step (`machine.lock_step`) asks for nothing ahead, and each of its steps needs what
the one before loaded. Where the rest of a pipeline comes to more pages a burst than the level
holds, the first walk of each burst waits for a miss in each of its steps:

    cycles a burst = steps · miss · x^4 / (x^4 + entries^4)

with x the pages of all lines but the search's own. Both were chosen by cross-validation over
calibration points (docs/lab-notes/2026-11-26-first-level-tlb.md, 2026-11-27-tries-and-strides.md).
"""

from __future__ import annotations

import numpy as np

from planecast.machine.hierarchy import Hierarchy, TlbLevel
from planecast.machine.mechanism import Floats, Mechanism, Term, Values
from planecast.machine.parameter import Parameter
from planecast.workload.profile import WorkloadProfile
from planecast.workload.sizes import reached

WAIT = "tlb.first_level"
EXPOSED = 0.2
"""Of a miss that nothing hides, the share that the reader waits for: the prior's median."""
SHARPNESS = 4.0
"""Of the step from no miss to one a packet."""


class FirstTlb(Mechanism):
    """Of own network functions, one of whose stages reads headers."""

    cause = "first-level TLB"
    advice = "shorter bursts; 2 MiB pages that a guest's host maps as such"

    def applies(self, profile: WorkloadProfile) -> bool:
        return profile.header_reader is not None

    def parameters(self, hierarchy: Hierarchy) -> tuple[Parameter, ...]:
        tlb = hierarchy.first_tlb
        if tlb is None:
            return ()
        return (
            Parameter(
                WAIT,
                "core cycles/miss",
                EXPOSED * tlb.miss_cycles / hierarchy.tsc_per_core_cycle,
                0.7,
                "vary placement.burst up to 64",
                "core",
            ),
        )

    def terms(self, profile: WorkloadProfile, hierarchy: Hierarchy, values: Values) -> list[Term]:
        reader, tlb = profile.header_reader, hierarchy.first_tlb
        if reader is None or tlb is None or WAIT not in values:
            return []
        by_kind = np.where(profile.small_pages, 1.0, tlb.large_share)
        missed = by_kind * _beyond(pages_between(profile, reader), tlb)
        each = values[WAIT] * hierarchy.tsc_per_core_cycle
        found = [Term(reader, self.cause, (WAIT,), profile.sizes.runs(reader) * missed * each)]
        for stage, walk in profile.lock_steps.items():
            missed = by_kind * _beyond(pages_outside(profile, stage), tlb)
            once = walk.steps * missed * tlb.miss_cycles / profile.sizes.burst
            found.append(Term(stage, self.cause, (), profile.sizes.runs(stage) * once))
        return found


def _beyond(pages: Floats, tlb: TlbLevel) -> Floats:
    """Share of touches that the level misses when so many pages come in between."""
    step = (pages / tlb.pages) ** SHARPNESS
    return np.asarray(step / (step + 1.0))


def pages_between(profile: WorkloadProfile, reader: str) -> Floats:
    """Pages of 4 KiB that a burst comes to between writing a header and reading it, of shape
    (scenarios,)."""
    found = _buffer_pages(profile)
    for region, table in zip(profile.regions, profile.pages, strict=True):
        if region.asked is not None and region.asked.stage == reader:
            found += reached(table.lines, _burst(profile) * table.touches) / 2
    return found


def pages_outside(profile: WorkloadProfile, stage: str) -> Floats:
    """Pages of 4 KiB that a burst comes to outside a stage, of shape (scenarios,)."""
    found = _buffer_pages(profile)
    for region, table in zip(profile.regions, profile.pages, strict=True):
        if region.stage not in (stage, profile.stages[0]):
            found += reached(table.lines, _burst(profile) * table.touches)
    return found


def _buffer_pages(profile: WorkloadProfile) -> Floats:
    """Those of packet buffers, which the source comes to."""
    found = np.zeros(profile.sizes.columns.size)
    for region, table in zip(profile.regions, profile.pages, strict=True):
        if region.stage == profile.stages[0]:
            found += np.minimum(_burst(profile) * table.touches, table.lines)
    return found


def _burst(profile: WorkloadProfile) -> Floats:
    return np.broadcast_to(profile.sizes.burst, (profile.sizes.columns.size,))
