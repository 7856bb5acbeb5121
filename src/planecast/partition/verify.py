"""Measures what neighbours cost a data plane: idle and busy ones in turns, predicted beforehand."""

from __future__ import annotations

import math
import shlex
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass, replace
from pathlib import Path

from planecast.engines.measure import TrialTable, measure
from planecast.engines.solve import Calibration, solve
from planecast.generators.neighbour import Done, Neighbour, Work
from planecast.host.root import Root
from planecast.host.topology import read_topology
from planecast.partition.contention import Contended, Parts, beside, with_neighbour
from planecast.partition.divided import Divided
from planecast.partition.machine import Timing
from planecast.partition.neighbour_fit import NeighbourFit, Told, fit_neighbours
from planecast.partition.noisy import Noisy
from planecast.results.estimate import Estimate, ratio
from planecast.results.manifest import Manifest
from planecast.results.result import Result, ResultSet
from planecast.results.store import RunDirectory
from planecast.results.validation import Validation, ValidationPoint
from planecast.scenario.scenario import Scenario

Progress = Callable[[float, float, str], None]

PREDICTIONS = "predictions.json"
WITH_PLAN = "divided.json"
FIT = "neighbour-fit.json"
QUIET = "idle"
DIVIDED = ", divided"
"""Ends the label of a point that is measured with the plan applied."""


@dataclass(frozen=True)
class Context:
    """What every part of a verification needs."""

    study: Noisy
    source: str
    """The study's file, as a command can name it."""
    scenario: Scenario
    calibration: Calibration | None
    """None: nothing is predicted."""
    run: RunDirectory
    manifest: Manifest
    progress: Progress
    divided: Divided | None = None
    """A plan to measure with and without, where this machine can."""


Pair = tuple[Result, Result | None]
"""Measured and predicted."""


@dataclass(frozen=True)
class WithPlan:
    """What one neighbour costs with the plan applied."""

    measured: Result | None
    """None where the plan can't be applied here."""
    speedup: Estimate | None
    """Measured cycles a packet without the plan over those with it."""
    predicted_speedup: float | None
    """None without a calibration."""


@dataclass(frozen=True)
class Cost:
    """What one neighbour costs."""

    label: str
    measured: Result
    predicted: Result | None
    """On top of the idle one's measurement; the idle one's own is the model's as it stands. None
    without a calibration."""
    slowdown: Estimate | None
    """Measured cycles a packet over those beside an idle neighbour."""
    predicted_slowdown: float | None
    lines_per_s: float
    """What the neighbour was measured to touch; of an idle one 0."""
    divided: WithPlan | None = None
    """None without a plan."""


@dataclass(frozen=True)
class Verified:
    """The whole answer."""

    costs: tuple[Cost, ...]
    """The idle neighbour first."""
    fit: NeighbourFit
    """What the neighbours that were measured first have told."""
    repeatability: Estimate | None
    """The idle one's second measurement over its first, in turns with all others."""
    sibling: bool
    """The neighbour's CPU is a thread of the data plane's core."""


def verify(context: Context) -> Verified:
    """Predicts, measures in turns, compares; writes everything into the run's folder.

    Raises MissingError without the programs, InputError for a scenario that can't be measured.
    """
    study, scenario = context.study, context.scenario
    sibling = _sibling(study, scenario)
    works = [Work(), *(point.work() for point in study.points)]
    labels = [QUIET, *(point.label() for point in study.points)]
    predicted: Sequence[Result | None] = [None] * len(works)
    with_plan: Sequence[Result | None] = [None] * len(works)
    fit = NeighbourFit()
    if context.calibration is not None:
        fit = _learn(context, context.calibration)
        ask = Asked(context, fit.machine(context.calibration), fit, sibling)
        answers = _predict(ask, works, None)
        parts = context.divided.parts() if context.divided else None
        if parts is not None:
            with_plan = _predict(ask, works, parts)
        kept = tuple(result for result in (*answers, *with_plan) if result is not None)
        context.run.write_json(PREDICTIONS, ResultSet(results=kept))
        predicted = answers
    dividing = context.divided is not None and not context.divided.lacking
    visits = [Visit(label, work) for label, work in zip(labels, works, strict=True)]
    if dividing:
        visits += [Visit(one.label + DIVIDED, one.work, divided=True) for one in visits]
    rest = _for_part(context, 1 - study.first_part) if fit.points else context
    results, rates = _measure(rest, [*visits, Visit(f"{QUIET} again", Work())])
    quiet = _of_both(results[0], results[-1])
    costs = []
    for place, label in enumerate(labels):
        pair = (results[place], predicted[place])
        cost = _cost(label, pair, (quiet, predicted[0]), rates[place])
        if context.divided is not None:
            apart = results[len(labels) + place] if dividing else None
            cost = replace(cost, divided=_with_plan(pair, (apart, with_plan[place])))
        costs.append(cost)
    again = ratio(results[-1].cycles_per_packet, results[0].cycles_per_packet)
    if dividing:
        kept = tuple(results[len(labels) : 2 * len(labels)])
        context.run.write_json(WITH_PLAN, ResultSet(results=kept))
    _write(context, costs, again)
    return Verified(tuple(costs), fit, again, sibling)


def _of_both(first: Result, again: Result) -> Result:
    """The idle neighbour's two figures as one: everything is compared with it, so its own chance
    would be in every error."""
    one, two = first.cycles_per_packet, again.cycles_per_packet
    value = math.sqrt(one.value * two.value)
    ends = [
        math.sqrt(a * b) if a is not None and b is not None else None
        for a, b in ((one.low, two.low), (one.high, two.high))
    ]
    both = one.model_copy(
        update={
            "value": value,
            "low": ends[0],
            "high": ends[1],
            "samples": one.samples + two.samples,
        }
    )
    return first.model_copy(update={"cycles_per_packet": both})


def _learn(context: Context, calibration: Calibration) -> NeighbourFit:
    """What the study's neighbours that come first tell, in their share of the time."""
    study = context.study
    if not study.calibrate:
        return NeighbourFit()
    visits = [Visit(QUIET, Work())]
    visits += [Visit(point.label(), point.work()) for point in study.calibrate]
    (quiet, *busy), _ = _measure(_for_part(context, study.first_part), visits, keep=False)
    told = [
        Told(visit.work, slowdown)
        for visit, result in zip(visits[1:], busy, strict=True)
        if (slowdown := ratio(result.cycles_per_packet, quiet.cycles_per_packet)) is not None
    ]
    fit = fit_neighbours(calibration, context.scenario, told, study.memory_gbs)
    context.run.write_json(FIT, fit)
    return fit


def _for_part(context: Context, part: float) -> Context:
    """The same with a part of the time."""
    budget = context.study.budget
    own = {"seconds": part * budget.seconds, "patience": part * budget.patience}
    study = context.study.model_copy(update={"budget": budget.model_copy(update=own)})
    return replace(context, study=study)


@dataclass(frozen=True)
class Asked:
    """What the model is asked with."""

    context: Context
    calibration: Calibration
    """With the shared cache as it was found."""
    fit: NeighbourFit
    sibling: bool


@dataclass(frozen=True)
class Visit:
    """A point of the measurement."""

    label: str
    work: Work
    divided: bool = False
    """The plan is applied meanwhile."""


def _with_plan(without: Pair, apart: tuple[Result | None, Result | None]) -> WithPlan:
    measured, predicted = apart
    expected = None
    if predicted is not None and without[1] is not None:
        expected = without[1].cycles_per_packet.value / predicted.cycles_per_packet.value
    speedup = None
    if measured is not None:
        speedup = ratio(without[0].cycles_per_packet, measured.cycles_per_packet)
    return WithPlan(measured, speedup, expected)


def _sibling(study: Noisy, scenario: Scenario) -> bool:
    core = read_topology(Root()).core_of(study.cpu)
    return core is not None and bool(set(core.threads) & set(scenario.placement.cpus))


def _predict(ask: Asked, works: Sequence[Work], parts: Parts | None) -> list[Result]:
    """The model's answer beside each neighbour, the idle one first; with `parts`, divided."""
    calibration, context = ask.calibration, ask.context
    scenario, manifest = context.scenario, context.manifest
    (quiet,) = solve([scenario], calibration, manifest)
    found = []
    for work in works:
        if work.mode == "idle" and parts is None:
            found.append(quiet)
            continue
        contended: Contended = beside(calibration, scenario, work, context.study.memory_gbs, parts)
        (result,) = solve([scenario], contended.calibration, manifest)
        thread = 2 / (1 + Timing().smt_gain) if ask.sibling and work.mode != "idle" else 1.0
        wanted = result.cycles_per_packet.value / quiet.cycles_per_packet.value
        shown = ask.fit.slowdown(wanted) / wanted
        found.append(with_neighbour(result, quiet, contended, thread * shown))
    return found


def _measure(
    context: Context, visits: Sequence[Visit], *, keep: bool = True
) -> tuple[list[Result], list[float]]:
    """Measured results, and the neighbour's lines a second beside each; trials are kept or not."""
    table = TrialTable([visit.label for visit in visits])
    done: dict[int, list[Done]] = {}
    with Neighbour(context.study.cpu) as neighbour:

        def company(point: int) -> AbstractContextManager[object]:
            kept = done.setdefault(point, [])
            beside_it = _Beside(neighbour, visits[point].work, kept)
            if visits[point].divided and context.divided is not None:
                return _both(context.divided.applied(), beside_it)
            return beside_it

        try:
            results = measure(
                [context.scenario] * len(visits),
                context.study.budget,
                context.manifest,
                table=table,
                progress=context.progress,
                company=company,
            )
        finally:
            if keep and table.columns():
                context.run.write_trials(table.stored())
    rates = [_mean_rate(done.get(point, [])) for point in range(len(visits))]
    return results, rates


@contextmanager
def _both(first: AbstractContextManager[object], second: _Beside) -> Iterator[None]:
    """The machine is divided before the neighbour begins: its lines then are in its own ways."""
    with first, second:
        yield


class _Beside:
    """A neighbour that works during a visit; what it did is kept."""

    def __init__(self, neighbour: Neighbour, work: Work, done: list[Done]) -> None:
        self._doing = neighbour.doing(work)
        self._neighbour, self._work, self._done = neighbour, work, done

    def __enter__(self) -> None:
        self._doing.__enter__()

    def __exit__(self, *error: object) -> None:
        try:
            if error[0] is None and self._work.mode != "idle":
                self._done.append(self._neighbour.done())
        finally:
            self._doing.__exit__(None, None, None)


def _mean_rate(done: Sequence[Done]) -> float:
    seconds = sum(one.seconds for one in done)
    return sum(one.lines for one in done) / seconds if seconds else 0.0


def _cost(label: str, pair: Pair, idle: Pair, lines_per_s: float) -> Cost:
    measured, predicted = pair
    quiet, predicted_quiet = idle
    expected = None
    if predicted is not None and predicted_quiet is not None:
        expected = predicted.cycles_per_packet.value / predicted_quiet.cycles_per_packet.value
        if label != QUIET:
            predicted = _anchored(predicted, quiet, predicted_quiet)
    slowdown = ratio(measured.cycles_per_packet, quiet.cycles_per_packet)
    return Cost(
        label, measured, predicted, None if label == QUIET else slowdown, expected, lines_per_s
    )


def _anchored(predicted: Result, quiet: Result, predicted_quiet: Result) -> Result:
    """What the model says of the neighbour, on top of what was measured beside an idle one.

    The question is what the neighbour costs. How well the model knows this machine without one is
    another, which the idle point's own error answers.
    """
    factor = quiet.cycles_per_packet.value / predicted_quiet.cycles_per_packet.value
    cost, rate = predicted.cycles_per_packet, predicted.throughput_pps
    note = f"stated on top of the idle neighbour's measurement: the model's times {factor:.3f}"
    return predicted.model_copy(
        update={
            "cycles_per_packet": cost.scaled(factor, cost.unit),
            "throughput_pps": rate.scaled(1 / factor, rate.unit),
            "notes": (*predicted.notes, note),
        }
    )


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
