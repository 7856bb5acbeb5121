"""Robust least squares: stage by stage, and all together, over the calibration points.

Each point gives an observation for every stage and one for the whole, each weighted by its own
uncertainty. Residuals are relative, losses are soft (soft-L1), parameters stay within physics. The
size of the last cache level is searched for over multiples of the probed one, for the share that a
tenant gets of it depends on the neighbours; so is how fast a neighbour's stream takes room there.
So is the share of later stages' work that passes while the source's stores drain.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray
from scipy import optimize, stats

from planecast.calibrate.identify import check_identifiable, unidentified
from planecast.calibrate.last_level import (
    LAST_LEVEL_FACTORS,
    STREAM_SHARES,
    LastLevels,
    likely_last_levels,
)
from planecast.engines.solve import (
    Alternative,
    Calibration,
    FeatureTable,
    Hierarchy,
    Parameter,
    features,
)
from planecast.engines.solve.beside import company, has_neighbours
from planecast.engines.solve.features import DRAIN, FOLDED, STAGES
from planecast.engines.solve.known import asked
from planecast.engines.solve.ranges import ranges_of
from planecast.errors import InputError
from planecast.instruments.counts import InstructionCounts
from planecast.results.manifest import Manifest
from planecast.results.result import Result

Floats = NDArray[np.float64]

FLOOR = 0.01
"""No observation of a whole point is taken for better than 1 %: the machine's state isn't."""
STATE = 0.017
"""Standard deviation between what the machine is in two phases minutes apart: of the 36 validations
that measured one point in both, on a virtual machine, two in three were apart by less than 2.6 %,
of which 2.0 % is what such a measurement leaves open. A machine of one's own moves less."""
STAGE_FLOOR = 0.3
"""Nor one of a stage for better than 30 % of it: neighbouring stages overlap in the core, so what
one waits for is found at the next one in a longer burst or another pipeline."""
SMALL_STAGE = 0.1
"""Nor for better than 10 % of the whole."""
DRAINED_MEANWHILE = tuple(np.linspace(0, 0.9, 19).round(2).tolist())
"""Shares of what later stages take that may pass while the source's stores drain."""
ISSUE_WIDTH = 8
"""Instructions a cycle that no core of today exceeds."""
_UNITS = {
    "cpi": "TSC cycles/instruction",
    "narrow": "TSC cycles/instruction",
    "burst": "TSC cycles/burst",
    "round": "TSC cycles/round",
    "path": "TSC cycles/round",
    "spared": "TSC cycles/instruction",
    "clock": "TSC cycles/burst",
    "drain": "TSC cycles/packet",
    "hidden": "TSC cycles/instruction",
    "bf": "ratio",
}


@dataclass(frozen=True)
class Observations:
    """What was measured of the calibration points, as one list of rows."""

    values: Floats
    """TSC cycles a packet."""
    deviations: Floats
    """Their uncertainties, as standard deviations."""
    points: NDArray[np.int64]
    """Calibration point of each row."""
    stages: tuple[str | None, ...]
    """Stage of each row; None for the whole."""

    def rows(self, table: FeatureTable, names: Sequence[str]) -> Floats:
        """Features of each observation, of shape (observations, parameters)."""
        by_stage = {stage: table.row(stage, names) for stage in dict.fromkeys(self.stages)}
        return np.stack(
            [by_stage[s][p] for s, p in zip(self.stages, self.points, strict=True)], axis=0
        )


@dataclass(frozen=True)
class _Fit:
    vector: Floats
    loss: float
    rows: Floats


def calibrate(
    measured: Sequence[Result],
    hierarchy: Hierarchy,
    instructions: Mapping[str, InstructionCounts],
    manifest: Manifest,
) -> Calibration:
    """Fits the model to measured results.

    Raises InputError when there are too few points, or when they leave a parameter open: it says
    which, and what to vary.
    """
    hierarchy = hierarchy.with_bursts()
    scenarios = [result.scenario for result in measured]
    questions = asked(scenarios)
    cycles = np.array([result.cycles_per_packet.value for result in measured])
    beside = has_neighbours(questions)

    def features_on(machine: Hierarchy) -> FeatureTable:
        there = company(questions, machine, cycles) if beside else None
        return features(questions, machine, instructions, there)

    table = features_on(hierarchy)
    seen = observations(measured)
    names = _used_parameters(table, seen)
    if len(measured) < 3:
        raise InputError(
            f"{len(measured)} points are too few to calibrate on", "calibrate", "give 3 or more"
        )
    check_identifiable(seen.rows(table, names), names)
    bounds = _bounds(names, hierarchy)

    def fit_on(machine: Hierarchy) -> _Fit:
        resized = features_on(machine)
        found = _fit_rows(seen.rows(resized, names), seen.values, seen.deviations, bounds)
        least = resized.memory_lines * machine.memory_line_cycles
        return replace(found, loss=_loss(found, seen, least))

    hierarchy = _drained(hierarchy, names, fit_on)
    shares = STREAM_SHARES if beside else STREAM_SHARES[:1]
    chosen, sizes = _last_level(hierarchy, shares, len(measured), fit_on)
    hierarchy = hierarchy.model_copy(update={"stream_share": chosen.stream_share})
    best = fit_on(hierarchy.with_last_level(chosen.factor))
    covariance, freedom = _covariance(best, seen, bounds)
    return Calibration(
        parameters=_parameters(names, best.vector, covariance, freedom),
        covariance=tuple(tuple(float(x) for x in row) for row in covariance),
        freedom=freedom,
        discrepancy=_discrepancy(seen, best, bounds),
        hierarchy=hierarchy,
        last_level_factor=chosen.factor,
        alternatives=tuple(
            Alternative(last_level_factor=f, values=tuple(float(x) for x in sizes[f].vector))
            for f in chosen.others
        ),
        instructions=dict(instructions),
        ranges=ranges_of(scenarios),
        stages=tuple(s for s in STAGES if any(s in r.stages for r in measured)),
        points=len(measured),
        manifest=manifest,
    )


def _drained(
    hierarchy: Hierarchy, names: Sequence[str], fit_on: Callable[[Hierarchy], _Fit]
) -> Hierarchy:
    """The hierarchy with the share of later stages that fits best to pass while stores drain."""
    machines = [
        hierarchy.model_copy(update={"drained_meanwhile": share}) for share in DRAINED_MEANWHILE
    ]
    fits = [fit_on(machine) for machine in machines]
    best = min(range(len(fits)), key=lambda i: fits[i].loss)
    most = float(fits[best].vector[names.index(DRAIN)]) if DRAIN in names else None
    return machines[best].model_copy(update={"drained_most_cycles": most})


def _last_level(
    hierarchy: Hierarchy,
    shares: Sequence[float],
    points: int,
    fit_on: Callable[[Hierarchy], _Fit],
) -> tuple[LastLevels, Mapping[float, _Fit]]:
    """What fits to so many points say of the last level, and the fit with each of its sizes."""
    fits = {}
    for share in shares:
        machine = hierarchy.model_copy(update={"stream_share": share})
        fits[share] = {f: fit_on(machine.with_last_level(f)) for f in LAST_LEVEL_FACTORS}
    losses = {share: {f: fit.loss for f, fit in sizes.items()} for share, sizes in fits.items()}
    chosen = likely_last_levels(losses, points)
    return chosen, fits[chosen.stream_share]


def observations(measured: Sequence[Result]) -> Observations:
    """Every point's whole and stages with their uncertainties."""
    values: list[float] = []
    deviations: list[float] = []
    points: list[int] = []
    stages: list[str | None] = []
    for point, result in enumerate(measured):
        whole = result.cycles_per_packet
        own = (whole.half_width_percent or 0.0) / 100 / 1.96
        values.append(whole.value)
        deviations.append(whole.value * float(np.hypot(FLOOR, own)))
        points.append(point)
        stages.append(None)
        for name, stage in result.stages.items():
            if stage.cycles_per_packet is None or name not in STAGES:
                continue
            cycles = stage.cycles_per_packet.value
            floor = np.hypot(STAGE_FLOOR * cycles, SMALL_STAGE * whole.value)
            values.append(cycles)
            deviations.append(float(np.hypot(floor, own * cycles)))
            points.append(point)
            stages.append(name)
    return Observations(
        np.array(values), np.array(deviations), np.array(points, dtype=np.int64), tuple(stages)
    )


def _loss(fit: _Fit, seen: Observations, least: Floats) -> float:
    """The fit's loss with what a prediction does beyond it: no point costs less than memory needs
    to deliver its lines (`least`, cycles a packet by point). A last level so small that memory
    couldn't have delivered what was measured is not the true one."""
    wholes = np.array([stage is None for stage in seen.stages])
    predicted = fit.rows @ fit.vector
    predicted = np.where(wholes, np.maximum(predicted, least[seen.points]), predicted)
    residuals = (predicted - seen.values) / seen.deviations
    return float(np.sum(np.hypot(1, residuals) - 1))


def _used_parameters(table: FeatureTable, seen: Observations) -> list[str]:
    """Parameters of the stages that ran somewhere, but for those that others may stand for."""
    names = [
        name
        for name in table.parameters()
        if any(np.any(row.get(name, 0) != 0) for row in table.stages.values())
    ]
    for name in FOLDED:
        if name in names and name in unidentified(seen.rows(table, names), names):
            names.remove(name)
    return names


def _bounds(names: Sequence[str], hierarchy: Hierarchy) -> tuple[Floats, Floats]:
    """What parameters can be: no core retires more than so many instructions a cycle."""
    least_cpi = hierarchy.tsc_hz / hierarchy.core_hz / ISSUE_WIDTH
    kinds = [name.partition(".")[2] for name in names]
    low = [least_cpi if kind in ("cpi", "narrow") else 0.0 for kind in kinds]
    return np.array(low), np.full(len(names), np.inf)


def _fit_rows(
    rows: Floats, values: Floats, deviations: Floats, bounds: tuple[Floats, Floats]
) -> _Fit:
    # Columns of one length: cycles and shares differ by orders of magnitude.
    scale = np.maximum(np.linalg.norm(rows / deviations[:, None], axis=0), 1e-12)
    scaled = rows / deviations[:, None] / scale
    target = values / deviations
    low, high = bounds[0] * scale, bounds[1] * scale
    start = np.clip(optimize.nnls(scaled, target)[0], low + 1e-9, np.maximum(high - 1e-9, 1e-9))
    found = optimize.least_squares(
        lambda x: scaled @ x - target,
        start,
        jac=lambda x: scaled,
        bounds=(low, high),
        loss="soft_l1",
    )
    return _Fit(found.x / scale, float(found.cost), rows)


def _covariance(fit: _Fit, seen: Observations, bounds: tuple[Floats, Floats]) -> tuple[Floats, int]:
    """(covariance of the parameters, degrees of freedom). Those held at a bound don't vary."""
    rows = fit.rows / seen.deviations[:, None]
    residuals = rows @ fit.vector - seen.values / seen.deviations
    # In units of what the observations can tell of it.
    length = np.linalg.norm(rows, axis=0)
    free = ((fit.vector - bounds[0]) * length > 1e-3) & ((bounds[1] - fit.vector) * length > 1e-3)
    freedom = max(1, len(seen.values) - int(free.sum()))
    # Rows of one point share its state, so they tell less than as many independent ones would.
    chi_square = max(1.0, float(np.median(residuals**2)) / 0.455)
    covariance = np.zeros((len(fit.vector), len(fit.vector)))
    inner = np.linalg.pinv(rows[:, free].T @ rows[:, free]) * chi_square
    covariance[np.ix_(free, free)] = inner
    return covariance, freedom


def _discrepancy(seen: Observations, best: _Fit, bounds: tuple[Floats, Floats]) -> float:
    """The model's own relative error of a whole point: that of two in three is smaller.

    The errors that a fit leaves at its own points are too small, for it has as many parameters as
    points; those of points that are predicted by a fit to the others (leave-one-out
    cross-validation) are too large, for what the parameters leave open is in them, and in the
    interval a second time. Their geometric mean is neither: of linear least squares with a leverage
    of h the one is s·√(1-h), the other s/√(1-h). Two in three is what a standard deviation means; a
    root mean square would be ruled by the one pipeline that nothing else tells of. How far the
    machine itself moves until a prediction is checked comes on top.
    """
    rows, errors = best.rows, []
    wholes = np.array([stage is None for stage in seen.stages])
    for point in np.unique(seen.points):
        others = seen.points != point
        fit = _fit_rows(rows[others], seen.values[others], seen.deviations[others], bounds)
        own = wholes & ~others
        of_two = rows[own] @ np.stack([best.vector, fit.vector], axis=1) / seen.values[own] - 1
        errors.append(float(np.sqrt(np.abs(of_two).prod())))
    return float(np.hypot(np.quantile(errors, 0.68), STATE))


def _parameters(
    names: Sequence[str], vector: Floats, covariance: Floats, freedom: int
) -> tuple[Parameter, ...]:
    quantile = float(stats.t.ppf(0.975, freedom))
    half = quantile * np.sqrt(np.diag(covariance))
    return tuple(
        Parameter(
            name=name,
            value=float(value),
            low=float(max(0.0, value - h)),
            high=float(value + h),
            unit=_UNITS[name.partition(".")[2]],
            at_bound=bool(h == 0.0),
        )
        for name, value, h in zip(names, vector, half, strict=True)
    )
