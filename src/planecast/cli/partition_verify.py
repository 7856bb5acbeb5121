"""``planecast partition verify``: what neighbours cost, measured in turns and predicted."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

import typer

from planecast.cli.calibration_run import CalibrationOption, calibration_of
from planecast.cli.options import FormatOption, OutputOption, RunsOption
from planecast.cli.output import Column, Sheet, emit, estimate_text
from planecast.cli.progress import progress_bar
from planecast.errors import InputError

if TYPE_CHECKING:
    from pathlib import Path

    from planecast.partition.verify import Cost, Verified

_COLUMNS = (
    Column("neighbour", "neighbour"),
    Column("lines_per_s", "its M lines/s", number=True),
    Column("measured_cycles_per_packet", "measured, cycles/packet", number=True),
    Column("slowdown", "times idle", number=True),
    Column("predicted_cycles_per_packet", "predicted, cycles/packet", number=True),
    Column("predicted_slowdown", "times idle, predicted", number=True),
    Column("error_percent", "error, %", number=True),
)


def verify(
    study: Annotated[str, typer.Argument(metavar="STUDY", help="A study of noisy neighbours.")],
    calibration: CalibrationOption = None,
    seconds: Annotated[
        float | None,
        typer.Option("--seconds", min=1, max=86400, help="Time to measure for; else the study's."),
    ] = None,
    runs: RunsOption = None,
    form: FormatOption = None,
    output: OutputOption = None,
) -> None:
    """Measure a data plane beside idle and busy neighbours, in turns, and compare with the model.

    Without a calibration (planecast calibrate) nothing is predicted.
    """
    from planecast.partition.noisy import load_noisy
    from planecast.partition.verify import Context
    from planecast.partition.verify import verify as run_study
    from planecast.report import write_report
    from planecast.results import RunDirectory, collect_manifest, runs_folder

    found, scenario = load_noisy(study)
    if seconds is not None:
        budget = found.budget.model_copy(update={"seconds": seconds, "patience": seconds / 4})
        found = found.model_copy(update={"budget": budget})
    root = runs_folder(runs)
    model, missing = None, ""
    try:
        model = calibration_of(calibration, root)
    except InputError as error:
        if calibration is not None:
            raise
        missing = f"nothing is predicted: {error}"
    manifest = collect_manifest("measure", scenario.traffic.seed)
    with (
        RunDirectory.create(root, "verify", found.name) as run,
        progress_bar("measuring") as progress,
    ):
        answer = run_study(Context(found, study, scenario, model, run, manifest, progress))
    page = write_report(run, run.path / "report.html")
    emit(_sheet(answer, run.path, page, missing), form, output)


def _sheet(answer: Verified, run: Path, page: Path, missing: str) -> Sheet:
    busy = answer.costs[1:]
    errors = [abs(error) for cost in busy if (error := _error(cost)) is not None]
    notes = []
    if errors:
        notes.append(
            f"{len(errors)} busy neighbours, predicted on top of the idle one's measurement: mean "
            f"error {sum(errors) / len(errors):.1f} %, maximum {max(errors):.1f} %"
        )
    notes.append(
        "the idle neighbour measured twice, in turns with all others: ratio "
        + estimate_text(answer.repeatability)
    )
    if answer.sibling:
        notes.append("the neighbour's CPU is a thread of the data plane's own core")
    else:
        notes.append(
            "siblings, cache ways, bandwidth and clocks can't be varied here unless partition "
            "topology shows them; partition plan predicts them"
        )
    notes += [missing] if missing else []
    notes += [f"run: {run}", f"report: {page}"]
    rows = [_row(cost) for cost in answer.costs]
    cells = [_cells(cost) for cost in answer.costs]
    return Sheet(_COLUMNS, rows, cells, document={"points": rows}, notes=notes)


def _error(cost: Cost) -> float | None:
    if cost.predicted is None:
        return None
    measured, predicted = (r.cycles_per_packet.value for r in (cost.measured, cost.predicted))
    return 100 * (predicted / measured - 1)


def _row(cost: Cost) -> dict[str, Any]:
    predicted = cost.predicted.cycles_per_packet if cost.predicted is not None else None
    return {
        "neighbour": cost.label,
        "lines_per_s": cost.lines_per_s,
        "measured_cycles_per_packet": cost.measured.cycles_per_packet.value,
        "slowdown": cost.slowdown.value if cost.slowdown else None,
        "predicted_cycles_per_packet": predicted.value if predicted else None,
        "predicted_slowdown": cost.predicted_slowdown,
        "error_percent": _error(cost),
    }


def _cells(cost: Cost) -> dict[str, str]:
    error = _error(cost)
    predicted = cost.predicted.cycles_per_packet if cost.predicted is not None else None
    return {
        "neighbour": cost.label,
        "lines_per_s": f"{cost.lines_per_s / 1e6:.1f}" if cost.lines_per_s else "",
        "measured_cycles_per_packet": estimate_text(cost.measured.cycles_per_packet),
        "slowdown": estimate_text(cost.slowdown),
        "predicted_cycles_per_packet": estimate_text(predicted),
        "predicted_slowdown": f"{cost.predicted_slowdown:.3f}" if cost.predicted_slowdown else "",
        "error_percent": f"{error:+.1f}" if error is not None else "",
    }
