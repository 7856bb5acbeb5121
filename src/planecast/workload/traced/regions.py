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
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from planecast.scenario.dataplane import kind_in
from planecast.workload.regions import Overlap, Region
from planecast.workload.traced.program_profile import SOURCE, Far, What

Floats = NDArray[np.float64]
_LEAST = 1e-9
"""Touches a packet: there are none that are farther, and no time passes."""
_NAMES = {What.LOADED: "loaded", What.STORED: "stored", What.PAGES: "pages"}


class Loop(NamedTuple):
    """How a program works on a burst."""

    waits: float = 2.0
    """Lines of a burst that are waited for alone: those at its beginning and its end."""
    in_flight: float = 16.0
    """Lines that wait together in the middle of a long burst: so many a core can wait for."""
    made_at_once: int = 1
    """Packets that are made together, however many come in a burst."""


LOOPS = {"vpp": Loop(0.0, 8.0, 256)}
"""By program. VPP's packet generator fills a frame of its own (VLIB_FRAME_SIZE), and a node works
on all packets of a burst in a loop that does nothing else: four at a time, with the lines of the
next four asked for. So as many are in flight in short bursts as in long ones."""


def loop_of(subject: str) -> Loop:
    """Of a program, as `Scenario.forwards` has it."""
    return LOOPS.get(kind_in(subject), Loop())


def traced_regions(
    far: Sequence[Far],
    bursts: Floats,
    every: Floats | None = None,
    loop: Loop = Loop(),  # noqa: B008 - a value
) -> tuple[Region, ...]:
    """The regions of one lcore's touches, of lines or of pages, in bursts of so many packets, which
    a `loop` works on; `every` has the lines of all lcores together by touch (None: there is one
    lcore).

    Packets of a burst are independent, but those of two bursts are too far apart for a core to see
    both: its first line and its last one are waited for alone, and of those between sixteen
    together. So a burst of n lines waits for 2 + n ÷ 16 of them (chosen by cross-validation; of
    programs that are known, as `LOOPS` says).
    """
    if not far:
        return ()
    in_flight = _in_flight(bursts, loop)
    in_making = _in_flight(np.maximum(bursts, loop.made_at_once), loop)
    lines = footprints(far)
    return tuple(
        Region(
            stage=one.stage,
            name=_NAMES[one.what],
            cyclic=True,
            lines=own,
            touches=np.broadcast_to(one.touches, own.shape).copy(),
            pages=own,
            total_lines=total,
            overlap=_overlap(one),
            in_flight=in_making if one.stage == SOURCE else in_flight,
        )
        for one, own, total in zip(far, lines, lines if every is None else every, strict=True)
    )


def buffer_lines(lines: Floats, share: Floats, buffers: Floats, bursts: Floats) -> Region:
    """Lines of packet buffers that what makes the packets stores to, so many in each: a `share` of
    the packets get the next of all the pool's `buffers`."""
    every = lines * buffers * (share > 0)
    return Region(
        stage=SOURCE,
        name="buffers",
        cyclic=True,
        lines=every,
        touches=lines * share,
        pages=every,
        total_lines=every,
        overlap=Overlap.STORED,
        in_flight=_in_flight(bursts, Loop()),
    )


def _in_flight(bursts: Floats, loop: Loop) -> Floats:
    """Lines of a burst that wait together, in the mean."""
    together = 1.0 / (loop.waits / bursts + 1.0 / loop.in_flight)
    return np.asarray(np.clip(together, 1.0, bursts))


def footprints(far: Sequence[Far]) -> Floats:
    """Lines that an lcore touches in turns, of shape (touches, scenarios)."""
    distances = np.stack([one.distance for one in far])
    touches = np.stack([np.broadcast_to(one.touches, distances.shape[1:]) for one in far])
    return touches * _times(distances, touches)


def _times(distances: Floats, touches: Floats) -> Floats:
    """Packets between two touches of a line, of shape (touches, scenarios)."""
    order = np.argsort(distances, axis=0)
    rising = np.take_along_axis(distances, order, axis=0)
    rates = np.take_along_axis(touches, order, axis=0)
    farther = np.cumsum(rates[::-1], axis=0)[::-1]
    steps = np.diff(rising, axis=0, prepend=0.0) / np.maximum(farther, _LEAST)
    found = np.empty_like(distances)
    np.put_along_axis(found, order, np.cumsum(steps, axis=0), axis=0)
    return found


def _overlap(one: Far) -> Overlap:
    if one.what is What.STORED:
        return Overlap.STORED
    return Overlap.PREFETCHED if one.prefetched else Overlap.INDEPENDENT
