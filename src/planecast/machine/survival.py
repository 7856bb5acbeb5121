"""Survival: how long lines stay in this host's last level, from paced walks.

A walk touches the lines of a working set once a lap, each lap as long as its pace makes it; the
share of lines that are still there is the survival at that age. Lines that unknown tenants bring in
end them, and so does the walk itself where it is larger than the cache. Lifetime and the shape of
lifetimes in a level of the size that the kernel says are fitted by the law of
`machine.cache_sharing`, as the model uses them.

Walks next to another CPU that streams from memory show how many of the lines that it reads take
room: some caches let such lines go first, and others' insertions may hide it, so it comes with the
spread of its posterior.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray

from planecast.cache_line import LINE_BYTES
from planecast.machine.cache_sharing import hit_shares

if TYPE_CHECKING:
    from planecast.instruments.host_state import StreamedSurvival, SurvivalPoint

Floats = NDArray[np.float64]

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

SHARE_MEDIAN, SHARE_SPREAD = 0.7, 0.7
"""Of the share of a stream's lines that take room, before it was measured; of its logarithm."""


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
    walks = _Walks.of(used, size_bytes, private_bytes)
    found = [_of_shape(walks, shape) for shape in _SHAPES]
    return min(found, key=lambda one: one[0])[1]


def fitted_stream_share(
    streamed: Sequence[StreamedSurvival],
    lifetime: Lifetime,
    size_bytes: float,
    private_bytes: float,
) -> tuple[float, float]:
    """(share of a stream's lines that take room in the level, spread of its logarithm) by walks
    next to streams, where lines stay so long without one; the prior's without such walks."""
    pairs = [
        (point, one.lines_per_second)
        for one in streamed
        for point in one.survival
        if point.working_set_bytes > 2 * private_bytes
    ]
    if len(pairs) < 3:
        return SHARE_MEDIAN, SHARE_SPREAD
    walks = _Walks.of([point for point, _ in pairs], size_bytes, private_bytes)
    rates = np.array([rate for _, rate in pairs])
    background = walks.whole / (lifetime.lifetime_ms * 1e-3)
    grid = np.log(SHARE_MEDIAN) + SHARE_SPREAD * np.linspace(-4, 4, 161)
    errors = np.array(
        [walks.errors(lifetime.shape, background + np.exp(log) * rates) for log in grid]
    )
    losses = np.sum(errors**2, axis=1)
    # What no share explains is error of every share.
    losses /= max(float(losses.min()) / (len(pairs) - 1), 1.0)
    weights = np.exp((losses.min() - losses) / 2 - np.linspace(-4, 4, grid.size) ** 2 / 2)
    weights /= weights.sum()
    mean = float(weights @ grid)
    return float(np.exp(mean)), float(np.sqrt(weights @ (grid - mean) ** 2))


class _Walks(NamedTuple):
    """Paced walks: arrays of shape (walks,)."""

    lines: Floats
    laps: Floats
    """Seconds."""
    survived: Floats
    own: Floats
    """Share that the core's own caches hold: it survives whatever others do."""
    whole: float
    """Lines of the level."""

    @classmethod
    def of(cls, points: Sequence[SurvivalPoint], size_bytes: float, private_bytes: float) -> _Walks:
        lines = np.array([point.working_set_bytes / LINE_BYTES for point in points])
        return cls(
            lines,
            np.array([point.lap_seconds for point in points]),
            np.array([point.survived for point in points]),
            np.minimum(private_bytes / LINE_BYTES / lines, 1.0),
            size_bytes / LINE_BYTES,
        )

    def errors(self, shape: float, inserted: Floats | float) -> Floats:
        """Of the law's survival, in standard deviations, where others bring in so many lines a
        second."""
        # Time is counted in laps: a line is touched once each.
        served = hit_shares(
            np.array([True]),
            self.lines[None],
            self.lines[None],
            np.full(self.lines.shape, self.whole),
            shape=shape,
            inserted=inserted * self.laps,
        )
        deviations = _SURE + _UNSURE * self.survived * (1 - self.survived)
        return np.asarray((np.maximum(served[0], self.own) - self.survived) / deviations)


def _of_shape(walks: _Walks, shape: float) -> tuple[float, Lifetime]:
    """(what is left of the errors, the best fit) with one shape."""
    from scipy import optimize  # takes longer to load than a prediction takes

    def loss(log_ms: float) -> float:
        errors = walks.errors(shape, walks.whole / (np.exp(log_ms) * 1e-3))
        prior = (log_ms - np.log(_MEDIAN_MS)) / _SPREAD
        return float((errors**2).sum() + prior**2)

    # The loss is flat where nothing or all survives: the best of a grid is where to look closer.
    grid = np.linspace(np.log(LEAST_MS), np.log(MOST_MS), 47)
    best = grid[np.argmin([loss(log_ms) for log_ms in grid])]
    step = float(grid[1] - grid[0])
    found = optimize.minimize_scalar(loss, bounds=(best - step, best + step), method="bounded")
    return float(found.fun), Lifetime(float(np.exp(found.x)), shape)
