"""Measuring a data plane next to a neighbour that does one thing after another, in turns."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager, ExitStack, contextmanager
from dataclasses import dataclass

from planecast.engines.measure import TrialTable, measure
from planecast.generators.neighbour import TOUCHING, Done, Neighbour, Work
from planecast.model.calibration import Calibration
from planecast.partition.applied_plan import Divided
from planecast.partition.neighbour_study import NeighbourStudy
from planecast.progress import Progress
from planecast.results.manifest import Manifest
from planecast.results.result import Result
from planecast.results.store import RunDirectory
from planecast.scenario.scenario import Scenario


@dataclass(frozen=True)
class Context:
    """What every part of a verification needs."""

    study: NeighbourStudy
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


@dataclass(frozen=True)
class Visit:
    """A point of the measurement."""

    label: str
    work: Work
    divided: bool = False
    """The plan is applied during the visit."""


def measured_with_neighbours(
    context: Context, visits: Sequence[Visit], *, keep: bool = True
) -> tuple[list[Result], list[float]]:
    """Measured results, and the neighbour's lines a second next to each; trials are kept or not.

    Raises MissingError without the programs, InputError for a scenario that can't be measured.
    """
    table = TrialTable([visit.label for visit in visits])
    done: dict[int, list[Done]] = {}
    with Neighbour(context.study.cpu) as neighbour:

        def neighbour_of(point: int) -> AbstractContextManager[object]:
            kept = done.setdefault(point, [])
            return _neighbour_of(visits[point], neighbour, context.divided, kept)

        try:
            results = measure(
                [context.scenario] * len(visits),
                context.study.budget,
                context.manifest,
                table=table,
                progress=context.progress,
                neighbour_of=neighbour_of,
            )
        finally:
            if keep and table.columns():
                context.run.write_trials(table.stored())
    named = [_next_to(one, visit.work, context) for one, visit in zip(results, visits, strict=True)]
    return named, [_mean_rate(done.get(point, [])) for point in range(len(visits))]


def _next_to(result: Result, work: Work, context: Context) -> Result:
    """The result with the neighbour in its scenario: it is no point of the idle one's history."""
    if work.mode == "idle":
        return result
    neighbour = work.as_scenario_has_it(context.study.cpu)
    scenario = result.scenario.model_copy(update={"neighbour": neighbour})
    return result.model_copy(update={"scenario": scenario})


@contextmanager
def _neighbour_of(
    visit: Visit, neighbour: Neighbour, divided: Divided | None, done: list[Done]
) -> Iterator[None]:
    """The neighbour at work, and the plan applied where the visit wants it; what the neighbour did
    is kept, unless the visit fails."""
    with ExitStack() as stack:
        if visit.divided and divided is not None:
            # Before the neighbour begins: its lines then are in its own ways.
            stack.enter_context(divided.applied())
        stack.enter_context(neighbour.doing(visit.work))
        yield
        if visit.work.mode != "idle":
            done.append(neighbour.done())


def _mean_rate(done: Sequence[Done]) -> float:
    seconds = sum(one.seconds for one in done)
    return sum(one.lines for one in done if one.mode in TOUCHING) / seconds if seconds else 0.0
