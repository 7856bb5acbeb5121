"""Which share of the touches of each region a cache serves, for many scenarios at once.

Che's approximation: there is one time T, in packets, that a line stays after its last use, such
that the lines held by all regions together fill the cache. A line of a uniform region, touched at
rate r, is still there with probability 1 - exp(-rT). One of a cyclic region, touched every P
packets, would under exact LRU be there if T > P and never else; real replacement only comes near
to LRU, so the step is softened to 1 - exp(-(T/P)^4): 6 % at half the period, 63 % at the period,
all at twice.
Source: Che, Tung, Wang 2002; Fricker, Robert, Roberts 2012.

The lines held are a concave function of T, so Newton's steps from below never pass the root, and
from the root of a smaller cache they need a few to that of a larger one.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from planecast.engines.solve.regions import Region

Floats = NDArray[np.float64]

_STEPS = 200  # a cache a millionth short of what is needed takes some 20
_EXACT = 1e-7  # relative step of T; the error left is the square of it
_FOR_EVER = 1e30  # packets that a line stays where everything fits


def hit_shares(
    regions: Sequence[Region], capacity_lines: Floats, lcores: Floats, *, shared: bool
) -> list[Floats]:
    """Share of each region's touches that a cache of `capacity_lines` serves, per scenario.

    A shared cache holds what all lcores touch, touched so much more often. All arrays have the
    shape (scenarios,).
    """
    out = [np.zeros_like(lcores, bool) if shared else r.conflicts(capacity_lines) for r in regions]
    residents = Residents(regions, lcores, out, shared=shared)
    return list(residents.shares(capacity_lines))


class Residents:
    """The regions that share a cache in many scenarios, for caches of rising size."""

    def __init__(
        self,
        regions: Sequence[Region],
        lcores: Floats,
        out: Sequence[NDArray[np.bool_]],
        *,
        shared: bool,
    ) -> None:
        """`out` says where a region can't be held: it then takes no room."""
        self._uniform = [i for i, region in enumerate(regions) if not region.cyclic]
        self._cyclic = [i for i, region in enumerate(regions) if region.cyclic]
        factor = lcores if shared else 1.0
        self._out = np.stack(out)
        lines = np.stack([r.total_lines if shared else r.lines for r in regions])
        touches = np.stack([r.touches for r in regions]) * factor
        lines = np.maximum(lines, 1e-9)
        self._rates = touches / lines
        used = (touches > 0) & ~self._out
        self._lines = np.where(used, lines, 0.0)
        self._touches = np.where(used, touches, 0.0)
        self._needed = self._lines.sum(axis=0)
        self._conflicts = bool(self._out.any())
        self._last = (np.zeros_like(lcores), np.zeros_like(lcores))

    def shares(self, capacity_lines: Floats) -> Floats:
        """Share of the touches that are served, of shape (regions, scenarios)."""
        time = self._time(capacity_lines)
        reuse = self._rates * time
        for i in self._cyclic:
            reuse[i] *= reuse[i]
            reuse[i] *= reuse[i]
        np.negative(reuse, out=reuse)
        np.exp(reuse, out=reuse)
        np.subtract(1.0, reuse, out=reuse)
        if self._conflicts:
            reuse[self._out] = 0.0
        # What fits is there, touched or not.
        return np.where((self._needed <= capacity_lines) & ~self._out, 1.0, reuse)

    def _time(self, capacity: Floats) -> Floats:
        """Packets that a line stays: where the lines held are as many as the cache has."""
        smaller, start = self._last
        most = np.maximum(self._touches.sum(axis=0), 1e-300)
        # Nothing is held at T = 0, so its Newton step is known; the last root is as good a start.
        time: Floats = np.maximum(capacity / most, np.where(smaller <= capacity, start, 0.0))
        rows = np.flatnonzero(self._needed > capacity)
        found = time[rows]
        if len(rows):
            self._newton(rows, found, np.broadcast_to(capacity, time.shape)[rows])
        time.fill(_FOR_EVER)
        time[rows] = found
        self._last = (np.broadcast_to(capacity, time.shape), np.where(time < _FOR_EVER, time, 0.0))
        return time

    def _newton(self, rows: NDArray[np.intp], found: Floats, capacity: Floats) -> None:
        """Improve `found`, the times of `rows`, in place; rows that are exact are left out."""
        whole = len(rows) == len(self._needed)

        def of(table: Floats, regions: list[int]) -> list[Floats]:
            used = [i for i in regions if np.any(self._touches[i])]
            return [table[i] if whole else table[i][rows] for i in used]

        open_rows = np.arange(len(rows))
        time = found.copy()
        tables3 = (self._lines, self._touches, self._rates)
        uniform = list(zip(*(of(t, self._uniform) for t in tables3), strict=True))
        cyclic = list(
            zip(*(of(t, self._cyclic) for t in (self._lines, self._touches)), strict=True)
        )
        for _ in range(_STEPS):
            room, slope = capacity.copy(), np.full_like(time, 1e-300)
            for lines, touches, rates in uniform:
                gone = np.exp(-rates * time)
                slope += touches * gone
                gone -= 1.0
                gone *= lines
                room += gone
            for lines, touches in cyclic:
                held = touches * time
                slope += touches * (held < lines)
                room -= np.minimum(held, lines, out=held)
            step = room / slope
            time += step
            still = step > _EXACT * time
            count = int(np.count_nonzero(still))
            if count == 0:
                break
            if count < 0.6 * len(time):
                found[open_rows] = time
                open_rows, time, capacity = open_rows[still], time[still], capacity[still]
                uniform = [(a[still], b[still], c[still]) for a, b, c in uniform]
                cyclic = [(a[still], b[still]) for a, b in cyclic]
        found[open_rows] = time
