"""The mean of independent rounds and its 95 % interval, by Student's t."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray
from scipy import stats

from planecast.results.estimate import Estimate, Kind

FEWEST_ROUNDS = 3
"""Rounds of counters from which on an interval is told: that of two is thirteen times as wide as
they are apart."""

Rounds = NDArray[np.float64] | Sequence[float]


def half_width(rounds: Rounds) -> float:
    """Of the 95 % interval of the mean, in the rounds' own unit; of two rounds or more."""
    count = len(rounds)
    quantile = float(stats.t.ppf(0.975, count - 1))
    return quantile * float(np.std(rounds, ddof=1)) / math.sqrt(count)


def mean_estimate(rounds: Rounds, unit: str, kind: Kind, *, fewest: int = 2) -> Estimate:
    """The mean of one round or more, without an interval where they are fewer than `fewest`."""
    mean = float(np.mean(rounds))
    half = half_width(rounds) if len(rounds) >= fewest else None
    return Estimate(
        value=mean,
        low=None if half is None else mean - half,
        high=None if half is None else mean + half,
        samples=len(rounds),
        unit=unit,
        kind=kind,
    )
