"""Private caches: how many lines of a core's own levels hold a workload's tables.

A probe's walk fills a cache evenly and finds all of it. Tables do not: their lines fall into sets
at random, hardware prefetchers bring in adjacent lines that are not used, and stacks, code
and page tables take room, too. The share that is left is fitted; it decides at how many flows or
rules the last level begins to serve. Costs do not show the first level's share (its lines
come back within a burst or never do), which stays whole.
"""

from __future__ import annotations

from planecast.cache_line import LINE_BYTES
from planecast.machine.hierarchy import Hierarchy
from planecast.machine.mechanism import Mechanism, Values
from planecast.machine.parameter import Parameter

FILLED = "private.filled"
MEDIAN, SPREAD = 0.75, 0.1
"""Of its prior, by cross-validation (docs/explanation/model.md)."""


class PrivateCaches(Mechanism):
    """The last of a core's own levels, mostly its L2."""

    cause = "private caches"
    advice = "smaller tables, a core with a larger L2"

    def parameters(self, hierarchy: Hierarchy) -> tuple[Parameter, ...]:
        return (
            Parameter(
                FILLED,
                "share of the L2 that tables fill",
                MEDIAN,
                SPREAD,
                "vary the flows about the number that the L2 holds",
            ),
        )


def private_levels(hierarchy: Hierarchy, values: Values) -> list[tuple[float, float]]:
    """(lines, shape of their lifetimes) of each private level, nearest first."""
    own = [(level.size_bytes / LINE_BYTES, level.shape) for level in hierarchy.levels[:-1]]
    if len(own) > 1:
        lines, shape = own[-1]
        own[-1] = (lines * values.get(FILLED, 1.0), shape)
    return own
