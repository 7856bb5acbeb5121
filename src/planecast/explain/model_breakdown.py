"""ModelBreakdown: the calibrated model's cost of one scenario, by stage and cause.

A cost is a sum of terms (`planecast.model.stage_cost`), so each cause of a stage is a part of that
sum, with slopes by the parameters of its own. Intervals are the prediction's
(`planecast.model.prediction`); the model's own error counts in proportion to a part.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from planecast.errors import InputError
from planecast.explain.stall_causes import BANDWIDTH, CORE_REST, ISSUE
from planecast.machine.caches import MEMORY
from planecast.machine.mechanism import Term
from planecast.machine.registry import CORE
from planecast.model.calibration import Calibration
from planecast.model.prediction import Costs, Prediction, cycles_estimate, predict
from planecast.model.stage_cost import STEP, stage_cost
from planecast.model.target_platform import Site, at_host
from planecast.model.transfer import transferred
from planecast.results.estimate import Estimate
from planecast.results.result import MEMORY_BANDWIDTH
from planecast.scenario.scenario import Scenario
from planecast.workload.profile import instructions_by_stage

Floats = NDArray[np.float64]
Place = tuple[str, str]
"""Stage and cause."""
Rows = dict[Place, Floats]
"""By stage and cause: cycles, those of them that the last level and memory take, of these those
next to a neighbour, and slopes by the logarithms of the parameters."""

_SLOPES = 3
_ROUNDING = 1e-9
"""Share of a cost by which sums in another order differ."""


@dataclass(frozen=True)
class ModelBreakdown:
    """What the model says of one scenario, in TSC cycles a packet."""

    parts: Mapping[Place, Estimate]
    """By stage and cause."""
    stages: Mapping[str, Estimate]
    causes: Mapping[str, Estimate]
    whole: Estimate


def model_breakdown(
    scenario: Scenario,
    calibration: Calibration,
    slots: float | None,
    said: Prediction | None = None,
) -> ModelBreakdown:
    """One scenario's cost by stage and cause; `slots` a cycle separate the issue width from the
    rest. `said` is what `predict` says of the scenario alone, where that is known.

    Raises InputError for what the model doesn't know, as `predict` does.
    """
    at = transferred(calibration, Site.of(scenario)).calibration
    scenario = at_host(scenario)
    said = said or predict([scenario], at)
    rows = _rows(at, said)
    parts = {place: _estimate(said, at, [row]) for place, row in rows.items()}
    causes = {
        cause: _estimate(said, at, (row for (_, own), row in rows.items() if own == cause))
        for cause in dict.fromkeys(cause for _, cause in rows)
    }
    stages = dict.fromkeys(stage for stage, _ in rows)
    issue = _issue_cycles(scenario, stages, at, slots) if slots else {}
    for stage, cycles in issue.items():
        core = parts.get((stage, CORE_REST))
        if core is not None:
            issue[stage] = min(cycles, core.value)
            parts[stage, ISSUE] = _exact(issue[stage])
            parts[stage, CORE_REST] = _less(core, issue[stage])
    if issue and CORE_REST in causes:
        causes[ISSUE] = _exact(sum(issue.values()))
        causes[CORE_REST] = _less(causes[CORE_REST], causes[ISSUE].value)
    whole = said.estimate(0)
    beyond = whole.value - sum(float(row[0]) for row in rows.values())
    if beyond > _ROUNDING * whole.value:
        parts[MEMORY_BANDWIDTH, BANDWIDTH] = causes[BANDWIDTH] = _exact(beyond)
        stages[MEMORY_BANDWIDTH] = None
    return ModelBreakdown(
        parts, {stage: said.stage_estimate(stage, 0) for stage in stages}, causes, whole
    )


def model_change(a: Scenario, b: Scenario, calibration: Calibration) -> dict[Place, Estimate]:
    """By stage and cause, what the model says that B takes more than A; ``("all", cause)`` over all
    stages, ``("all", "")`` in all; the issue width within the core's own cycles.

    The difference is made before the interval is: what the model gets wrong of both alike is not in
    it. Raises InputError for what the model doesn't know.
    """
    if Site.of(a) != Site.of(b):
        raise InputError(
            "A and B run on different machines or clocks, which changes all causes at once",
            "explain",
            "compare their predictions instead: planecast predict, planecast compare",
        )
    at = transferred(calibration, Site.of(a)).calibration
    both = [predict([at_host(one)], at) for one in (a, b)]
    left, right = (_rows(at, said) for said in both)
    said = both[1]
    rows = _sum(right, 1.0, left, -1.0)
    found = {place: _estimate(said, at, [row], signed=True) for place, row in rows.items()}
    for cause in dict.fromkeys(cause for _, cause in rows):
        own = [row for (_, name), row in rows.items() if name == cause]
        found["all", cause] = _estimate(said, at, own, signed=True)
    found["all", ""] = _estimate(said, at, rows.values(), signed=True)
    return found


def _rows(calibration: Calibration, said: Prediction) -> Rows:
    """The terms of one scenario's cost; under load memory has the latency of the prediction."""
    idle = _rows_of(said.costs[0], calibration)
    if said.load is None or said.load.factor[0] == 1:
        return idle
    far = {"hierarchy": calibration.hierarchy.with_memory(2)}
    twice = _rows_of(said.costs[1], calibration.model_copy(update=far))
    more = float(said.load.factor[0]) - 1
    return _sum(idle, 1.0, _sum(twice, 1.0, idle, -1.0), more)


def _sum(left: Rows, times: float, right: Rows, others: float) -> Rows:
    nothing = np.zeros(())
    return {
        place: np.asarray(times * left.get(place, nothing) + others * right.get(place, nothing))
        for place in dict.fromkeys((*left, *right))
    }


def _rows_of(costs: Costs, calibration: Calibration) -> Rows:
    profile, cost, neighbours = costs
    number = {name: _SLOPES + i for i, name in enumerate(calibration.names)}
    far = (calibration.hierarchy.levels[-1].name, MEMORY)
    rows: Rows = {}

    def row_of(term: Term) -> Floats:
        cause = CORE_REST if term.cause == CORE.cause else term.cause
        return rows.setdefault((term.stage, cause), np.zeros(_SLOPES + len(number)))

    for term in cost.terms:
        row, cycles = row_of(term), float(term.cycles[0])
        row[0] += cycles
        row[1] += cycles * (term.cause in far)
        row[2] += cycles * (term.cause in far) * (neighbours is not None)
        for name in term.parameters:
            if name in number:
                row[number[name]] += cycles
    others = None if neighbours is None else neighbours.others
    first = len(cost.near)  # of those that change
    for name in calibration.curved:  # no term names them
        larger = {**calibration.values, name: calibration.values[name] * float(np.exp(STEP))}
        stepped = stage_cost(profile, calibration.hierarchy, larger, others, near=cost.near)
        for terms, sign in ((stepped.terms, 1.0), (cost.terms, -1.0)):
            for term in terms[first:]:
                row_of(term)[number[name]] += sign * float(term.cycles[0]) / STEP
    return {place: row for place, row in rows.items() if row[0] != 0}


def _estimate(
    said: Prediction, calibration: Calibration, rows: Iterable[Floats], *, signed: bool = False
) -> Estimate:
    """Parts of a cost together."""
    row = sum(rows, np.zeros(_SLOPES + len(calibration.names)))
    slopes, own = row[_SLOPES:], calibration.discrepancy
    deviation = np.sqrt(
        max(float(slopes @ calibration.matrix @ slopes), 0.0)
        + (own.core * row[0]) ** 2
        + (own.memory * row[1]) ** 2
        + (own.neighbour * row[2]) ** 2
    )
    return said.part_estimate(float(row[0]), float(deviation), signed=signed)


def _issue_cycles(
    scenario: Scenario, stages: Iterable[str], calibration: Calibration, slots: float
) -> dict[str, float]:
    """TSC cycles that the stages' instructions take at the issue width."""
    counts = instructions_by_stage(scenario, calibration.instructions, calibration.program)
    hierarchy = calibration.hierarchy
    each = hierarchy.tsc_per_core_cycle / slots
    return {stage: counts[stage] * each for stage in stages}


def _less(estimate: Estimate, cycles: float) -> Estimate:
    """The estimate less so many cycles, which are known exactly."""
    low, high = estimate.interval or (estimate.value, estimate.value)
    value = estimate.value - cycles
    return cycles_estimate(value, max(low - cycles, min(value, 0.0)), high - cycles)


def _exact(cycles: float) -> Estimate:
    return cycles_estimate(cycles, cycles, cycles)
