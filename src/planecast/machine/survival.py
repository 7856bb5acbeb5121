"""Survival: how long lines stay in this host's last level, from paced walks.

A walk touches the lines of a working set once a lap, each lap as long as its pace makes it; the
share of lines that are still there is the survival at that age. Lines that unknown tenants bring in
end them, and so does the walk itself where it is larger than the cache. Lifetime and the shape of
lifetimes in a level of the size that the kernel says are fitted by the law of
`machine.cache_sharing`, as the model uses them.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from planecast.cache_line import LINE_BYTES
from planecast.machine.cache_sharing import hit_shares

if TYPE_CHECKING:
    from planecast.instruments.host_state import SurvivalPoint

LEAST_MS, MOST_MS = 0.1, 10_000.0
_MEDIAN_MS, _SPREAD = 30.0, 3.0
"""Of the lifetime before anything was measured; of its logarithm."""
_SHAPES = (1.0, 2.0, 3.0, 4.0, 6.0, 8.0)
"""Of lifetimes: from random replacement among steady insertions to the least recently used of some
ways. Others' insertions come and go, which makes a lifetime less regular than the ways would."""
_SURE, _UNSURE = 0.01, 0.1
"""Standard deviation of a survival s: `_SURE + _UNSURE * s * (1 - s)`. A threshold between hit and
miss errs by a hundredth; walks differ most in the middle, where the tenants' rate decides. A few
lines that are gone matter as much as many: each costs a wait for memory."""


class Lifetime(NamedTuple):
    """What paced walks say of the last level."""

    lifetime_ms: float
    """That a line stays when nobody here touches the level."""
    shape: float
    """Of lines' lifetimes, as `machine.hierarchy.Level.shape`."""


def fitted_lifetime(
    points: Sequence[SurvivalPoint], size_bytes: float, private_bytes: float
) -> Lifetime | None:
    """Lifetime and shape in a level of this size; None without walks beyond private caches."""
    used = [point for point in points if point.working_set_bytes > 2 * private_bytes]
    if len(used) < 3:
        return None
    found = [_of_shape(used, size_bytes, private_bytes, shape) for shape in _SHAPES]
    return min(found, key=lambda one: one[0])[1]


def _of_shape(
    used: Sequence[SurvivalPoint], size_bytes: float, private_bytes: float, shape: float
) -> tuple[float, Lifetime]:
    """(what is left of the errors, the best fit) with one shape."""
    from scipy import optimize  # takes longer to load than a prediction takes

    lines = np.array([point.working_set_bytes / LINE_BYTES for point in used])
    laps = np.array([point.lap_seconds for point in used])
    survived = np.array([point.survived for point in used])
    deviations = _SURE + _UNSURE * survived * (1 - survived)
    whole = size_bytes / LINE_BYTES

    def predicted(log_ms: float) -> np.ndarray:
        # Time is counted in laps: a line is touched once each.
        served, _ = hit_shares(
            np.array([True]),
            lines[None],
            lines[None],
            np.full(lines.shape, whole),
            shape=shape,
            inserted=whole / (np.exp(log_ms) * 1e-3) * laps,
        )
        # What the core's own caches hold survives whatever others do.
        own = np.minimum(private_bytes / LINE_BYTES / lines, 1.0)
        return np.asarray(np.maximum(served[0], own))

    def loss(log_ms: float) -> float:
        errors = (predicted(log_ms) - survived) / deviations
        prior = (log_ms - np.log(_MEDIAN_MS)) / _SPREAD
        return float((errors**2).sum() + prior**2)

    # The loss is flat where nothing or all survives: the best of a grid is where to look closer.
    grid = np.linspace(np.log(LEAST_MS), np.log(MOST_MS), 47)
    best = grid[np.argmin([loss(log_ms) for log_ms in grid])]
    step = float(grid[1] - grid[0])
    found = optimize.minimize_scalar(loss, bounds=(best - step, best + step), method="bounded")
    return float(found.fun), Lifetime(float(np.exp(found.x)), shape)
