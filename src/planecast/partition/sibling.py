"""What a busy hyper-thread sibling costs each workload, from trials that met one by chance.

A guest can't see who runs on its cores' other threads, and can't choose it. But the compute canary
next to each window shows: it reads the clock alone while the core is ours, and some 1.2 to 2 times
that while its sibling works (workloads differ in what they take). So the windows of a run are
grouped by their canaries, and the same workload's two groups are compared. Medians, and not the low
quantile of other estimates: what is asked is the usual cost, not the least one.

The two states were not chosen and are not of one moment: a shared cache that is fuller while a
neighbour works shows in them too. The model's figure is of a sibling alone, on a like thread.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from planecast.engines.measure.counted_windows import canary_pairs, undisturbed_rows
from planecast.engines.measure.quiet_windows import STOPPED
from planecast.errors import InputError
from planecast.instruments.canary import busy, settled_floor
from planecast.instruments.quantiles import turn_quantile
from planecast.model.calibration import Calibration
from planecast.model.prediction import predict
from planecast.partition.machine import Timing
from planecast.results.content import results_of
from planecast.results.estimate import Estimate, ratio
from planecast.results.result import Result
from planecast.results.store import RunDirectory
from planecast.results.trials import Columns, read_parquet
from planecast.results.validation import Validation
from planecast.scenario.scenario import Scenario

Mask = NDArray[np.bool_]

LEAST_WINDOWS = 40
"""Windows of a state below which nothing is said about it: medians of fewer move by more than what
is asked for."""
LEAST_VISITS = 4
"""Least number of visits that they are from: one visit is one neighbour."""


@dataclass(frozen=True)
class SiblingCost:
    """One workload in the two states."""

    label: str
    own_windows: int
    """Windows while the core was ours."""
    busy_windows: int
    """Windows with a busy sibling before and after."""
    own: Estimate | None
    """Cycles a packet, the median; None of too few windows."""
    busy: Estimate | None
    slowdown: Estimate | None
    """The second over the first; None where one is missing."""
    canary_slowdown: float | None
    """The same of the compute canary: how busy the sibling was."""
    predicted_slowdown: float
    """The model's, of a like thread on the sibling."""
    lacking: str
    """Why there is no figure; empty where there is one."""


def sibling_costs(run: RunDirectory, calibration: Calibration | None) -> list[SiblingCost]:
    """What a busy sibling costs each workload of a run.

    Raises InputError for a run without trials or without canaries in them.
    """
    path = run.path / "trials.parquet"
    if not path.is_file():
        raise InputError(
            "the run has no trials", str(run.path), "name a run of measure, calibrate or validate"
        )
    columns = read_parquet(path)
    if not {"canary_compute_before", "label", "visit", "cycles"} <= columns.keys():
        raise InputError(
            "its trials have no canaries", str(path), "name a run of measure, calibrate or validate"
        )
    states = _states(columns)
    scenarios = _scenarios(run, columns)
    labels = list(dict.fromkeys(columns["label"].tolist()))
    return [
        _cost(str(label), columns, states, scenarios.get(label), calibration) for label in labels
    ]


@dataclass(frozen=True)
class _States:
    own: Mask
    busy: Mask


def _states(columns: Columns) -> _States:
    """Which windows are whose. The canary's floor is each CPU's own."""
    pairs, cpus = canary_pairs(columns), np.asarray(columns["cpu"])
    found = np.zeros(len(pairs), dtype=np.bool_)
    for cpu in np.unique(cpus):
        rows = cpus == cpu
        found[rows] = busy(pairs[rows], settled_floor(pairs[rows]))
    return _States(undisturbed_rows(columns), found)


def _cost(
    label: str,
    columns: Columns,
    states: _States,
    scenario: Scenario | None,
    calibration: Calibration | None,
) -> SiblingCost:
    rows = np.asarray(columns["label"] == label)
    costs = np.asarray(columns["cycles"], dtype=np.float64) / np.maximum(columns["packets"], 1)
    own, taken = rows & states.own, rows & states.busy
    if own.any():  # who was not running at all was not next to a sibling either
        taken &= costs <= STOPPED * np.median(costs[own])
    visits = np.asarray(columns["visit"])
    estimates = [_median(costs[mask], visits[mask]) for mask in (own, taken)]
    slowdown = canary = None
    lacking = ", ".join(
        f"{int(mask.sum())} {name} windows of {len(np.unique(visits[mask]))} visits"
        for mask, estimate, name in zip(
            (own, taken), estimates, ("undisturbed", "busy"), strict=True
        )
        if estimate is None
    )
    if estimates[0] is not None and estimates[1] is not None:
        slowdown = ratio(estimates[1], estimates[0])
        pairs = canary_pairs(columns).mean(axis=1)
        canary = float(np.median(pairs[taken]) / np.median(pairs[own]))
    return SiblingCost(
        label=label,
        own_windows=int(own.sum()),
        busy_windows=int(taken.sum()),
        own=estimates[0],
        busy=estimates[1],
        slowdown=slowdown,
        canary_slowdown=canary,
        predicted_slowdown=predicted_slowdown(scenario, calibration),
        lacking=f"too few: {lacking}" if lacking else "",
    )


def _median(costs: NDArray[np.float64], visits: NDArray[np.generic]) -> Estimate | None:
    if costs.size < LEAST_WINDOWS or np.unique(visits).size < LEAST_VISITS:
        return None
    value, low, high = turn_quantile(costs, visits, 0.5)
    return Estimate(
        value=value,
        low=min(low, value),
        high=max(high, value),
        samples=int(costs.size),
        unit="cycles/packet",
        kind="measured",
    )


def predicted_slowdown(scenario: Scenario | None, calibration: Calibration | None) -> float:
    """The model's: of the workload's own empty slots where it is calibrated, else the usual."""
    if scenario is None or calibration is None:
        return Timing().sibling_slowdown
    placement = scenario.placement.model_copy(update={"busy_siblings": True})
    shared = scenario.model_copy(update={"placement": placement})
    try:
        both = [
            float(predict([one], calibration, by_stage=False).value[0])
            for one in (scenario, shared)
        ]
    except InputError:  # a pipeline that the calibration never saw
        return Timing().sibling_slowdown
    return both[1] / both[0]


def _scenarios(run: RunDirectory, columns: Columns) -> Mapping[str, Scenario]:
    """The scenarios by label, where the run's result reports them."""
    try:
        content = run.read()
    except InputError:  # interrupted: its trials are there
        return {}
    if isinstance(content, Validation):
        return {point.label: point.measured.scenario for point in content.points}
    return _in_order(columns, results_of(content))


def _in_order(columns: Columns, results: Sequence[Result]) -> Mapping[str, Scenario]:
    points = np.asarray(columns["point"])
    first = {label: points[columns["label"] == label].min() for label in set(columns["label"])}
    labels = sorted(first, key=lambda label: int(first[label]))
    if len(labels) != len(results):
        return {}
    return {label: one.scenario for label, one in zip(labels, results, strict=True)}
