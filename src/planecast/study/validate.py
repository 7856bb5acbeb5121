"""Validation: measure all points, calibrate on some, predict the others, state the error.

The predictions are on disk, and their digest taken, before the rows of held-out points are opened
(`interleaved`). The first calibration point is measured twice, as an anchor: how much it moved is
the measurement's own repeatability.
"""

from __future__ import annotations

import shlex
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import replace
from pathlib import Path

from planecast.engines.solve import solve
from planecast.errors import InputError
from planecast.instruments.host_state import HostState, HostStates
from planecast.instruments.probe import probe_state
from planecast.model.calibrated_range import any_outside
from planecast.results.estimate import ratio
from planecast.results.result import Result, ResultSet
from planecast.results.store import RunDirectory
from planecast.results.validation import Validation, ValidationPoint
from planecast.scenario.host_cpus import cpus_here
from planecast.scenario.load import load_scenario
from planecast.scenario.points import Point
from planecast.scenario.study import Study
from planecast.study.calibrate import MEASURED, PREPARED, Context, fit, prepare, with_instructions
from planecast.study.interleaved import measure_interleaved
from planecast.study.runnable_points import possible

PREDICTIONS = "predictions.json"
_FITTED = 0.95
"""Share of the progress: as those of `planecast.study.calibrate`."""
BASE = "scenario.yaml"  # JSON is YAML
HOST_STATE = "host-state.json"
TIMES = (0.0, 0.5, 1.0)
"""Shares of the measuring time at which the state is taken, or as soon as it can be."""


def validate(context: Context) -> Validation:
    """Runs a whole study into its run's directory. Raises as calibrate_study does."""
    study, skipped = possible(context.study)
    context, manifest = replace(context, study=study), context.manifest
    ready = prepare(context)
    # The first calibration point once more, closed as the held-out ones are: the anchor.
    closed = (*study.hold_out, *study.check, study.calibrate[0])
    with _host_states(context) as (look, states):
        rows = measure_interleaved(context.part(PREPARED, MEASURED), study.calibrate, closed, look)
    first = fit(context, ready.in_states(states), rows.calibration())
    context.progress(_FITTED, 1, "predicting the held-out points and opening what was measured")
    held = study.scenarios((*study.hold_out, *study.check))
    predicted = solve(held, first.calibration, manifest)
    predictions = context.run.write_json(PREDICTIONS, ResultSet(results=tuple(predicted)))
    results, digest = rows.open(predictions)
    own = first.calibration
    measured = [with_instructions(r, own.instructions, own.program) for r in results]
    fitted = solve(study.scenarios(study.calibrate), first.calibration, manifest)
    beyond = any_outside(held, first.calibration.span).tolist()
    base = base_file(study, context.run)
    apart = _points(base, closed[:-1], measured[:-1], predicted, beyond)
    drawn = len(study.hold_out)
    validation = Validation.of(
        study.name,
        [
            *_points(base, study.calibrate, first.measured, fitted),
            *apart[:drawn],
            *(one.model_copy(update={"held_out": False, "checked": True}) for one in apart[drawn:]),
        ],
        {p.name: p.estimate(first.calibration.points) for p in first.calibration.parameters},
        manifest,
        repeatability=ratio(measured[-1].cycles_per_packet, first.measured[0].cycles_per_packet),
        predictions_sha256=digest,
        seed=study.seed,
        skipped=skipped,
    )
    context.run.write_result(validation)
    return validation


@contextmanager
def _host_states(context: Context) -> Iterator[tuple[Callable[[float], None], list[HostState]]]:
    """The host's state at the start, about the middle and the end of the measuring.

    (What to call between the processes of a run, the states that it found so far);
    ``host-state.json`` has them, whatever happens.

    Calling raises MissingError and RunError as `probe_state` does.
    """
    states: list[HostState] = []

    def look(share: float) -> None:
        if len(states) < len(TIMES) and share >= TIMES[len(states)]:
            states.append(probe_state(cpus_here(context.study.scenario)[0]))

    try:
        yield look, states
    finally:
        if states:
            context.run.write_aside(HOST_STATE, HostStates(states=tuple(states)))


def _points(
    base: Path,
    points: Sequence[Point],
    measured: Sequence[Result],
    predicted: Sequence[Result],
    beyond: Sequence[bool] | None = None,
) -> list[ValidationPoint]:
    """`beyond`: of held-out points, whether each lies outside what was calibrated."""
    return [
        ValidationPoint.of(
            dict(point),
            truth,
            answer,
            held_out=beyond is not None,
            extrapolates=outside,
            reproduce=reproduce(base, point),
        )
        for point, truth, answer, outside in zip(
            points, measured, predicted, beyond or [False] * len(points), strict=True
        )
    ]


def base_file(study: Study, run: RunDirectory) -> Path:
    """A scenario file that holds the study's base: its own, or one in the run's folder.

    The base has no file of its own when it stands in the study, or was changed by ``--set``.
    """
    with suppress(InputError):
        if load_scenario(study.source) == study.scenario:
            return Path(study.source)
    return run.write_json(BASE, study.scenario)


def reproduce(base: Path, point: Point) -> str:
    """The command that measures one point over the scenario of the file `base` again."""
    words = ["planecast", "measure", str(base)]
    for key, value in point.items():
        text = ",".join(value) or "none" if isinstance(value, tuple) else str(value)
        words += ["--set", f"{key}={text}"]
    return shlex.join(words)
