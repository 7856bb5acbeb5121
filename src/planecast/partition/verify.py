"""Measures what neighbours cost a data plane: idle and busy ones in turns, predicted beforehand."""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from planecast.engines.solve import solve
from planecast.generators.neighbour import Work
from planecast.host.root import Root
from planecast.host.topology import read_topology
from planecast.model.calibration import Calibration
from planecast.partition.interleaved_trials import Context, Visit, measured_with_neighbours
from planecast.partition.machine import Timing
from planecast.partition.neighbour_cost import QUIET, Cost, cost_of, of_both, with_plan
from planecast.partition.neighbour_fit import MeasuredNeighbour, NeighbourFit, fit_neighbours
from planecast.partition.neighbour_prediction import Asked, Parts, predicted_with_neighbour
from planecast.partition.neighbour_study import NeighbourStudy
from planecast.results.estimate import Estimate, ratio
from planecast.results.result import Result, ResultSet
from planecast.results.validation import Validation, ValidationPoint
from planecast.scenario.host_cpus import cpus_here
from planecast.scenario.scenario import Scenario

PREDICTIONS = "predictions.json"
WITH_PLAN = "divided.json"
FIT = "neighbour-fit.json"
DIVIDED = ", divided"
"""Ends the label of a point that is measured with the plan applied."""


@dataclass(frozen=True)
class Verified:
    """The whole answer."""

    costs: tuple[Cost, ...]
    """The idle neighbour first."""
    fit: NeighbourFit
    """What the neighbours that were measured first have shown."""
    repeatability: Estimate | None
    """The idle one's second measurement over its first, in turns with all others."""
    sibling: bool
    """The neighbour's CPU is a thread of the data plane's core."""


def verify(context: Context) -> Verified:
    """Predicts, measures in turns, compares; writes everything into the run's folder.

    Raises MissingError without the programs, InputError for a scenario that can't be measured.
    """
    study = context.study
    works = [Work(), *(point.work() for point in study.points)]
    labels = [QUIET, *(point.label() for point in study.points)]
    predicted = _predictions(context, works)
    dividing = context.divided is not None and not context.divided.lacking
    visits = [Visit(label, work) for label, work in zip(labels, works, strict=True)]
    if dividing:
        visits += [Visit(one.label + DIVIDED, one.work, divided=True) for one in visits]
    rest = _for_part(context, 1 - study.first_part) if predicted.fit.points else context
    results, rates = measured_with_neighbours(rest, [*visits, Visit(f"{QUIET} again", Work())])
    quiet = of_both(results[0], results[-1])
    costs = []
    for place, label in enumerate(labels):
        pair = (results[place], predicted.shared[place])
        cost = cost_of(label, pair, (quiet, predicted.shared[0]), rates[place])
        if context.divided is not None:
            apart = results[len(labels) + place] if dividing else None
            cost = replace(cost, divided=with_plan(pair, (apart, predicted.divided[place])))
        costs.append(cost)
    again = ratio(results[-1].cycles_per_packet, results[0].cycles_per_packet)
    if dividing:
        kept = tuple(results[len(labels) : 2 * len(labels)])
        context.run.write_json(WITH_PLAN, ResultSet(results=kept))
    _write(context, costs, again)
    return Verified(tuple(costs), predicted.fit, again, _sibling(study, context.scenario))


@dataclass(frozen=True)
class _Predictions:
    """What the model says of each neighbour before the points are measured; None of what nobody
    asked, or without a calibration."""

    fit: NeighbourFit
    shared: Sequence[Result | None]
    divided: Sequence[Result | None]
    """The same with the plan."""


def _predictions(context: Context, works: Sequence[Work]) -> _Predictions:
    """Predicts, and writes it into the run's folder before anything of it is measured."""
    nothing: Sequence[Result | None] = [None] * len(works)
    if context.calibration is None:
        return _Predictions(NeighbourFit(), nothing, nothing)
    fit = _learn(context, context.calibration)
    sibling = _sibling(context.study, context.scenario)
    ask = _Question(context, fit.machine(context.calibration), fit, sibling)
    shared = _predict(ask, works, None)
    apart = _predict(ask, works, context.divided.parts()) if context.divided else []
    context.run.write_aside(PREDICTIONS, ResultSet(results=(*shared, *apart)))
    return _Predictions(fit, shared, apart or nothing)


def _learn(context: Context, calibration: Calibration) -> NeighbourFit:
    """What the study's neighbours that come first show, in their share of the time."""
    study = context.study
    if not study.calibrate:
        return NeighbourFit()
    visits = [Visit(QUIET, Work())]
    visits += [Visit(point.label(), point.work()) for point in study.calibrate]
    (quiet, *busy), _ = measured_with_neighbours(
        _for_part(context, study.first_part), visits, keep=False
    )
    fitted = [
        MeasuredNeighbour(visit.work, slowdown)
        for visit, result in zip(visits[1:], busy, strict=True)
        if (slowdown := ratio(result.cycles_per_packet, quiet.cycles_per_packet)) is not None
    ]
    fit = fit_neighbours(calibration, context.scenario, fitted, study.memory_gbs)
    context.run.write_json(FIT, fit)
    return fit


def _for_part(context: Context, part: float) -> Context:
    """The same with a part of the time."""
    budget = context.study.budget
    own = {"seconds": part * budget.seconds, "patience": part * budget.patience}
    study = context.study.model_copy(update={"budget": budget.model_copy(update=own)})
    return replace(context, study=study)


@dataclass(frozen=True)
class _Question:
    """What the model is asked with."""

    context: Context
    calibration: Calibration
    """With the shared cache as it was found."""
    fit: NeighbourFit
    sibling: bool


def _sibling(study: NeighbourStudy, scenario: Scenario) -> bool:
    core = read_topology(Root()).core_of(study.cpu)
    return core is not None and bool(set(core.threads) & set(cpus_here(scenario)))


def _predict(ask: _Question, works: Sequence[Work], parts: Parts | None) -> list[Result]:
    """The model's answer next to each neighbour, the idle one first; with `parts`, divided."""
    calibration, context = ask.calibration, ask.context
    scenario, manifest = context.scenario, context.manifest
    (quiet,) = solve([scenario], calibration, manifest)
    asked = Asked(scenario, calibration, context.study.memory_gbs, parts)
    found = []
    for work in works:
        if work.mode == "idle" and parts is None:
            found.append(quiet)
            continue
        thread = Timing().sibling_slowdown if ask.sibling and work.mode != "idle" else 1.0
        result = predicted_with_neighbour(asked, work, manifest)
        wanted = result.cycles_per_packet.value / quiet.cycles_per_packet.value
        shown = ask.fit.slowdown(wanted) / wanted
        found.append(predicted_with_neighbour(asked, work, manifest, thread * shown))
    return found


def _write(context: Context, costs: Sequence[Cost], again: Estimate | None) -> None:
    """As a validation, which the report draws, where there are predictions; else as results."""
    calibration, run = context.calibration, context.run
    if calibration is None:
        run.write_result([cost.measured for cost in costs])
        return
    points = [
        ValidationPoint.of(
            {"neighbour": cost.label},
            cost.measured,
            cost.predicted,
            held_out=cost.label != QUIET,
            extrapolates=bool(cost.predicted.notes) and cost.label == QUIET,
            reproduce=shlex.join(["planecast", "partition", "verify", str(Path(context.source))]),
        )
        for cost in costs
        if cost.predicted is not None
    ]
    run.write_result(
        Validation.of(
            context.study.name,
            points,
            {p.name: p.estimate(calibration.points) for p in calibration.parameters},
            context.manifest,
            repeatability=again,
        )
    )
