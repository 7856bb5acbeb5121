"""``planecast validate STUDY``: the model against this machine, on points that it has not seen."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Any

import typer

from planecast.cli.shared.option_rules import ANSWER, Alone
from planecast.cli.shared.options import (
    DryRunOption,
    Format,
    FormatOption,
    OutputOption,
    RunsOption,
    SetOption,
    overrides,
)
from planecast.cli.shared.output import emit
from planecast.cli.shared.progress import progress_bar
from planecast.cli.shared.resume import kept_hint
from planecast.cli.shared.scenarios import MaybeStudyArgument
from planecast.cli.tables.sheet import Column, Sheet
from planecast.cli.tables.validation import validation_sheet
from planecast.errors import InputError

DrawSeedOption = Annotated[
    int | None,
    typer.Option(
        "--seed",
        metavar="N",
        min=0,
        help="Draw the held-out points that this seed drew before. Default: others in each run.",
    ),
]

RecordOption = Annotated[
    Path | None,
    typer.Option(
        "--record",
        metavar="FOLDER",
        help="Keep what a replay needs (measurements, calibration, trials) in an empty folder.",
    ),
]
ReplayOption = Annotated[
    list[Path] | None,
    typer.Option(
        "--replay",
        metavar="FOLDER",
        help="Fit and check a recorded validation again, without a data plane; may be repeated.",
    ),
    Alone(*ANSWER),
]


def validate(
    study: MaybeStudyArgument = None,
    settings: SetOption = None,
    runs: RunsOption = None,
    form: FormatOption = None,
    output: OutputOption = None,
    seed: DrawSeedOption = None,
    record: RecordOption = None,
    replay: ReplayOption = None,
    dry_run: DryRunOption = False,
) -> None:
    """Measure all points, calibrate on some, predict the others, and state the error.

    Predictions are written and sealed before what was measured of held-out points is opened. Ends
    with the table of errors and the path of the report.
    """
    if replay:
        _replay(replay, form, output)
        return
    if study is None:
        raise InputError("no study is named", "STUDY", "name a study's file, or --replay FOLDER")
    from planecast.cli.shared.dry_run import print_study_plan
    from planecast.report import write_report
    from planecast.results import RunDirectory, collect_manifest, runs_folder
    from planecast.scenario.study import load_study
    from planecast.study.calibrate import Context
    from planecast.study.replay import record as copy_recording
    from planecast.study.validate import validate as run_study

    found = load_study(study, overrides(settings), seed=seed)
    if dry_run:
        print_study_plan(found, held_out=True)
        return
    manifest = collect_manifest("solve", found.scenario.traffic.seed)
    run = RunDirectory.create(runs_folder(runs), "validate", found.name)
    with kept_hint(run), run, progress_bar("validating") as progress:
        answer = run_study(Context(found, run, manifest, progress))
    if record is not None:
        copy_recording(run.path, record)
    page = write_report(run, run.path / "report.html")
    emit(validation_sheet(answer, run.path, page), form, output)


_REPLAYED = (
    Column("recording", "recording"),
    Column("held_out", "held out", number=True),
    Column("mean_error_percent", "mean error %", number=True, form="{:.1f}"),
    Column("max_error_percent", "max %", number=True, form="{:.1f}"),
    Column("coverage_percent", "coverage %", number=True, form="{:.1f}"),
    Column("half_width_percent", "half-width %", number=True, form="{:.1f}"),
    Column("noise_floor_percent", "floor %", number=True, form="{:.1f}"),
    Column("baseline_error_percent", "no skill %", number=True, form="{:.1f}"),
)


def _replay(folders: Sequence[Path], form: Format | None, output: Path | None) -> None:
    """A row a recording."""
    from planecast.study.replay import replay

    answers = [replay(folder) for folder in folders]
    rows: list[dict[str, Any]] = [
        {"recording": folder.name, "held_out": sum(point.held_out for point in one.points)}
        | {column.key: getattr(one, column.key) for column in _REPLAYED[2:]}
        for folder, one in zip(folders, answers, strict=True)
    ]
    notes = ["fitted to the calibration points alone; held-out points as they were measured"]
    emit(Sheet(_REPLAYED, rows, answers, notes=notes), form, output)
