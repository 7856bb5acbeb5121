"""Cache sharing: how long a line stays in a cache, and which share of touches it serves.

One law for every cache (native/model/cache_sharing): a line stays a gamma-distributed time of mean
T and shape k, in units of packets.

- In a set of w ways that evicts the least recently used, a line goes when w other lines have come
  to its set; they come at random, w/T a packet, so the time is gamma distributed with k = w. Random
  eviction makes it exponential: k = 1. So replacement is one number of the machine.
- A line touched at random, r times a packet, is found with probability 1 - (1 + rT/k)^-k; one
  touched every P packets with that of fewer than k arrivals of mean kP/T (Poisson).
- T is such that the lines held, plus what others bring in during T, fill the cache.
- Lines that meet in 1/n of the sets (`planecast.machine.page_conflicts`) fill these n times as
  densely: they stay a time t there with n · held(t) + what all others hold in t = the cache's.
- Where a share p of a stream's missed lines takes room, of its touches that come while a line that
  is there stays, a share s, it is found by h = s (h + (1 - h) p), and holds h + (1 - h) p as many.

Sources: Che, Tung, Wang 2002 (one characteristic time for all); Fricker, Robert, Roberts 2012 (why
it is accurate, and random eviction); Dan, Towsley 1990 (sets).
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from planecast.machine import _native

Floats = NDArray[np.float64]


def hit_shares(
    cyclic: NDArray[np.bool_],
    lines: Floats,
    touches: Floats,
    capacity: Floats,
    *,
    shape: float,
    inserted: Floats | None = None,
) -> Floats:
    """Share of each region's touches that one cache serves, of shape (regions, scenarios).

    `cyclic` is of shape (regions,), `lines` and `touches` of shape (regions, scenarios), `capacity`
    and `inserted` (lines that others bring in a unit of time and never touch again) of shape
    (scenarios,). Time is in the unit that touches are counted by.
    """
    lines, touches = np.ascontiguousarray(lines), np.ascontiguousarray(touches)
    found = np.empty_like(lines)
    others = np.zeros(lines.shape[1]) if inserted is None else inserted
    _native.hit_shares(
        np.ascontiguousarray(cyclic),
        lines,
        touches,
        np.ascontiguousarray(others),
        np.ascontiguousarray(capacity),
        shape,
        found,
    )
    return found
