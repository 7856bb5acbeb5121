"""Canaries: fixed pieces of work next to a measurement, whose own cost shows the machine's state.

On a shared machine disturbance goes one way only, to slower, and comes in states that last seconds
to minutes (a busy hyper-thread sibling that a guest can't see). So the lowest cost that a canary
shows often is the undisturbed one, and a measurement counts as undisturbed when both of its
canaries do (`undisturbed`), or, where the core's clock moves too, when both read what many others
do (`settled`). Everything here is a pure function of arrays.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

TOLERANCE = 0.03
"""The distance from the low mode that a canary may have. Undisturbed ones lie within 0.2 %; a busy
sibling costs 20 % and more, so anything between separates them."""

AGREEMENT = 0.01
"""The difference between two canaries that may be undisturbed, before and after a measurement, at
the most."""
LINE = 0.005
"""Relative width in which undisturbed canaries at one clock read: a step of the TSC is 0.15 % of
one. Next to a sibling that is always busy two in a row may agree, but never so many so nearly."""
_LINE_SHARE = 0.05
"""Share of the canaries that agree which makes a line: twice what readings have that are spread
evenly over all that `CEILING` allows."""
CEILING = 1.2
"""Clock steps move an undisturbed canary by less than this (2.37 to 2.80 cycles a round were seen
within a minute); a busy sibling by more, and hardly ever twice by the same."""

_WIDTH = 0.01
"""Relative width of the window in which canaries count as one mode."""
_SHARE = 0.02
"""Share of all canaries that makes a mode of a window: a few lucky readings don't."""

_BUSY_END = 2.0
"""Times the low mode; a canary above it was stopped."""


def low_mode(canaries: ArrayLike) -> float:
    """The dense lowest mode of canaries, in their unit.

    That is the median of the lowest window, 1 % wide, that holds 2 % of them and at least three.
    Slow canaries don't move it, however many there are up to fifty times the undisturbed. Raises
    ValueError for no canaries, and for one that isn't a positive number.
    """
    values = np.sort(_checked(canaries).ravel())
    ends = np.searchsorted(values, values * (1 + _WIDTH), side="right")
    counts = ends - np.arange(values.size)
    dense = np.flatnonzero(counts >= max(3, int(np.ceil(_SHARE * values.size))))
    if dense.size == 0:
        return float(np.quantile(values, 0.02))
    start = int(dense[0])
    return float(np.median(values[start : int(ends[start])]))


def undisturbed(
    canaries: ArrayLike, mode: float | None = None, tolerance: float = TOLERANCE
) -> NDArray[np.bool_]:
    """Which measurements are undisturbed: all their canaries are near the low mode.

    `canaries` has a row a measurement, (before, after). `mode` is the undisturbed cost when it's
    known from more canaries than these. Near means within `tolerance`, relative, on both sides: a
    core that runs faster for once is in another state too. Raises ValueError as low_mode does.
    """
    values = _pairs(canaries)
    centre = low_mode(values) if mode is None else mode
    near: NDArray[np.bool_] = np.abs(values - centre) <= tolerance * centre
    return np.asarray(near.all(axis=1), dtype=np.bool_)


@dataclass(frozen=True)
class Lines:
    """What undisturbed canaries of one CPU read: a narrow line at each clock that its core had."""

    floor: float
    """The reading at the fastest clock (`settled_floor`)."""
    ends: NDArray[np.float64]
    """Shape (lines, 2), ascending; without any, canaries that agree below the ceiling count."""

    def hold(self, pairs: NDArray[np.float64]) -> NDArray[np.bool_]:
        """Which pairs have both canaries in the same line."""
        if len(self.ends) == 0:
            return _below_ceiling(pairs, self.floor)
        lows, highs = self.ends.T
        at = np.maximum(np.searchsorted(lows, pairs.min(axis=1), side="right") - 1, 0)
        inside = (pairs.min(axis=1) >= lows[at]) & (pairs.max(axis=1) <= highs[at])
        return np.asarray(inside, dtype=np.bool_)


def lines(canaries: ArrayLike) -> Lines:
    """The lines that one CPU's canaries show, a row a measurement: readings around which, `LINE`
    wide, lie a twentieth of those that agree, and three at least. Raises ValueError as low_mode
    does."""
    values = _pairs(canaries)
    floor = settled_floor(values)
    read = np.sort(values[_below_ceiling(values, floor)].mean(axis=1))
    first, last = read * (1 - LINE / 2), read * (1 + LINE / 2)
    count = np.searchsorted(read, last, side="right") - np.searchsorted(read, first)
    dense = count >= max(3, int(np.ceil(_LINE_SHARE * read.size)))
    if not dense.any():
        return Lines(floor, np.empty((0, 2)))
    # Dense readings within half a width of each other are one line.
    lows, highs = first[dense], last[dense]
    new = np.flatnonzero(np.concatenate([[True], lows[1:] > highs[:-1]]))
    return Lines(floor, np.stack([lows[new], highs[[*(new[1:] - 1), -1]]], axis=1))


def settled(canaries: ArrayLike, known: Lines | None = None) -> NDArray[np.bool_]:
    """Which measurements are undisturbed, at whatever clock the core ran.

    The clock of a shared machine moves in steps that last milliseconds to minutes, and an
    undisturbed compute canary follows exactly; one with a busy sibling reads differently each time.
    So both canaries shall lie in one of the lines, by default `lines` of these. Raises ValueError
    as low_mode does.
    """
    values = _pairs(canaries)
    return (lines(values) if known is None else known).hold(values)


def busy(canaries: ArrayLike, floor: float | None = None) -> NDArray[np.bool_]:
    """Which measurements had a busy sibling before and after: both canaries read more than any
    clock step explains, and less than when we did not run at all.

    `floor` is the cost at the fastest clock (`settled_floor`). Raises ValueError as low_mode does.
    """
    values = _pairs(canaries)
    lowest = settled_floor(values) if floor is None else floor
    inside = (values > CEILING * lowest) & (values <= _BUSY_END * lowest)
    return np.asarray(inside.all(axis=1), dtype=np.bool_)


def settled_floor(canaries: ArrayLike) -> float:
    """The lowest dense mode of the measurements whose two canaries agree, in their unit."""
    values = _pairs(canaries)
    agreeing = values[_agree(values)]
    return low_mode(agreeing if len(agreeing) else values)


def _below_ceiling(pairs: NDArray[np.float64], floor: float) -> NDArray[np.bool_]:
    """Which pairs agree, and at what a clock step explains."""
    return np.asarray(_agree(pairs) & (pairs.max(axis=1) <= CEILING * floor), dtype=np.bool_)


def _agree(pairs: NDArray[np.float64]) -> NDArray[np.bool_]:
    return np.asarray(np.ptp(pairs, axis=1) <= AGREEMENT * pairs.min(axis=1), dtype=np.bool_)


def _pairs(canaries: ArrayLike) -> NDArray[np.float64]:
    values = _checked(canaries)
    if values.ndim != 2:
        raise ValueError(f"a row a measurement is needed, not an array of shape {values.shape}")
    return values


def _checked(canaries: ArrayLike) -> NDArray[np.float64]:
    values = np.asarray(canaries, dtype=np.float64)
    if values.size == 0:
        raise ValueError("there are no canaries")
    if not bool(np.all(np.isfinite(values) & (values > 0))):
        raise ValueError("a canary's cost is not a positive number")
    return values
