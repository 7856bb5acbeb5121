"""``planecast validate STUDY``: the model against this machine, on points that it has not seen."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from planecast.cli.calibrate import MaybeStudyArgument
from planecast.cli.going_on import told_what_is_kept
from planecast.cli.options import (
    DryRunOption,
    Format,
    FormatOption,
    OutputOption,
    RunsOption,
    SetOption,
    overrides,
)
from planecast.cli.output import Column, Sheet, chosen_format, emit, estimate_text
from planecast.cli.progress import progress_bar
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
]

if TYPE_CHECKING:
    from planecast.results import Validation, ValidationPoint

_COLUMNS = (
    Column("point", "point"),
    Column("held_out", "held out"),
    Column("measured_cycles_per_packet", "measured", number=True),
    Column("measured_low", "", number=True),
    Column("measured_high", "", number=True),
    Column("predicted_cycles_per_packet", "predicted", number=True),
    Column("predicted_low", "", number=True),
    Column("predicted_high", "", number=True),
    Column("error_percent", "error", number=True),
    Column("inside", "inside"),
    Column("extrapolates", "beyond"),
)
_WORST = 5
"""Points that a note names."""


def register(app: typer.Typer) -> None:
    """Add the verb to `app`."""
    app.command()(validate)


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
    from planecast.cli.plan import print_study_plan
    from planecast.report import write_report
    from planecast.results import RunDirectory, collect_manifest, runs_folder
    from planecast.scenario import load_study
    from planecast.study.calibrate import Context
    from planecast.study.replay import record as copy_recording
    from planecast.study.validate import validate as run_study

    found = load_study(study, overrides(settings), seed=seed)
    if dry_run:
        print_study_plan(found, held_out=True)
        return
    manifest = collect_manifest("solve", found.scenario.traffic.seed)
    run = RunDirectory.create(runs_folder(runs), "validate", found.name)
    with told_what_is_kept(run), run, progress_bar("validating") as progress:
        answer = run_study(Context(found, run, manifest, progress))
    if record is not None:
        copy_recording(run.path, record)
    page = write_report(run, run.path / "report.html")
    table = chosen_format(form, output) == "table"
    emit(_sheet(answer, run.path, page, whole=not table), form, output)


_REPLAYED = (
    Column("recording", "recording"),
    Column("held_out", "held out", number=True),
    Column("mean_error_percent", "mean error %", number=True),
    Column("max_error_percent", "max %", number=True),
    Column("coverage_percent", "coverage %", number=True),
    Column("half_width_percent", "half-width %", number=True),
    Column("noise_floor_percent", "floor %", number=True),
    Column("baseline_error_percent", "no skill %", number=True),
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
    cells = [{key: _short(value) for key, value in row.items()} for row in rows]
    notes = ["fitted to the calibration points alone; held-out points as they were measured"]
    emit(Sheet(list(_REPLAYED), rows, cells, answers, notes=notes), form, output)


def _short(value: Any) -> str:
    return f"{value:.1f}" if isinstance(value, float) else str(value)


def _sheet(answer: Validation, run: Path, page: Path, *, whole: bool) -> Sheet:
    from planecast.engines.measure.estimate import FEW_WINDOWS

    held = [point for point in answer.points if point.held_out]
    few = [
        p.label for p in answer.points if any(n.startswith(FEW_WINDOWS) for n in p.measured.notes)
    ]
    notes = [
        *_noise(answer),
        f"held-out points: {len(held)}; mean error {answer.mean_error_percent:.1f} %, "
        f"maximum {answer.max_error_percent:.1f} %; {answer.coverage_percent:.0f} % lie in their "
        "95 % intervals",
        *_scores(answer),
        "TSC cycles a packet on each lcore; measured: medians of undisturbed windows, their mean "
        "over process instances; predicted: computed",
    ]
    if answer.repeatability is not None:
        notes.append(
            "one point measured twice, in the same blocks: ratio "
            + estimate_text(answer.repeatability)
        )
    if few:
        notes.append(
            f"{len(few)} of {len(answer.points)} points had too few undisturbed windows, so their "
            f"true cost may be lower than measured: {'; '.join(few)}"
        )
    notes += _unsteady(answer.points)
    notes += answer.skipped
    notes += [f"run: {run}", f"report: {page}"]
    points = sorted(answer.points, key=_worst_first)
    shown = [column for column in _COLUMNS if whole or column.header]
    return Sheet(
        shown,
        [_row(point) for point in points],
        [_cells(point) for point in points],
        answer,
        notes=notes,
    )


NOISY_PERCENT = 1.5
"""A noise floor above which a validation says first that this host is too noisy now."""


def _noise(answer: Validation) -> list[str]:
    floor = answer.noise_floor_percent
    if floor is None or floor <= NOISY_PERCENT:
        return []
    return [
        f"this host is too noisy now: noise floor {floor:.1f} %, the mean error of even a perfect "
        "model"
    ]


def _scores(answer: Validation) -> list[str]:
    if answer.noise_floor_percent is None or answer.half_width_percent is None:
        return []
    found = [
        f"noise floor {answer.noise_floor_percent:.1f} %; mean half-width of the intervals "
        f"{answer.half_width_percent:.1f} %, interval score "
        f"{answer.interval_score_percent or 0.0:.1f} %; no skill (the calibration points' mean "
        f"for each): mean error {answer.baseline_error_percent or 0.0:.1f} %"
    ]
    if answer.seed is not None:
        found.append(f"held-out points were drawn with seed {answer.seed} (--seed repeats them)")
    return found


def _unsteady(points: Sequence[ValidationPoint]) -> list[str]:
    """A note on points whose visits weren't all steady, the worst ones by name."""
    shares = [
        (p.measured.steady_share, p.label)
        for p in points
        if p.measured.steady_share is not None and p.measured.steady_share < 1
    ]
    if not shares:
        return []
    worst = "; ".join(f"{label} ({100 * share:.0f} %)" for share, label in sorted(shares)[:_WORST])
    return [
        f"{len(shares)} of {len(points)} points had visits that were not steady when their warm-up "
        f"ended; share of steady visits, the lowest first: {worst}"
    ]


def _worst_first(point: ValidationPoint) -> tuple[bool, bool, float]:
    """Held-out points first, then checked ones, the largest errors first."""
    return (not point.held_out, not point.checked, -abs(point.error_percent))


def _row(point: ValidationPoint) -> dict[str, Any]:
    row: dict[str, Any] = {
        "point": point.label,
        "held_out": point.held_out,
        "error_percent": point.error_percent,
        "inside": point.inside,
        "extrapolates": point.extrapolates,
    }
    for side, result in (("measured", point.measured), ("predicted", point.predicted)):
        cost = result.cycles_per_packet
        row |= {f"{side}_cycles_per_packet": cost.value}
        row |= {f"{side}_low": cost.low, f"{side}_high": cost.high}
    return row


def _cells(point: ValidationPoint) -> dict[str, str]:
    return {
        "point": point.label,
        "held_out": "held out" if point.held_out else "check" if point.checked else "calibrated",
        "measured_cycles_per_packet": estimate_text(point.measured.cycles_per_packet),
        "predicted_cycles_per_packet": estimate_text(point.predicted.cycles_per_packet),
        "error_percent": f"{point.error_percent:+.1f} %",
        "inside": "inside" if point.inside else "outside",
        "extrapolates": "yes" if point.extrapolates else "",
    }
