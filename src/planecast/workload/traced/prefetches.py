"""Prefetches: a trace counts them, but doesn't see which lines they ask for.

Of an unknown program a stage's are taken to be of its own farthest loads, for which they
are worth an instruction. What is known from a program's source is here.
"""

from __future__ import annotations

from collections.abc import Mapping

from planecast.scenario.dataplane import kind_in
from planecast.workload.traced.profile import TracedProfile

TARGETS: Mapping[str, Mapping[str, str]] = {
    # dpif-netdev.c, dfc_processing: of the next packet's frame (a line) and metadata (three), not
    # of the entries and flows that a packet is looked up in.
    "ovs": {"classify": "parse"},
}
"""By kind of program and the stage that executes them: whose farthest loads they are of."""


def prefetched(subject: str, trace: TracedProfile, stage: str) -> float:
    """Loads a packet of a stage, farthest first, that were asked for ahead of their use."""
    known = TARGETS.get(kind_in(subject), {})
    return sum(
        own.prefetches_per_packet
        for name, own in trace.stages.items()
        if known.get(name, name) == stage
    )
