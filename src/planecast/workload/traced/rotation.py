"""Rotation of packet buffers: whether a packet gets one that was freed just now.

A mempool's cache gives back the buffers that were freed last, some tens, which stay in the private
caches. Where a burst and the packets that are freed at once do not fit a small cache, some buffers
come from the pool's ring, in which all of them take turns: with DPDK's l2fwd-keepalive, whose cache
has room for 32, none in bursts of 16, and a half in bursts of 32. So it depends on the burst in no
simple way, and is measured for each.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from planecast.scenario.model import Noun

APART = 0.1
"""Share of the packets from which on bursts differ in it."""


class Rotation(Noun):
    """Of a program's packet buffers, in bursts of one size."""

    share: float
    """Of the packets, whose buffer comes from the ring: none of the last 256 packets had it."""
    buffers: int
    """In the pool: those in the ring take turns."""


def apart(found: Mapping[int, Rotation], base: int, bursts: Sequence[int]) -> list[int]:
    """Of these bursts those with the smallest and the largest share, where that is not as in bursts
    of the `base`'s size."""
    known = [burst for burst in bursts if burst in found]
    if base not in found or not known:
        return []
    ends = {end(known, key=lambda burst: found[burst].share) for end in (min, max)}
    return sorted(burst for burst in ends if abs(found[burst].share - found[base].share) > APART)
