"""Regions of a traced program: from stack distances to lines that are touched in turns.

The law of cache sharing (`planecast.machine.cache_sharing`) asks how long ago a line was touched,
in packets, not how many other lines were since. In a time t a program touches as many distinct
lines as its footprint f(t), whose slope is the rate of touches that are farther than f(t)
(Denning's working-set theory; Xiang, Ding, Luo, Bao: HOTL, ASPLOS 2013). So with touches in rising
order of distance, each farther than the one before by a step, the time between two touches of a
line grows by that step over the rate of all touches at that distance or farther. Touches m of a
packet that come back after a time t are m·t lines that are touched in turns: an LRU cache then
misses what the trace says, and other caches, shared ones and neighbours follow by the law.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from planecast.workload.regions import Overlap, Region
from planecast.workload.traced.program_profile import SOURCE, Far, What

Floats = NDArray[np.float64]
IN_FLIGHT = 8.0
"""Lines that are asked for together at most where nothing is known of a program: an out-of-order
core sees a few packets of a burst."""
_NAMES = {What.LOADED: "loaded", What.STORED: "stored", What.PAGES: "pages"}


def traced_regions(
    far: Sequence[Far],
    bursts: Floats,
    every: Floats | None = None,
    made_at_once: int = 1,
) -> tuple[Region, ...]:
    """The regions of one lcore's touches, of lines or of pages, in bursts of so many packets, or
    of more where the program makes so many `made_at_once`; `every` has the lines of all lcores
    together by touch (None: there is one lcore).

    Packets of a burst are independent, but those of two bursts are too far apart for a core to see
    both: its first lines are asked for before the last ones, and these are waited for alone. So
    half of a burst's are in flight in the mean (chosen by cross-validation).
    """
    if not far:
        return ()
    in_flight = np.clip(bursts / 2, 1.0, IN_FLIGHT)
    in_making = np.clip(np.maximum(bursts, made_at_once) / 2, 1.0, IN_FLIGHT)
    lines = footprints(far)
    return tuple(
        Region(
            stage=one.stage,
            name=_NAMES[one.what],
            cyclic=True,
            lines=own,
            touches=np.full_like(own, one.touches),
            pages=own,
            total_lines=total,
            overlap=_overlap(one),
            in_flight=in_making if one.stage == SOURCE else in_flight,
        )
        for one, own, total in zip(far, lines, lines if every is None else every, strict=True)
    )


def footprints(far: Sequence[Far]) -> Floats:
    """Lines that an lcore touches in turns, of shape (touches, scenarios)."""
    touches = np.array([one.touches for one in far])
    return touches[:, None] * _times(np.stack([one.distance for one in far]), touches)


def _times(distances: Floats, touches: Floats) -> Floats:
    """Packets between two touches of a line, of shape (touches, scenarios)."""
    order = np.argsort(distances, axis=0)
    rising = np.take_along_axis(distances, order, axis=0)
    rates = touches[order]
    farther = np.cumsum(rates[::-1], axis=0)[::-1]
    steps = np.diff(rising, axis=0, prepend=0.0) / farther
    found = np.empty_like(distances)
    np.put_along_axis(found, order, np.cumsum(steps, axis=0), axis=0)
    return found


def _overlap(one: Far) -> Overlap:
    if one.what is What.STORED:
        return Overlap.STORED
    return Overlap.PREFETCHED if one.prefetched else Overlap.INDEPENDENT
