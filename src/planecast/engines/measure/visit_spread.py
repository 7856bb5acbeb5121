"""How much the visits of a point differ, by which it gets more of them than others.

Next to a stream, or behind a last level that other tenants use, visits of one point differed by
20 % (standard deviation), and by 0.3 % where a pipeline fits the private caches: on one host, in
one run. The sum of the points' standard errors is least when each gets visits in proportion to the
power 2/3 of that deviation (Neyman's allocation, with as much to pay for each visit). Drawn again
from the visits of four recorded runs, as many in all, points were 11 to 19 % nearer to what all of
their visits give than with as many for each, the farthest point 13 to 28 %. What is looked at is
how much visits differ, never what a point costs.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from planecast.engines.measure.estimate import QUANTILE

Floats = NDArray[np.float64]

LEAST, MOST = 1 / 3, 3.0
"""Share of the mean point's visits that a point gets: some are needed to see that they differ."""
_POWER = 2 / 3
_PRIOR_VISITS = 3.0
"""Visits' worth of the usual deviation that each point begins with."""
_FEW = 3.0
"""Degrees of freedom below which a point says nothing of itself."""
_ROUNDS = 16
"""In which shares within the bounds come to a mean of 1."""


class VisitSpread:
    """Of some points: how much visits of one process instance differ. More visits say no more of
    how instances do."""

    def __init__(self, points: int) -> None:
        self._squares: Floats = np.zeros(points)
        self._freedom: Floats = np.zeros(points)
        self.restarted()

    def restarted(self) -> None:
        """What comes now is of another process instance."""
        self._visits: Floats = np.zeros_like(self._squares)
        self._mean: Floats = np.zeros_like(self._squares)

    def add(self, point: int, costs: Sequence[Floats]) -> None:
        """Adds a visit by the costs of its undisturbed windows on each CPU, in any unit; one in
        which a CPU has none says nothing."""
        if not all(own.size for own in costs):
            return
        cost = np.mean([np.log(np.quantile(own, QUANTILE)) for own in costs])
        before = cost - self._mean[point]
        self._visits[point] += 1
        self._mean[point] += before / self._visits[point]
        self._squares[point] += before * (cost - self._mean[point])
        self._freedom[point] += self._visits[point] > 1

    def shares(self) -> Floats:
        """Visits that each point shall get, LEAST to MOST, of mean 1."""
        known = self._freedom >= _FEW
        if not known.any():
            return np.ones_like(self._squares)
        usual = np.median(self._squares[known] / self._freedom[known])
        squares, freedom = self._squares * known, self._freedom * known
        variance = (_PRIOR_VISITS * usual + squares) / (_PRIOR_VISITS + freedom)
        shares = np.power(variance, _POWER / 2)
        if not shares.any():
            return np.ones_like(shares)
        for _ in range(_ROUNDS):  # within the bounds, and of mean 1
            shares = np.clip(shares / shares.mean(), LEAST, MOST)
        return np.asarray(shares)
