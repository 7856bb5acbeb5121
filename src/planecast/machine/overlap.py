"""Overlap: the share of a line's cycles that a stage waits for, by how it asks for the line.

The out-of-order core hides a part of every line's latency; how large a part follows from how the
lines are asked for (`workload.regions.Overlap`), not from which stage or level it is. The slope of
CPI over misses times latency is the same thing for all misses together, the blocking factor of the
vPE study's Fig 6 and of Clapp et al., IISWC 2015; here it multiplies cycles a line with so many in
flight, not a lone access's latency.
"""

from __future__ import annotations

from planecast.machine.hierarchy import Hierarchy
from planecast.machine.mechanism import Mechanism, Values
from planecast.machine.parameter import Parameter
from planecast.workload.regions import Overlap

PREFETCHED, LOADED = "overlap.prefetched", "overlap.loaded"
SHARE_OF_STORED = "overlap.stored"
"""Takes the place of `STORED_SHARE` in values that have it: bounds set it to 1."""
STORED_SHARE = 0.3
"""Of what a prefetched line costs, for one that is only written: the store buffer waits, not the
core. No calibration that we have says more (docs/explanation/model.md)."""

BY_CLASS = {
    Overlap.PREFETCHED: PREFETCHED,
    Overlap.INDEPENDENT: LOADED,
    Overlap.DEPENDENT: LOADED,
    Overlap.STORED: PREFETCHED,
}
"""The parameter of each class."""


def blocking(overlap: Overlap, values: Values) -> float:
    """Share of a line's cycles that a stage waits for."""
    share = values[BY_CLASS[overlap]]
    return share * values.get(SHARE_OF_STORED, STORED_SHARE) if overlap is Overlap.STORED else share


class OverlapOfLines(Mechanism):
    """Common to caches and memory."""

    cause = "overlap"
    advice = "prefetch lines a burst ahead of their use"

    def parameters(self, hierarchy: Hierarchy) -> tuple[Parameter, ...]:
        vary = "vary traffic.flows over values that differ much, 256 and 65536 for example"
        return (
            Parameter(PREFETCHED, "ratio", 1.0, 0.5, vary),
            Parameter(LOADED, "ratio", 1.0, 0.5, "vary the rules and the routes"),
        )
