"""Which windows of a visit count: settled canaries, and caches that are our own again."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from planecast.instruments.canary import Lines, settled

STOPPED = 2.5
"""A window that takes so many times the visit's median was interrupted: another process, or another
guest, ran on our CPU. A busy sibling costs less than twice."""
STOPPED_CANARY = 4.0
"""The same of a canary, in multiples of its floor: a busy sibling costs less than twice."""
AROUND, SETTLED_SHARE = 9, 0.6
"""Of so many windows around one, it among them, this share shall be settled. Next to a sibling that
is half busy, one window in ten is settled by chance, and costs what disturbed ones do; where the
core is our own, nearly all are."""
COLD_PACKETS = 16384
"""Packets after an interruption until the private caches are full again: a round of destinations.
Pipelines that fill the L2 were measured to cost 35 % more just after one, 10 % after this many."""


def undisturbed_windows(
    canaries: NDArray[np.float64],
    cycles: NDArray[np.float64],
    packets: NDArray[np.float64],
    lines: Lines,
) -> NDArray[np.bool_]:
    """Which windows of one CPU in one visit are undisturbed, in the order they were taken in.

    `canaries` has a row a window, (before, after); `lines` are what that CPU's undisturbed ones
    read.
    """
    before, after = (canaries > STOPPED_CANARY * lines.floor).T
    stopped = before | (cycles > STOPPED * np.median(cycles))
    # What comes after a stop is cold; a stop in the canary after a window is the next one's.
    stopped[1:] |= after[:-1]
    done = np.cumsum(packets) - packets
    last = np.maximum.accumulate(np.where(stopped, done, -np.inf))
    warm = done - last >= COLD_PACKETS
    return np.asarray(_among_settled(settled(canaries, lines)) & warm, dtype=np.bool_)


def _among_settled(found: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Those of the settled windows that have settled ones around them, before and after."""
    half, size = AROUND // 2, len(found)

    def around(counts: NDArray[np.float64]) -> NDArray[np.float64]:
        return np.convolve(counts, np.ones(AROUND))[half : half + size]

    share = around(found.astype(np.float64)) / around(np.ones(size))
    return np.asarray(found & (share >= SETTLED_SHARE - 1e-9), dtype=np.bool_)
