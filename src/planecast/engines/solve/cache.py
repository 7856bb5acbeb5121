"""Which share of the touches of each region a cache serves, for many scenarios at once.

Che's approximation: there is one time T, in packets, that a line stays after its last use, such
that the lines held by all regions together fill the cache. A line of a uniform region, touched at
rate r, is still there with probability 1 - exp(-rT). One of a cyclic region, touched every P
packets, would under exact LRU be there if T > P and never else; real replacement only comes near
to LRU, so the step is softened to 1 - exp(-(T/P)^4): 6 % at half the period, 63 % at the period,
all at twice.
Source: Che, Tung, Wang 2002; Fricker, Robert, Roberts 2012.

The lines held are a concave function of T whose bend is known, so Halley's steps find the root, and
from the root of a smaller cache they need a few to that of a larger one. They are native code
(native/closedform), for they are most of what the closed form computes.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from planecast.engines.solve import _residents
from planecast.engines.solve.regions import Region

Floats = NDArray[np.float64]


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
        self._cyclic = np.array([region.cyclic for region in regions], dtype=np.bool_)
        self._out = np.stack(out)
        lines = np.stack([r.total_lines if shared else r.lines for r in regions])
        touches = np.stack([r.touches for r in regions])
        if shared:
            touches *= lcores
        np.maximum(lines, 1e-9, out=lines)
        self._rates = touches / lines
        unused = (touches <= 0) | self._out
        lines[unused] = 0.0
        touches[unused] = 0.0
        self._lines, self._touches = lines, touches
        self._time = np.zeros_like(lcores)
        self._smaller = np.zeros_like(lcores)

    def shares(self, capacity_lines: Floats) -> Floats:
        """Share of the touches that are served, of shape (regions, scenarios)."""
        capacity = np.ascontiguousarray(np.broadcast_to(capacity_lines, self._time.shape))
        # The time in a smaller cache is a guess from below; that in a larger one is none.
        self._time[self._smaller > capacity] = 0.0
        self._smaller = capacity
        found = np.empty_like(self._rates)
        _residents.hit_shares(
            self._cyclic,
            self._lines,
            self._touches,
            self._rates,
            self._out,
            capacity,
            self._time,
            found,
        )
        return found
