"""Last level: how long a line stays in a cache, and which share of touches it serves.

One law for every cache (native/model/cache_sharing): a line stays a gamma-distributed time of mean
T and shape k, in units of packets.

- In a set of w ways that evicts the least recently used, a line goes when w other lines have come to
  its set; they come at random, w/T a packet, so the time is gamma distributed with k = w. Random
  eviction makes it exponential: k = 1. So replacement is one number of the machine.
- A line touched at random, r times a packet, is found with probability 1 - (1 + rT/k)^-k; one
  touched every P packets with that of fewer than k arrivals of mean kP/T (Poisson).
- T is such that the lines held, plus what others bring in during T, fill the cache.

Sources: Che, Tung, Wang 2002 (one characteristic time for all); Fricker, Robert, Roberts 2012 (why
it is accurate, and random eviction); Dan, Towsley 1990 (sets). On a shared host unknown tenants
bring in lines all the time: then what is identified is how long a line stays, not a capacity.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from planecast.machine import _native
from planecast.machine.hierarchy import LINE_BYTES, Hierarchy
from planecast.machine.mechanism import Mechanism, Values
from planecast.machine.parameter import Parameter

Floats = NDArray[np.float64]

LIFETIME, CAPACITY = "last_level.lifetime", "last_level.capacity"


class LastLevel(Mechanism):
    """The level that lcores share."""

    cause = "last level"
    advice = "smaller tables, cache ways of its own (partition), a larger L2"
    domain = "uncore"

    def parameters(self, hierarchy: Hierarchy) -> tuple[Parameter, ...]:
        capacity = Parameter(
            CAPACITY,
            "multiple of the level's size",
            1.0,
            0.3,
            "take a point that the last level can't hold",
        )
        if not hierarchy.background:
            return (capacity,)
        return (
            # From a quiet host's hundreds of milliseconds to a full one's single ones.
            Parameter(
                LIFETIME,
                "ms that a line stays when nobody here touches the level",
                30.0,
                1.5,
                "take flows whose tables are touched again after milliseconds",
            ),
            capacity,
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


def hit_shares(
    cyclic: NDArray[np.bool_],
    lines: Floats,
    touches: Floats,
    capacity: Floats,
    shape: float,
    inserted: Floats | None = None,
) -> tuple[Floats, Floats]:
    """(share of each region's touches that one cache serves, mean time that a line stays).

    `cyclic` is of shape (regions,), `lines` and `touches` of shape (regions, scenarios), `capacity`
    and `inserted` (lines that others bring in a unit of time and never touch again) of shape
    (scenarios,). Time is in the unit that touches are counted by.
    """
    lines, touches = np.ascontiguousarray(lines), np.ascontiguousarray(touches)
    found, time = np.empty_like(lines), np.empty(lines.shape[1])
    others = np.zeros(lines.shape[1]) if inserted is None else inserted
    _native.hit_shares(
        np.ascontiguousarray(cyclic),
        lines,
        touches,
        np.ascontiguousarray(others),
        np.ascontiguousarray(capacity),
        shape,
        found,
        time,
    )
    return found, time
