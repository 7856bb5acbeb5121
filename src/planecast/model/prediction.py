"""Prediction: cycles a packet of many scenarios, as a vector with a covariance.

The logarithm of a cost is normal, for a cost is positive and its errors are relative. Its
covariance is what the parameters' posterior leaves open, carried through the model's slopes, and
the model's own error (`Discrepancy`), which is each scenario's own. Every interval of predict,
explain, sweep, partition and simulate is made here.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from planecast.errors import InputError
from planecast.machine.caches import Others
from planecast.machine.hierarchy import Hierarchy
from planecast.machine.last_level import CAPACITY, LIFETIME
from planecast.machine.neighbour_stream import STREAM
from planecast.model.calibrated_range import any_outside
from planecast.model.calibration import Calibration
from planecast.model.counter_model import STAGE, Counted, counted_cost
from planecast.model.far_shares import far_shares
from planecast.model.memory_contention import Load, under_load
from planecast.model.neighbours import Neighbours, has_neighbours, neighbours_of
from planecast.model.stage_cost import StageCost, stage_cost
from planecast.model.supported import columns_of
from planecast.model.target_platform import Site, by_site
from planecast.model.transfer import transferred
from planecast.results.estimate import Estimate
from planecast.results.result import MEMORY_BANDWIDTH
from planecast.results.student import t_quantile
from planecast.scenario.scenario import Scenario
from planecast.workload.profile import WorkloadProfile
from planecast.workload.scenario_columns import ScenarioColumns

Floats = NDArray[np.float64]
Costs = tuple[WorkloadProfile, StageCost, Neighbours | None]
"""What a workload does, what that costs by stage and cause, and what neighbours do there."""

SHARING = (LIFETIME, CAPACITY, STREAM)
"""Parameters that decide what a last level holds."""
LEAST_SHARE = 0.05
"""Least share of a cost that is left where all lines are held."""
_ALL_OPEN = 4.0
"""Half-widths of a part, over the part, beyond which its logarithm says nothing: it lies between
nothing and what the normal interval allows."""


@dataclass(frozen=True)
class Prediction:
    """Cycles a packet of many scenarios: arrays of shape (scenarios,), TSC cycles."""

    value: Floats
    deviation: Floats
    """Standard deviation of its logarithm."""
    quantile: float
    """Of these, half the 95 % interval."""
    stages: dict[str, tuple[Floats, Floats]]
    """By stage: value, and standard deviation in cycles. With what some scenario waits for memory's
    bandwidth they add up."""
    capped_by_memory: NDArray[np.bool_]
    extrapolates: NDArray[np.bool_]
    """Some key lies outside its calibrated range."""
    memory_lines: Floats
    """Lines a packet from memory."""
    load: Load | None = None
    """What memory is under, where it slows down."""
    costs: tuple[Costs, ...] = ()
    """Whose sums the values are: with memory's latency as it is, then with twice that where memory
    slows down under load. None of several sites together, nor of counters."""

    @cached_property
    def interval(self) -> tuple[Floats, Floats]:
        """Ends of the 95 % intervals, log-normal: a cost is above zero."""
        factor = np.exp(self.quantile * self.deviation)
        return self.value / factor, self.value * factor

    @property
    def half_width(self) -> Floats:
        """Half the 95 % interval, cycles."""
        low, high = self.interval
        return (high - low) / 2

    def estimate(self, i: int) -> Estimate:
        """One scenario's cost."""
        low, high = self.interval
        return cycles_estimate(self.value[i], low[i], high[i])

    def stage_estimate(self, stage: str, i: int) -> Estimate:
        """One stage's cost in one scenario."""
        value, deviation = (float(column[i]) for column in self.stages[stage])
        return self.part_estimate(value, deviation)

    def part_estimate(self, value: float, deviation: float, *, signed: bool = False) -> Estimate:
        """Some cycles of a cost and their standard deviation as an estimate; `signed` ones, a
        difference or what overlaps, may lie on either side of zero and have a normal interval."""
        if signed or value <= 0:
            half = self.quantile * deviation
            return cycles_estimate(value, value - half, value + half)
        half = self.quantile * deviation
        if half > _ALL_OPEN * value:
            return cycles_estimate(value, 0.0, value + half)
        factor = float(np.exp(half / value))
        return cycles_estimate(value, value / factor, value * factor)


def cycles_estimate(value: float, low: float, high: float) -> Estimate:
    """A computed number of cycles a packet."""
    return Estimate(
        value=float(value), low=float(low), high=float(high), unit="cycles/packet", kind="computed"
    )


def widened(estimate: Estimate, of: Estimate) -> Estimate:
    """An estimate whose value follows from a predicted one, with what that leaves open on top of
    its own interval: errors of logarithms, which are independent."""
    if of.low is None or of.high is None or of.low <= 0 or estimate.value <= 0:
        return estimate
    open_part = float(np.log(of.high / of.low) / 2)
    low, high = estimate.interval or (estimate.value, estimate.value)
    below = np.log(estimate.value / max(low, 1e-9 * estimate.value))
    above = np.log(max(high, estimate.value) / estimate.value)
    return estimate.model_copy(
        update={
            "low": float(estimate.value * np.exp(-np.hypot(below, open_part))),
            "high": float(estimate.value * np.exp(np.hypot(above, open_part))),
        }
    )


def lowered(estimate: Estimate, low: float) -> Estimate:
    """An estimate whose interval reaches down to `low`, for something unknown that may hold
    the value there."""
    ends = estimate.interval or (estimate.value, estimate.value)
    return estimate.model_copy(update={"low": min(low, ends[0]), "high": ends[1]})


def limited(estimate: Estimate, most: float, error: float, quantile: float) -> Estimate:
    """A rate that a ceiling holds, known within `error` (standard deviation of its logarithm)."""
    factor = float(np.exp(quantile * error))
    low, high = estimate.interval or (estimate.value, estimate.value)
    return estimate.model_copy(
        update={
            "value": min(estimate.value, most),
            "low": min(low, most / factor),
            "high": min(high, most * factor),
        }
    )


def predict(
    scenarios: ScenarioColumns | Sequence[Scenario],
    calibration: Calibration,
    *,
    by_stage: bool = True,
) -> Prediction:
    """What the model says of many scenarios. Without `by_stage` there are no stages in it, at a
    third of the time. Raises InputError for what the model doesn't know."""
    if not isinstance(scenarios, ScenarioColumns):
        sites = by_site(scenarios)
        if any(not site.calibrated for site in sites):
            return _over_sites(scenarios, sites, calibration, by_stage=by_stage)
    return _predicted(columns_of(scenarios, calibration.kind), calibration, by_stage=by_stage)


def cost_of(
    scenarios: ScenarioColumns | Sequence[Scenario],
    calibration: Calibration,
    *,
    slopes: bool = False,
) -> Costs:
    """The costs by stage and cause at one site, with what neighbours do there."""
    columns = columns_of(scenarios, calibration.kind)
    profile = WorkloadProfile.of(columns, calibration.instructions, calibration.program)
    neighbours = neighbours_of(profile, calibration.hierarchy, calibration.values)
    others = Others.none(columns.size) if neighbours is None else neighbours.others
    cost = stage_cost(
        profile,
        calibration.hierarchy,
        calibration.values,
        others,
        curved=calibration.curved if slopes else (),
    )
    return profile, cost, neighbours


def _over_sites(
    scenarios: Sequence[Scenario],
    sites: Mapping[Site, Sequence[int]],
    calibration: Calibration,
    *,
    by_stage: bool,
) -> Prediction:
    """The scenarios of each site by the calibration transferred there, in their order."""
    parts = [
        predict_at(site, [scenarios[i] for i in places], calibration, by_stage=by_stage)
        for site, places in sites.items()
    ]
    if len(parts) == 1:
        return parts[0]
    back = np.argsort([i for places in sites.values() for i in places])

    def joined(rows: Sequence[Floats]) -> Floats:
        return np.concatenate(rows)[back]

    idle = [part.load or Load.idle(part.value.size) for part in parts]
    return Prediction(
        value=joined([part.value for part in parts]),
        deviation=joined([part.deviation for part in parts]),
        quantile=parts[0].quantile,
        stages={
            stage: (joined([one[0] for one in ones]), joined([one[1] for one in ones]))
            for stage, ones in _side_by_side(parts).items()
        },
        capped_by_memory=np.concatenate([part.capped_by_memory for part in parts])[back],
        extrapolates=np.concatenate([part.extrapolates for part in parts])[back],
        memory_lines=joined([part.memory_lines for part in parts]),
        load=Load(joined([one.factor for one in idle]), joined([one.gbs for one in idle])),
    )


def _side_by_side(parts: Sequence[Prediction]) -> dict[str, list[tuple[Floats, Floats]]]:
    """Each stage of some predictions in all of them; nothing where one doesn't have it."""
    names = dict.fromkeys(name for part in parts for name in part.stages)
    nothing = [(np.zeros_like(part.value), np.zeros_like(part.value)) for part in parts]
    return {
        name: [part.stages.get(name, none) for part, none in zip(parts, nothing, strict=True)]
        for name in names
    }


def predict_at(
    site: Site, scenarios: Sequence[Scenario], calibration: Calibration, *, by_stage: bool = True
) -> Prediction:
    """The scenarios by the calibration transferred to their common site."""
    own = transferred(calibration, site).calibration
    return _predicted(columns_of(scenarios, calibration.kind), own, by_stage=by_stage)


def _predicted(columns: ScenarioColumns, calibration: Calibration, *, by_stage: bool) -> Prediction:
    found = _with_idle_memory(columns, calibration, calibration.hierarchy, by_stage=by_stage)
    known = calibration.hierarchy.memory
    if known is None:
        return found
    far = calibration.hierarchy.with_memory(2)
    twice = _with_idle_memory(columns, calibration, far, by_stage=by_stage)
    load = under_load(
        found.value,
        twice.value,
        memory_lines=found.memory_lines,
        pps_cycles=calibration.hierarchy.tsc_hz * columns.lcores,
        memory=known.curve(),
    )

    def at(idle: Floats, far: Floats) -> Floats:
        return np.asarray(idle + (load.factor - 1) * (far - idle))

    return replace(
        found,
        value=at(found.value, twice.value),
        deviation=np.maximum(found.deviation, at(found.deviation, twice.deviation)),
        stages={
            stage: (at(one[0], other[0]), at(one[1], other[1]))
            for stage, (one, other) in _side_by_side([found, twice]).items()
        },
        load=load,
        costs=(*found.costs, *twice.costs),
    )


def _with_idle_memory(
    columns: ScenarioColumns, calibration: Calibration, hierarchy: Hierarchy, *, by_stage: bool
) -> Prediction:
    """What the model says when memory has the hierarchy's latency."""
    if calibration.counted is not None:
        return _of_counters(columns, calibration.counted, calibration, hierarchy)
    at = calibration.model_copy(update={"hierarchy": hierarchy})
    costs = cost_of(columns, at, slopes=True)
    profile, cost, _ = costs
    slopes = _within_reach(cost, calibration)
    own = calibration.discrepancy.deviation(far_shares(cost, hierarchy, profile))
    deviation = np.hypot(_deviation(slopes, calibration.matrix), own)
    stages = {}
    for stage, value in cost.by_stage().items() if by_stage else ():
        open_part = _deviation(cost.slopes(calibration.names, stage), calibration.matrix)
        stages[stage] = (value, np.hypot(open_part, own * value))
    found = Prediction(
        value=cost.total,
        deviation=deviation,
        quantile=t_quantile(round(calibration.freedom)),
        stages=stages,
        capped_by_memory=np.zeros(cost.total.shape, dtype=np.bool_),
        extrapolates=any_outside(columns, calibration.span),
        memory_lines=cost.served.memory_lines,
        costs=(costs,),
    )
    # Nobody knows which lines of a program of others follow each other, as those of a frame do.
    ours = calibration.program is None
    return _bounded(found, hierarchy.memory_line_cycles if ours else hierarchy.stream_line_cycles)


def _of_counters(
    columns: ScenarioColumns, counted: Counted, calibration: Calibration, hierarchy: Hierarchy
) -> Prediction:
    """The same where the calibration is of counters, which knows no stages."""
    refuse_neighbours(columns)
    cost = counted_cost(
        counted,
        hierarchy,
        columns.lcores,
        instructions=calibration.instructions[STAGE].instructions_per_packet,
        parameters=calibration.vector,
    )
    open_part = _variance(cost.slopes, calibration.matrix)
    found = Prediction(
        value=cost.value,
        deviation=np.sqrt(open_part + cost.caches**2 + calibration.discrepancy.core**2),
        quantile=t_quantile(round(calibration.freedom)),
        stages={},
        capped_by_memory=np.zeros_like(cost.outside),
        extrapolates=cost.outside,
        memory_lines=cost.memory_lines,
    )
    return _bounded(found, hierarchy.memory_line_cycles)


def _within_reach(cost: StageCost, calibration: Calibration) -> Floats:
    """Slopes of the costs' logarithms, of shape (parameters, scenarios).

    Packets that take longer find fewer of their lines in a shared cache, and take longer still: at
    some lifetime of its lines a cost jumps, and a slope there has no bound. What a level holds
    moves a cost between all of its lines held and none, so what is open of it is half of that, as
    a standard deviation, at most.
    """
    slopes = cost.slopes(calibration.names) / cost.total
    shared = [i for i, name in enumerate(calibration.names) if name in SHARING]
    falls, rises = cost.served.reach
    least = np.maximum(cost.total - falls, cost.total * LEAST_SHARE)
    most = np.log((cost.total + rises) / least) / 2
    found = _deviation(slopes[shared], calibration.matrix[np.ix_(shared, shared)])
    slopes[shared] *= np.minimum(1.0, most / np.maximum(found, 1e-12))
    return np.asarray(slopes)


def refuse_neighbours(columns: ScenarioColumns) -> None:
    """Raises InputError where counters can't know what a neighbour costs."""
    if has_neighbours(columns):
        raise InputError(
            "a calibration from counters doesn't know what a neighbour costs",
            "neighbour",
            "leave the neighbour out, or calibrate by measuring: planecast calibrate STUDY",
        )


def _bounded(found: Prediction, line_cycles: float) -> Prediction:
    """Never below what memory can deliver to one core, a line in so many TSC cycles."""
    bound = found.memory_lines * line_cycles
    capped = bound > found.value
    stages = found.stages
    if stages and np.any(capped):  # what memory takes is known, what it leaves of the wait is not
        wait = np.where(capped, bound - found.value, 0.0)
        stages = {**stages, MEMORY_BANDWIDTH: (wait, capped * found.deviation * found.value)}
    value = np.maximum(found.value, bound)
    return replace(found, value=value, stages=stages, capped_by_memory=capped)


def _variance(slopes: Floats, matrix: Floats) -> Floats:
    """That the parameters' covariance gives, of shape (scenarios,)."""
    return np.asarray(np.maximum(((matrix @ slopes) * slopes).sum(axis=0), 0.0))


def _deviation(slopes: Floats, matrix: Floats) -> Floats:
    """Standard deviation that the parameters' covariance gives, of shape (scenarios,)."""
    return np.asarray(np.sqrt(_variance(slopes, matrix)))
