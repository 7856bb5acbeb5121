"""Posterior: parameters from calibration points and priors, by Laplace's approximation.

The logarithms of measured and predicted costs differ by a normal error, of the measurement's own
deviation and the model's (`Discrepancy`); the logarithms of parameters have normal priors
(`machine.parameter`). The mode is found by nonlinear least squares with a soft loss, for a point
that the machine disturbed must not bend the others; the covariance is that of the linearised model.
How wrong the model is comes from each point predicted by a fit to the others, in which all that is
fitted is fitted again. Nothing is searched on a grid, and nothing is fixed by what is held out.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy import optimize

from planecast.machine.caches import Others
from planecast.machine.hierarchy import Hierarchy
from planecast.machine.parameter import Parameter
from planecast.machine.registry import CORE, MECHANISMS
from planecast.model.calibration import CURVED, Discrepancy
from planecast.model.neighbours import neighbours_of
from planecast.model.stage_cost import StageCost, stage_cost, values_of
from planecast.workload.profile import WorkloadProfile

Floats = NDArray[np.float64]

FIRST_DISCREPANCY = Discrepancy(core=0.02, memory=0.05)
"""Before any point was left out: a start, of which nothing is left after the second round."""
FIRST_ATTRIBUTION = 0.05
"""The same of what stages' clocks attribute to a stage, as a share of the whole point."""
SOFT = 3.0
"""Standard deviations beyond which an error counts less than its square."""
ROUNDS = 2
MEMORY_PRIOR = (0.02, 0.06)
"""Scales of half-normal priors of the discrepancy's parts: few points tell them."""


@dataclass(frozen=True)
class Points:
    """Calibration points: arrays of shape (points,)."""

    profile: WorkloadProfile
    cycles: Floats
    """TSC cycles a packet, as measured."""
    deviations: Floats
    """Relative standard deviations of the measurements."""
    stages: Mapping[str, Floats]
    """TSC cycles a packet by stage, as the program's own clock attributed them; NaN where a stage
    did not run or was not timed."""


@dataclass(frozen=True)
class Posterior:
    """What points and priors say of the parameters."""

    parameters: tuple[Parameter, ...]
    logarithms: Floats
    covariance: Floats
    """Of the logarithms."""
    discrepancy: Discrepancy
    left_out: Floats
    """Relative error of each point when it was predicted by a fit to the others."""

    @property
    def names(self) -> list[str]:
        return [one.name for one in self.parameters]

    @property
    def informed(self) -> Floats:
        """Share of each prior's variance that the points took away."""
        prior = np.array([one.spread for one in self.parameters]) ** 2
        return np.asarray(np.clip(1 - np.diag(self.covariance) / prior, 0.0, 1.0))


def parameters_of(profile: WorkloadProfile, hierarchy: Hierarchy) -> tuple[Parameter, ...]:
    """All parameters of the mechanisms on a machine, and the effects of a workload's stages."""
    found = [one for mechanism in MECHANISMS for one in mechanism.parameters(hierarchy)]
    return (*found, *(CORE.effect(stage) for stage in profile.stages))


def posterior(points: Points, hierarchy: Hierarchy) -> Posterior:
    """Fits the parameters to points, and tells how wrong the model is where it has no point."""
    parameters = parameters_of(points.profile, hierarchy)
    fit = _Fit(points, hierarchy, parameters)
    discrepancy, start = FIRST_DISCREPANCY, fit.medians
    everything = np.ones(points.cycles.size, dtype=np.bool_)
    for _ in range(ROUNDS):
        start = fit.mode(start, discrepancy, everything)
        fit.settle_neighbours(start)
        fit.settle_attribution(start)
        errors, open_part = fit.left_out(start, discrepancy)
        discrepancy = _discrepancy(errors, open_part, fit.memory_share(start))
    mode = fit.mode(start, discrepancy, everything)
    return Posterior(
        parameters, mode, fit.covariance(mode, discrepancy, everything), discrepancy, errors
    )


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
            (stage, np.flatnonzero(np.isfinite(cycles)))
            for stage, cycles in points.stages.items()
            if stage in points.profile.stages
        ]
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
            curved,
        )

    def memory_share(self, logarithms: Floats) -> Floats:
        """Share of each point's cost that is waited for in the last level and in memory."""
        return memory_share(self.cost(logarithms, slopes=False), self.hierarchy)

    def mode(self, start: Floats, discrepancy: Discrepancy, used: NDArray[np.bool_]) -> Floats:
        """The likeliest logarithms for the points that are used."""
        deviations = self._deviations(start, discrepancy)
        known: dict[bytes, tuple[Floats, Floats]] = {}

        def at(x: Floats) -> tuple[Floats, Floats]:
            key = x.tobytes()
            if key not in known:
                known.clear()
                known[key] = self._residuals(x, deviations, used)
            return known[key]

        found = optimize.least_squares(
            lambda x: at(x)[0], start, jac=lambda x: at(x)[1], max_nfev=60
        )
        return np.asarray(found.x)

    def covariance(
        self, logarithms: Floats, discrepancy: Discrepancy, used: NDArray[np.bool_]
    ) -> Floats:
        deviations = self._deviations(logarithms, discrepancy)
        _, slopes = self._residuals(logarithms, deviations, used)
        return np.asarray(np.linalg.inv(slopes.T @ slopes))

    def left_out(self, mode: Floats, discrepancy: Discrepancy) -> tuple[Floats, Floats]:
        """(relative error of each point as the others predict it, its variance by what measurement
        and parameters leave open)."""
        size = self.points.cycles.size
        errors, variances = np.empty(size), np.empty(size)
        for point in range(size):
            others = np.arange(size) != point
            own = self.mode(mode, discrepancy, others)
            cost = self.cost(own, slopes=True)
            errors[point] = np.log(cost.total[point] / self.points.cycles[point])
            row = (cost.slopes(self.names) / cost.total)[:, point]
            spread = self.covariance(own, discrepancy, others)
            variances[point] = row @ spread @ row + self.points.deviations[point] ** 2
        return errors, variances

    def _deviations(self, logarithms: Floats, discrepancy: Discrepancy) -> Floats:
        model = discrepancy.deviation(self.memory_share(logarithms))
        return np.asarray(np.hypot(self.points.deviations, model))

    def _residuals(
        self, logarithms: Floats, deviations: Floats, used: NDArray[np.bool_]
    ) -> tuple[Floats, Floats]:
        """(residuals in standard deviations, their slopes): whole points, stages, priors."""
        cost = self.cost(logarithms, slopes=True)
        error = np.log(cost.total / self.points.cycles) / deviations
        slopes = (cost.slopes(self.names) / cost.total / deviations).T
        errors, rows = [error[used]], [slopes[used]]
        for points, error, slopes in self._of_stages(cost):
            at = used[points]
            errors.append(error[at])
            rows.append(slopes[at])
        soft, factor = _softened(np.concatenate(errors))
        return (
            np.concatenate([soft, (logarithms - self.medians) / self.spreads]),
            np.concatenate([np.concatenate(rows) * factor[:, None], np.diag(1 / self.spreads)]),
        )

    def _of_stages(self, cost: StageCost) -> Iterator[tuple[NDArray[np.intp], Floats, Floats]]:
        """(points, errors, slopes) of each stage that was timed: what one stage waits for may be
        found at the next one, so an error counts as a share of the whole."""
        by_stage = cost.by_stage()
        for stage, points in self._timed:
            # All stages of a point together tell no more than one observation of its parts.
            whole = self.points.cycles[points] * self.attribution * len(self._timed) ** 0.5
            error = (by_stage[stage][points] - self.points.stages[stage][points]) / whole
            yield points, error, (cost.slopes(self.names, stage)[:, points] / whole).T

    def settle_attribution(self, logarithms: Floats) -> None:
        """Finds how well stages' clocks attribute: the median deviation, of a normal error."""
        errors = [error for _, error, _ in self._of_stages(self.cost(logarithms, slopes=False))]
        if errors:
            deviation = 1.48 * float(np.median(np.abs(np.concatenate(errors))))
            self.attribution *= max(deviation * len(self._timed) ** 0.5, 0.1)


def _softened(error: Floats) -> tuple[Floats, Floats]:
    """(residuals whose squares are the pseudo-Huber loss, their slopes by the errors)."""
    bend = np.sqrt(1 + (error / SOFT) ** 2)
    soft = np.sign(error) * SOFT * np.sqrt(2 * (bend - 1))
    near = np.abs(error) < 1e-6
    return soft, np.where(near, 1.0, error / bend / np.where(near, 1.0, soft))


def memory_share(cost: StageCost, hierarchy: Hierarchy) -> Floats:
    """Share of a cost that is waited for behind the private caches."""
    causes = cost.by_cause()
    far = [
        cycles for cause, cycles in causes.items() if cause in (hierarchy.levels[-1].name, "memory")
    ]
    return np.asarray(sum(far, np.zeros_like(cost.total)) / cost.total)


def _discrepancy(errors: Floats, variances: Floats, share: Floats) -> Discrepancy:
    """The model's own error that makes errors of points left out likeliest, beyond what measurement
    and parameters leave open; a Student's t of 4 degrees for the odd disturbed point."""

    def loss(logs: Floats) -> float:
        core, memory = np.exp(logs)
        scale = variances + core**2 + (memory * share) ** 2
        likely = 2.5 * np.log1p(errors**2 / scale / 4) + 0.5 * np.log(scale)
        prior = 0.5 * ((core / MEMORY_PRIOR[0]) ** 2 + (memory / MEMORY_PRIOR[1]) ** 2)
        return float(likely.sum() + prior - logs.sum())

    found = optimize.minimize(loss, np.log(MEMORY_PRIOR), method="Nelder-Mead")
    core, memory = np.exp(found.x)
    return Discrepancy(core=float(core), memory=float(memory))
