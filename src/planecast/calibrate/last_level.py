"""Which size of the last cache level a fit goes by, and how fast a neighbour's stream fills it.

A tenant's share of the last level is not what is probed, so sizes are tried, and so are shares of
the room that a stream takes. Points tell some of them apart; of the likely ones the middle counts.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

LAST_LEVEL_FACTORS = (0.25, 0.35, 0.5, 0.7, 0.85, 1.0, 1.2, 1.4, 2.0, 2.8, 4.0, 5.6, 8.0)
"""Sizes, over the probed one."""
STREAM_SHARES = (1.0, 0.3, 0.1, 0.03)
"""How fast a neighbour's stream takes room in the last level, over what LRU would give it."""
PROBED_WITHIN = float(np.log(2))
"""Standard deviation of the logarithm of the last level over the probed one: a tenant's share of it
moves by such factors."""
NEAR_BEST = 0.1
"""Sizes that are this likely beside the likeliest one may be the true ones."""
SAME_LOSS = 1e-3
"""Losses that differ by less are one: the fit's own precision."""


@dataclass(frozen=True)
class LastLevels:
    """What the fits say of the last level."""

    stream_share: float
    factor: float
    """The middle of the likely sizes, over the probed one."""
    others: tuple[float, ...]
    """Sizes that were tried, and may as well be the true one."""


def likely_last_levels(losses: Mapping[float, Mapping[float, float]], points: int) -> LastLevels:
    """From the losses of fits to so many points, by a stream's share and the last level's size."""
    weights = _weights(losses, points)
    share = max(weights, key=lambda one: sum(weights[one].values()))
    likely = weights[share]
    factor = _middle(likely)
    least = NEAR_BEST * max(likely.values())
    return LastLevels(
        share, factor, tuple(f for f, weight in likely.items() if f != factor and weight >= least)
    )


def _weights(
    losses: Mapping[float, Mapping[float, float]], points: int
) -> dict[float, dict[float, float]]:
    """How likely each is: by how well it fits, for so many points of unknown error, and by how far
    the size is from the probed one."""
    least = min(loss for sizes in losses.values() for loss in sizes.values())

    def weight(factor: float, loss: float) -> float:
        likelihood = ((least + SAME_LOSS) / (loss + SAME_LOSS)) ** (points / 2)
        return float(likelihood * np.exp(-0.5 * (np.log(factor) / PROBED_WITHIN) ** 2))

    return {
        share: {factor: weight(factor, loss) for factor, loss in sizes.items()}
        for share, sizes in losses.items()
    }


def _middle(weights: Mapping[float, float]) -> float:
    """The likely sizes' geometric mean. The likeliest alone would leap from one end of those that
    fit alike to the other when a point moves by a percent, and predictions beyond the calibrated
    range with it."""
    logs = np.log(list(weights))
    return float(f"{np.exp(np.average(logs, weights=list(weights.values()))):.3g}")
