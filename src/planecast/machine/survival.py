"""Survival: how long lines stay in this host's last level, from paced walks.

A walk touches the lines of a working set once a lap, each lap as long as its pace makes it; the
share of lines that are still there is the survival at that age. Lines that unknown tenants bring in
end them, and so does the walk itself where it is larger than the cache. Capacity, lifetime and the
shape of lifetimes together are fitted by the law of `machine.cache_sharing`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from planecast.machine.cache_sharing import hit_shares
from planecast.scenario.machine import LINE_BYTES

if TYPE_CHECKING:
    from planecast.instruments.host_state import SurvivalPoint

LEAST_MS, MOST_MS = 0.1, 10_000.0
_CAPACITY_SPREAD, _LIFETIME_SPREAD = 0.7, 3.0
_SHAPES = (1.0, 2.0, 3.0, 4.0, 6.0, 8.0)
"""Of lifetimes: from random replacement among steady insertions to the least recently used of some
ways. Others' insertions come and go, which makes a lifetime less regular than the ways would."""
_KNOWN = 0.05
"""Standard deviation of a survival: sampled lines, and a threshold between hit and miss."""


@dataclass(frozen=True)
class Lifetime:
    """What paced walks say of the last level."""

    capacity: float
    """Multiple of the level's size."""
    lifetime_ms: float
    """That a line stays when nobody here touches the level."""
    shape: float
    """Of lines' lifetimes, as `machine.hierarchy.Level.shape`."""
    misfit: float
    """Root mean square of the survivals' errors."""


def fitted_lifetime(
    points: Sequence[SurvivalPoint], size_bytes: float, private_bytes: float
) -> Lifetime | None:
    """Capacity, lifetime and shape of a level of this size; None without walks beyond private
    caches."""
    used = [point for point in points if point.working_set_bytes > 2 * private_bytes]
    if len(used) < 3:
        return None
    found = [_of_shape(used, size_bytes, private_bytes, shape) for shape in _SHAPES]
    return min(found, key=lambda one: one.misfit)


def _of_shape(
    used: Sequence[SurvivalPoint], size_bytes: float, private_bytes: float, shape: float
) -> Lifetime:
    """The best fit with one shape."""
    from scipy import optimize  # takes longer to load than a prediction takes

    lines = np.array([point.working_set_bytes / LINE_BYTES for point in used])
    laps = np.array([point.lap_seconds for point in used])
    survived = np.array([point.survived for point in used])

    def predicted(logs: np.ndarray) -> np.ndarray:
        capacity, lifetime = np.exp(logs)
        whole = capacity * size_bytes / LINE_BYTES
        # Time is counted in laps: a line is touched once each.
        inserted = whole / (lifetime * 1e-3) * laps
        served, _ = hit_shares(
            np.array([True]),
            lines[None],
            lines[None],
            np.full(lines.shape, whole),
            shape=shape,
            inserted=inserted,
        )
        # What the core's own caches hold survives whatever others do.
        own = np.minimum(private_bytes / LINE_BYTES / lines, 1.0)
        return np.asarray(np.maximum(served[0], own))

    def residuals(logs: np.ndarray) -> np.ndarray:
        prior = (logs - np.log([1.0, 30.0])) / [_CAPACITY_SPREAD, _LIFETIME_SPREAD]
        return np.concatenate([(predicted(logs) - survived) / _KNOWN, prior])

    starts = [np.log([1.0, ms]) for ms in (1.0, 10.0, 100.0)]
    bounds = (np.log([0.02, LEAST_MS]), np.log([4.0, MOST_MS]))
    best = min(
        (
            optimize.least_squares(residuals, start, bounds=bounds, diff_step=1e-3)
            for start in starts
        ),
        key=lambda found: float(found.cost),
    )
    capacity, lifetime = np.exp(best.x)
    misfit = float(np.sqrt(np.mean((predicted(best.x) - survived) ** 2)))
    return Lifetime(float(capacity), float(lifetime), shape, misfit)
