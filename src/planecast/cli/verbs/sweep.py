"""``planecast sweep SCENARIO``: very many points by the model."""

from __future__ import annotations

import logging
import os
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from planecast.cli.shared.calibration import CalibrationOption, calibration_of, job_of
from planecast.cli.shared.option_rules import Excludes, Needs
from planecast.cli.shared.options import (
    FormatOption,
    OutputOption,
    RunsOption,
    SetOption,
    overrides,
)
from planecast.cli.shared.output import chosen_format, emit
from planecast.cli.shared.progress import progress_bar
from planecast.cli.shared.resume import ResumeOption, only_resumes, resume_hint, resumed_run
from planecast.errors import InputError

if TYPE_CHECKING:
    from planecast.cli.tables.sheet import Sheet
    from planecast.results import Result, RunDirectory
    from planecast.study.calibration_run import Chosen
    from planecast.sweep import Job, Workers

_log = logging.getLogger(__name__)

Engine = Literal["solve", "simulate"]
Sample = Literal["grid", "lhs"]

SHOWN = 5
"""Points with most packets a second that are shown, and stored as results."""
SOLVED_BATCH = 65536
SIMULATED_BATCH = 16


ScenarioArgument = Annotated[
    str | None,
    typer.Argument(metavar="[SCENARIO]", help="A scenario's YAML file.", show_default=False),
]
VaryOption = Annotated[
    list[str] | None,
    typer.Option(
        "--vary",
        metavar="KEY=…",
        help="KEY=V,V… or KEY=LOW:HIGH, in a grid KEY=LOW:HIGH:COUNT; :log behind it for equal "
        "ratios. Repeatable.",
    ),
]
SampleOption = Annotated[
    Sample,
    typer.Option("--sample", help="grid: every combination. lhs: a Latin hypercube of -n."),
]
PointsOption = Annotated[
    int | None,
    typer.Option(
        "-n", "--points", min=1, help="lhs: how many points. Default: 1000.", show_default=False
    ),
]
EngineOption = Annotated[
    Engine, typer.Option("--engine", help="solve: closed form. simulate: events in time.")
]
PrecisionOption = Annotated[
    float,
    typer.Option("--precision", min=1e-4, max=0.5, help="simulate: a point's relative interval."),
    Needs("--engine simulate"),
]
SeedOption = Annotated[
    int, typer.Option("--seed", min=0, help="lhs: its seed."), Needs("--sample lhs")
]
WorkersOption = Annotated[
    int | None,
    typer.Option(
        "--workers",
        min=1,
        max=1024,
        help="Processes; by default one for each CPU.",
        show_default=False,
    ),
    Excludes("--dask"),
]
DaskOption = Annotated[
    str | None,
    typer.Option("--dask", metavar="ADDRESS", help="Scheduler of a Dask cluster that answers."),
]


def sweep(
    scenario: ScenarioArgument = None,
    vary: VaryOption = None,
    sample: SampleOption = "grid",
    points: PointsOption = None,
    engine: EngineOption = "solve",
    precision: PrecisionOption = 0.01,
    calibration: CalibrationOption = None,
    workers: WorkersOption = None,
    dask: DaskOption = None,
    resume: Annotated[ResumeOption, only_resumes("sweep", "--workers", "--dask")] = None,
    settings: SetOption = None,
    seed: SeedOption = 1,
    runs: RunsOption = None,
    form: FormatOption = None,
    output: OutputOption = None,
) -> None:
    """Answer very many points by the model, into Parquet as they come.

    `planecast query "SELECT … FROM sweeps"` reads them, also while the sweep runs.
    """
    from planecast.results import RunDirectory, runs_folder
    from planecast.sweep import first_values, parse_axis, read_job, run_sweep
    from planecast.sweep.job import Plan
    from planecast.sweep.run import JOB

    root = runs_folder(runs)
    if resume is not None:
        run = resumed_run("sweep", resume, root, asked=JOB)
        job = read_job(run)
        answering = _answering(job, workers, dask)
    else:
        if scenario is None:
            raise InputError("no scenario", "sweep", "name a scenario's file, or --resume RUN")
        from planecast.scenario import load_varied

        axes = [parse_axis(text) for text in vary or []]
        base = load_varied(scenario, overrides(settings), first_values(axes))
        plan = Plan.of(base, axes, sample, points, seed)
        chosen = calibration_of(calibration, root, counted=engine == "solve", kind=base.forwards)
        chosen.refuse_other_workloads([base], [axis.key for axis in plan.axes])
        job = _job(plan, chosen, engine, precision)
        answering = _answering(job, workers, dask)
        run = RunDirectory.create(root, "sweep", base.name)
    with resume_hint(run), run, progress_bar("sweeping") as progress:
        run_sweep(job, run, answering, progress)
        best = _best(job, run)
        run.write_result([result for _, result in best])
    sheet = _sheet(job, run, best)
    if chosen_format(form, output) in ("csv", "parquet"):  # which have no notes
        _log.warning("%s", sheet.notes[0])
    emit(sheet, form, output)


def _answering(job: Job, workers: int | None, dask: str | None) -> Workers:
    """Who answers. Raises as `Workers.check`."""
    from planecast.sweep import Workers

    found = Workers(workers or min(len(os.sched_getaffinity(0)), len(job.batches)), dask)
    found.check()
    return found


def _job(plan: Any, chosen: Chosen, engine: Engine, precision: float) -> Job:
    cpus = len(os.sched_getaffinity(0))
    most = SOLVED_BATCH if engine == "solve" else SIMULATED_BATCH
    # Some ten batches for each CPU, so that no CPU waits long for the last one.
    batch = max(1, min(most, plan.points // (10 * cpus)))
    return job_of(plan, chosen, engine, precision=precision, batch=batch)


def _best(job: Job, run: RunDirectory) -> list[tuple[str, Result]]:
    """(label, whole result) of the points with most packets a second; raises InputError when every
    point was refused."""
    from planecast.results import Result
    from planecast.results.store import SWEEP
    from planecast.scenario import point_label
    from planecast.sweep import best_points
    from planecast.sweep.answer import answered

    numbers, refused, why = best_points(job, run, SHOWN)
    if not numbers:
        (run.path / SWEEP).unlink()  # refusals alone are no answer
        raise InputError(f"all {refused} points were refused", "--vary", f"the first: {why[0]}")
    points = [job.plan.point(number) for number in numbers]
    results = answered(job, points)
    return [
        (point_label(p), r) for p, r in zip(points, results, strict=True) if isinstance(r, Result)
    ]


def _sheet(job: Job, run: RunDirectory, best: list[tuple[str, Result]]) -> Sheet:
    from dataclasses import replace

    from planecast.cli.tables.results import results_sheet
    from planecast.results.store import SWEEP
    from planecast.sweep import best_points

    _, refused, why = best_points(job, run, SHOWN)
    labels, results = [label for label, _ in best], [result for _, result in best]
    sheet = results_sheet(results, labels, run.path)
    answered = job.plan.points - refused
    notes = [
        f"{answered} of {job.plan.points} points answered; the {len(best)} with most packets "
        f"a second are shown; all of them: {run.path / SWEEP}"
    ]
    if refused:
        refusal = (
            "1 point was refused" if refused == 1 else f"{refused} points were refused, such as"
        )
        notes.append(f"{refusal}: {why[0]}")
    document = {
        "run": str(run.path),
        "points": job.plan.points,
        "refused": refused,
        "parquet": str(run.path / SWEEP),
        "best": [
            {"label": label, "result": result.model_dump(mode="json")} for label, result in best
        ],
    }
    return replace(sheet, document=document, notes=[*notes, *sheet.notes])
