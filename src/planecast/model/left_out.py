"""Left out: calibration points as the others predict them, and the discrepancy that follows.

With the model linearised at its mode, parameters and errors are normal together, so no fit is done
again for a point that is left out (Rasmussen, Williams, Gaussian Processes for Machine Learning,
2006, section 5.4.2). The point that a point resembles most is left out with it: points of a study
are often one key apart, and what is asked later rarely is that close to one of them.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from planecast.model.calibration import Discrepancy

Floats = NDArray[np.float64]

CORE, CORE_SPREAD = 0.03, 0.6
"""Median of the discrepancy's part of the core, and deviation of its logarithm: a prior for few
points, which parameters and effects of stages can fit exactly. Thirteen calibrations of 22 to 56
points have 0.014 to 0.085, 0.029 in the geometric mean, with a deviation of 0.56."""
SCALES = (0.06, 0.2)
"""Of half-normal priors of its other parts, memory and neighbour: few points show them."""
LEAST_VARIANCE = 1e-8
"""Of a point: nothing is measured better than to a hundredth of a percent."""
FREEDOM = 8.0
"""Of Student's t of the errors of points left out, for the odd disturbed point; and so of
predictions; chosen by the likelihood of such errors
(docs/lab-notes/2026-11-28-behind-a-load.md)."""


@dataclass(frozen=True)
class Linear:
    """Points and priors about a mode; logarithms of parameters and costs count from there."""

    errors: Floats
    """Logarithm of measured over predicted cost, of shape (points,)."""
    slopes: Floats
    """Of the predicted costs' logarithms, of shape (points, parameters)."""
    variances: Floats
    """Of the measurements."""
    far_shares: Floats
    """As `Discrepancy.deviation` takes them, of shape (2, points)."""
    prior: Floats
    """Prior mean of the parameters, of shape (parameters,)."""
    spreads: Floats
    stage_precision: Floats
    """What each point's stage clocks say of the parameters: inverse covariance, of shape (points,
    parameters, parameters)."""
    stage_pull: Floats
    """Inverse covariance times what they say, of shape (points, parameters)."""

    @cached_property
    def _pairs(self) -> NDArray[np.intp]:
        """Each point and the one that answers to the parameters most as it does, of shape (points,
        2)."""
        answers = self.slopes * self.spreads
        apart = ((answers[:, None] - answers) ** 2).sum(axis=-1)
        np.fill_diagonal(apart, np.inf)
        return np.stack([np.arange(len(apart)), apart.argmin(axis=1)], axis=1)

    @cached_property
    def _without(self) -> tuple[Floats, Floats]:
        """(covariance that parameters give all points, errors at their mean) where a pair's stages
        are left out with it: of shape (points, points, points) and (points, points)."""
        own_precision = self.stage_precision[self._pairs].sum(axis=1)
        own_pull = self.stage_pull[self._pairs].sum(axis=1)
        precision = np.diag(1 / self.spreads**2) + self.stage_precision.sum(axis=0)
        pull = self.prior / self.spreads**2 + self.stage_pull.sum(axis=0)
        open_part = np.linalg.inv(precision - own_precision)
        means = np.einsum("nij,nj->ni", open_part, pull - own_pull)
        return self.slopes @ open_part @ self.slopes.T, self.errors - means @ self.slopes.T

    def left_out(self, discrepancy: Discrepancy) -> tuple[Floats, Floats]:
        """(error of each point as the points outside its pair predict it, predicted over measured;
        its variance)."""
        common, errors = self._without
        own = discrepancy.deviation(self.far_shares) ** 2 + self.variances + LEAST_VARIANCE
        # Of the inverse of the matrix without a pair's stages, the pair's columns.
        units = np.eye(own.size)[self._pairs].transpose(0, 2, 1)
        columns = np.linalg.solve(common + np.diag(own), units)
        pair = np.take_along_axis(columns, self._pairs[:, :, None], axis=1)
        among = np.linalg.inv(pair)[:, 0]
        found = (among * np.einsum("npk,np->nk", columns, errors)).sum(axis=1)
        return -found, among[:, 0]

    def likeliest(self) -> Discrepancy:
        """The discrepancy that makes the errors of points left out likeliest."""
        from scipy import optimize  # takes longer to load than a prediction takes

        def loss(logs: Floats) -> float:
            errors, variances = self.left_out(_discrepancy(logs))
            likely = (FREEDOM + 1) / 2 * np.log1p(errors**2 / variances / FREEDOM)
            prior = 0.5 * ((logs[0] - np.log(CORE)) / CORE_SPREAD) ** 2
            prior += 0.5 * ((np.exp(logs[1:]) / SCALES) ** 2).sum() - logs[1:].sum()
            return float((likely + 0.5 * np.log(variances)).sum() + prior)

        found = optimize.minimize(loss, np.log([CORE, *SCALES]), method="Nelder-Mead")
        return _discrepancy(found.x)


def _discrepancy(logs: Floats) -> Discrepancy:
    core, memory, neighbour = np.exp(logs).tolist()
    return Discrepancy(core=core, memory=memory, neighbour=neighbour)
