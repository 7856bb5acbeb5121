"""The mean or the median of independent rounds and its 95 % interval, by Student's t."""

from __future__ import annotations

import functools
import math
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from planecast.results.estimate import Estimate, Kind

FEWEST_ROUNDS = 3
"""Rounds of counters from which on an interval is given: that of two is thirteen times as wide as
they are apart."""

DEVIATIONS = 1.4826
"""Standard deviation of a normal distribution over its median absolute deviation."""
_OF_FEW = {2: 1.196, 3: 1.495, 4: 1.363, 5: 1.206, 6: 1.200, 7: 1.140, 8: 1.129, 9: 1.107}
"""By so many rounds, how much more than `DEVIATIONS` that is in the mean; of more, n / (n - 0.8)
(Croux and Rousseeuw: Time-efficient algorithms for two highly robust estimators of scale, 1992)."""
_MEDIAN = 1.2533
"""Standard error of the median of normal values over that of their mean: the root of pi / 2."""

Rounds = NDArray[np.float64] | Sequence[float]


def half_width(rounds: Rounds) -> float:
    """Of the 95 % interval of the mean, in the rounds' own unit; of two rounds or more."""
    count = len(rounds)
    return t_quantile(count - 1) * float(np.std(rounds, ddof=1)) / math.sqrt(count)


def median_half_width(rounds: Rounds) -> float:
    """Of the 95 % interval of the median, in the rounds' own unit; of two rounds or more. Their
    spread is that of the median deviation, so a round that was disturbed says nothing of the
    others."""
    count = len(rounds)
    away = float(np.median(np.abs(np.asarray(rounds) - np.median(rounds))))
    spread = DEVIATIONS * _OF_FEW.get(count, count / (count - 0.8)) * away
    return t_quantile(count - 1) * _MEDIAN * spread / math.sqrt(count)


@functools.lru_cache(maxsize=256)
def t_quantile(freedom: int) -> float:
    """Student's t that 95 % of its distribution lie within, by whole degrees of freedom.

    Abramowitz and Stegun, 26.7.3 and 26.7.4: a finite sum, solved by Newton's method. scipy has it
    too, but takes longer to load than everything that asks here takes together.
    """
    t = 2.0
    log_peak = math.lgamma((freedom + 1) / 2) - math.lgamma(freedom / 2)
    peak = math.exp(log_peak) / math.sqrt(freedom * math.pi)
    for _ in range(60):
        density = peak * (1 + t * t / freedom) ** (-(freedom + 1) / 2)
        step = (_within(t, freedom) - 0.95) / (2 * density)
        t -= max(-t, min(step, t / 2))  # far out the density is flat: no further than twice
        if abs(step) < 1e-14 * t:
            break
    return t


def _within(t: float, freedom: int) -> float:
    """Probability of less than `t` to both sides."""
    angle = math.atan(t / math.sqrt(freedom))
    square = math.cos(angle) ** 2
    odd = freedom % 2
    term = math.cos(angle) if odd else 1.0
    total = term if freedom > 1 else 0.0
    for k in range(3 if odd else 2, freedom - 1, 2):
        term *= square * (k - 1) / k
        total += term
    if odd:
        return 2 / math.pi * (angle + math.sin(angle) * total)
    return math.sin(angle) * total


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
