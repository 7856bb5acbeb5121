"""Posterior: parameters from calibration points and priors, by Laplace's approximation.

The logarithms of measured and predicted costs differ by a normal error, of the measurement's own
deviation and the model's (`Discrepancy`); the logarithms of parameters have normal priors
(`machine.parameter`). The mode is found by nonlinear least squares with a soft loss, for a point
that the machine disturbed must not bend the others; the covariance is that of the linearised model.
How wrong the model is (`Discrepancy`) comes from each point predicted by the others. Nothing is
searched on a grid, and nothing is fixed by what is held out.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from planecast.machine.caches import Others
from planecast.machine.hierarchy import Hierarchy
from planecast.machine.parameter import Parameter
from planecast.machine.registry import CORE, MECHANISMS
from planecast.model.calibration import CURVED, Discrepancy
from planecast.model.far_shares import far_shares
from planecast.model.left_out import Linear
from planecast.model.neighbours import neighbours_of
from planecast.model.stage_cost import StageCost, stage_cost, values_of
from planecast.workload.profile import WorkloadProfile

Floats = NDArray[np.float64]

FIRST_DISCREPANCY = Discrepancy(core=0.02, memory=0.05, neighbour=0.1)
"""Before any point was left out: a start, of which nothing is left after the second round."""
FIRST_ATTRIBUTION = 0.05
"""The same of what stages' clocks attribute to a stage, as a share of the whole point."""
ALIKE = 2.0
"""How many times its deviation a clock of one of our stages counts with: what it misattributes in
one point it misattributes in all that resemble it."""
LEAKING = 8.0
"""Packets of a burst in which a clock misattributes twice as large a share as in long ones: a stage
leaves what it waits for at its end to the next one, once a burst."""
SOFT = 3.0
"""Standard deviations beyond which an error counts less than its square."""
ROUNDS = 2


@dataclass(frozen=True)
class Points:
    """Calibration points: arrays of shape (points,)."""

    profile: WorkloadProfile
    cycles: Floats
    """TSC cycles a packet, as measured."""
    deviations: Floats
    """Relative standard deviations of the measurements."""
    clocks: Mapping[str, Floats]
    """TSC cycles a packet by what the data plane's own clock times (`WorkloadProfile.clocked`); NaN
    where that did not run or was not timed."""


@dataclass(frozen=True)
class Posterior:
    """What points and priors say of the parameters."""

    parameters: tuple[Parameter, ...]
    logarithms: Floats
    covariance: Floats
    """Of the logarithms."""
    discrepancy: Discrepancy

    @property
    def informed(self) -> Floats:
        """Share of each prior's variance that the points took away."""
        prior = np.array([one.spread for one in self.parameters]) ** 2
        return np.asarray(np.clip(1 - np.diag(self.covariance) / prior, 0.0, 1.0))


def parameters_of(profile: WorkloadProfile, hierarchy: Hierarchy) -> tuple[Parameter, ...]:
    """All parameters of the mechanisms on a machine, and the effects of a workload's stages."""
    found = [
        one
        for mechanism in MECHANISMS
        if mechanism.applies(profile)
        for one in mechanism.parameters(hierarchy)
    ]
    return (*found, *(CORE.effect(stage) for stage in profile.stages))


def posterior(points: Points, hierarchy: Hierarchy) -> Posterior:
    """Fits the parameters to points, and finds how wrong the model is where it has no point."""
    parameters = parameters_of(points.profile, hierarchy)
    fit = _Fit(points, hierarchy, parameters)
    discrepancy, mode = FIRST_DISCREPANCY, fit.medians
    for _ in range(ROUNDS):
        mode = fit.mode(mode, discrepancy)
        fit.settle_neighbours(mode)
        fit.settle_attribution(mode)
        discrepancy = fit.linear(mode).likeliest()
    mode = fit.mode(mode, discrepancy)
    return Posterior(parameters, mode, fit.covariance(mode, discrepancy), discrepancy)


class _Fit:
    """The points' residuals and slopes, by the logarithms of the parameters."""

    def __init__(
        self, points: Points, hierarchy: Hierarchy, parameters: Sequence[Parameter]
    ) -> None:
        self.points, self.hierarchy = points, hierarchy
        self.names = [one.name for one in parameters]
        self.medians = np.log([one.median for one in parameters])
        self.spreads = np.array([one.spread for one in parameters])
        self.others = Others.none(points.cycles.size)
        self.attribution = FIRST_ATTRIBUTION
        self._timed = [
            (points.profile.clocked[name], cycles, np.flatnonzero(np.isfinite(cycles)))
            for name, cycles in points.clocks.items()
            if np.isfinite(cycles).any()
        ]
        # All stages of a point together show no more than one observation of its parts; what a
        # clock is wrong by counts as a share of the whole point.
        self._doubt, self._wholes = len(self._timed) ** 0.5, points.cycles
        if not points.profile.made_in_memory:
            self._doubt *= ALIKE
            self._wholes = points.cycles * (1.0 + LEAKING / points.profile.sizes.burst)
        self.settle_neighbours(self.medians)

    def settle_neighbours(self, logarithms: Floats) -> None:
        """Finds what the points' neighbours do, with these parameters."""
        values = values_of(self.names, logarithms)
        found = neighbours_of(self.points.profile, self.hierarchy, values)
        if found is not None:
            self.others = found.others

    def cost(self, logarithms: Floats, *, slopes: bool) -> StageCost:
        curved = [name for name in CURVED if name in self.names] if slopes else []
        return stage_cost(
            self.points.profile,
            self.hierarchy,
            values_of(self.names, logarithms),
            self.others,
            curved=curved,
        )

    def mode(self, start: Floats, discrepancy: Discrepancy) -> Floats:
        """The likeliest logarithms."""
        from scipy import optimize  # takes longer to load than a prediction takes

        deviations = self._deviations(start, discrepancy)
        known: dict[bytes, tuple[Floats, Floats]] = {}

        def at(x: Floats) -> tuple[Floats, Floats]:
            key = x.tobytes()
            if key not in known:
                known.clear()
                known[key] = self._residuals(x, deviations)
            return known[key]

        found = optimize.least_squares(
            lambda x: at(x)[0], start, jac=lambda x: at(x)[1], max_nfev=60
        )
        return np.asarray(found.x)

    def covariance(self, logarithms: Floats, discrepancy: Discrepancy) -> Floats:
        _, slopes = self._residuals(logarithms, self._deviations(logarithms, discrepancy))
        return np.asarray(np.linalg.inv(slopes.T @ slopes))

    def linear(self, logarithms: Floats) -> Linear:
        """Points and priors about a mode."""
        cost = self.cost(logarithms, slopes=True)
        size, count = self.points.cycles.size, len(self.names)
        precision, pull = np.zeros((size, count, count)), np.zeros((size, count))
        for points, error, slopes in self._of_stages(cost):
            precision[points] += slopes[:, :, None] * slopes[:, None, :]
            pull[points] -= slopes * error[:, None]
        return Linear(
            errors=np.log(self.points.cycles / cost.total),
            slopes=(cost.slopes(self.names) / cost.total).T,
            variances=self.points.deviations**2,
            far_shares=far_shares(cost, self.hierarchy, self.points.profile),
            prior=self.medians - logarithms,
            spreads=self.spreads,
            stage_precision=precision,
            stage_pull=pull,
        )

    def _deviations(self, logarithms: Floats, discrepancy: Discrepancy) -> Floats:
        """Of the points' errors, for the fit of parameters."""
        cost = self.cost(logarithms, slopes=False)
        shares = far_shares(cost, self.hierarchy, self.points.profile)
        return np.hypot(discrepancy.deviation(shares), self.points.deviations)

    def _residuals(self, logarithms: Floats, deviations: Floats) -> tuple[Floats, Floats]:
        """(residuals in standard deviations, their slopes): whole points, stages, priors."""
        cost = self.cost(logarithms, slopes=True)
        errors = [np.log(cost.total / self.points.cycles) / deviations]
        rows = [(cost.slopes(self.names) / cost.total / deviations).T]
        for _, error, slopes in self._of_stages(cost):
            errors.append(error)
            rows.append(slopes)
        soft, factor = _softened(np.concatenate(errors))
        return (
            np.concatenate([soft, (logarithms - self.medians) / self.spreads]),
            np.concatenate([np.concatenate(rows) * factor[:, None], np.diag(1 / self.spreads)]),
        )

    def _of_stages(self, cost: StageCost) -> Iterator[tuple[NDArray[np.intp], Floats, Floats]]:
        """(points, errors, slopes) of each part that was timed: what one stage waits for may be
        found at the next one, so an error counts as a share of the whole."""
        by_stage = cost.by_stage()
        for stages, cycles, points in self._timed:
            whole = self._wholes[points] * (self.attribution * self._doubt)
            error = (sum(by_stage[one][points] for one in stages) - cycles[points]) / whole
            slopes = sum(cost.slopes(self.names, one)[:, points] for one in stages)
            yield points, error, (slopes / whole).T

    def settle_attribution(self, logarithms: Floats) -> None:
        """Finds how well stages' clocks attribute: the median deviation, of a normal error."""
        errors = [error for _, error, _ in self._of_stages(self.cost(logarithms, slopes=False))]
        if errors:
            deviation = 1.48 * float(np.median(np.abs(np.concatenate(errors))))
            self.attribution *= max(deviation * self._doubt, 0.1)


def _softened(error: Floats) -> tuple[Floats, Floats]:
    """(residuals whose squares are the pseudo-Huber loss, their slopes by the errors)."""
    bend = np.sqrt(1 + (error / SOFT) ** 2)
    soft = np.sign(error) * SOFT * np.sqrt(2 * (bend - 1))
    near = np.abs(error) < 1e-6
    return soft, np.where(near, 1.0, error / bend / np.where(near, 1.0, soft))
