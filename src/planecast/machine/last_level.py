"""Last level: the cache that lcores, neighbours and unknown tenants share.

How long a line stays in it, and which share of touches it serves, is the law of
`machine.cache_sharing`. On a shared host unknown tenants bring in lines all the time: then what is
identified is how long a line stays, and the capacity is the level's. Paced walks
(`machine.survival`) measure it.
"""

from __future__ import annotations

from planecast.cache_line import LINE_BYTES
from planecast.machine.hierarchy import Hierarchy
from planecast.machine.mechanism import Mechanism, Values
from planecast.machine.parameter import Parameter

MEASURED_SPREAD = 0.7
"""Of a lifetime that was measured: other tenants come and go, by a factor of two within minutes."""

LIFETIME, CAPACITY = "last_level.lifetime", "last_level.capacity"


class LastLevel(Mechanism):
    """The level that lcores share."""

    cause = "last level"
    advice = "smaller tables, cache ways of its own (partition), a larger L2"

    def parameters(self, hierarchy: Hierarchy) -> tuple[Parameter, ...]:
        if not hierarchy.background:
            return (
                Parameter(
                    CAPACITY,
                    "multiple of the level's size",
                    1.0,
                    0.3,
                    "add a point whose tables do not fit in the last-level cache",
                ),
            )
        return (
            # From a quiet host's hundreds of milliseconds to a full one's single ones.
            Parameter(
                LIFETIME,
                "ms until a line of the last-level cache is evicted while this host is idle",
                hierarchy.last_level_lifetime_ms or 30.0,
                1.5 if hierarchy.last_level_lifetime_ms is None else MEASURED_SPREAD,
                "add a point whose flows re-use a table's line only after milliseconds",
            ),
        )


def capacity_lines(hierarchy: Hierarchy, values: Values) -> float:
    """Lines of the last level."""
    return hierarchy.levels[-1].size_bytes / LINE_BYTES * values.get(CAPACITY, 1.0)


def background_lines_per_cycle(hierarchy: Hierarchy, values: Values) -> float:
    """Lines a TSC cycle that unknown tenants bring in: the level's lines in one lifetime."""
    if not hierarchy.background or LIFETIME not in values:
        return 0.0
    whole = hierarchy.levels[-1].size_bytes / LINE_BYTES
    return whole / (values[LIFETIME] * 1e-3 * hierarchy.tsc_hz)
