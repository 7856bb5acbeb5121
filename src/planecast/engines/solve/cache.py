"""Which share of the touches of each region a cache serves, for many scenarios at once.

Che's approximation: there is one time T, in packets, that a line stays after its last use, such
that the lines held by all regions together fill the cache. A line of a uniform region, touched at
rate r, is still there with probability 1 - exp(-rT). One of a cyclic region, touched every P
packets, would under exact LRU be there if T > P and never else; real replacement only comes near
to LRU, so the step is softened to 1 - exp(-(T/P)^4): 6 % at half the period, 63 % at the period,
all at twice.
Source: Che, Tung, Wang 2002; Fricker, Robert, Roberts 2012.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from planecast.engines.solve.regions import Region

Floats = NDArray[np.float64]

_SHARPNESS = 4
_STEPS = 48  # halvings of log T: from 2^48 to 1 in a billionth


def hit_shares(
    regions: Sequence[Region], capacity_lines: Floats, lcores: Floats, *, shared: bool
) -> list[Floats]:
    """Share of each region's touches that a cache of `capacity_lines` serves, per scenario.

    A shared cache holds what all lcores touch, touched so much more often. All arrays have the
    shape (scenarios,).
    """
    out = [np.zeros_like(lcores, bool) if shared else r.conflicts(capacity_lines) for r in regions]
    lines = [np.maximum(r.total_lines if shared else r.lines, 1e-9) for r in regions]
    factor = lcores if shared else np.ones_like(lcores)
    rates = [r.touches * factor / n for r, n in zip(regions, lines, strict=True)]
    used = [(r.touches > 0) & ~o for r, o in zip(regions, out, strict=True)]
    needed = sum(np.where(u, n, 0.0) for u, n in zip(used, lines, strict=True))
    low, high = np.full_like(lcores, -4.0), np.full_like(lcores, 44.0)
    for _ in range(_STEPS):
        middle = (low + high) / 2
        time = np.exp2(middle)
        held = sum(
            np.where(u, n * _held(r.cyclic, rate, time), 0.0)
            for r, u, n, rate in zip(regions, used, lines, rates, strict=True)
        )
        full = held >= capacity_lines
        high, low = np.where(full, middle, high), np.where(full, low, middle)
    time = np.exp2((low + high) / 2)
    fits = needed <= capacity_lines
    return [
        np.where(o, 0.0, np.where(fits, 1.0, _hit(r.cyclic, rate, time)))
        for r, rate, o in zip(regions, rates, out, strict=True)
    ]


def _hit(cyclic: bool, rate: Floats, time: Floats) -> Floats:
    if not cyclic:
        return np.asarray(-np.expm1(-rate * time))
    return np.asarray(-np.expm1(-((rate * time) ** _SHARPNESS)))


def _held(cyclic: bool, rate: Floats, time: Floats) -> Floats:
    """Share of a region's lines that are in the cache at any moment."""
    if not cyclic:
        return _hit(cyclic, rate, time)
    # A line is there for T of the P packets between two touches.
    return np.minimum(rate * time, 1.0)
