"""``planecast calibrate STUDY``: measures a study's calibration points and fits the model."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

import typer

from planecast.cli.calibrate_counters import (
    FromOption,
    MachineOption,
    ScenarioOption,
    import_counters,
)
from planecast.cli.going_on import told_what_is_kept
from planecast.cli.options import (
    DryRunOption,
    FormatOption,
    OutputOption,
    RunsOption,
    SetOption,
    overrides,
)
from planecast.cli.output import Column, Sheet, emit
from planecast.cli.progress import progress_bar
from planecast.errors import InputError

if TYPE_CHECKING:
    from pathlib import Path

    from planecast.calibrate.from_counters import Imported
    from planecast.model.calibration import Calibration

StudyArgument = Annotated[str, typer.Argument(metavar="STUDY", help="A study's YAML file.")]
MaybeStudyArgument = Annotated[
    str | None, typer.Argument(metavar="STUDY", help="A study's YAML file.", show_default=False)
]

_COLUMNS = (
    Column("parameter", "parameter"),
    Column("value", "value", number=True),
    Column("low", "low", number=True),
    Column("high", "high", number=True),
    Column("unit", "unit"),
    Column("informed", "informed", number=True),
)

_LITTLE = 0.1
"""Share of a prior's variance below which its parameter counts as not calibrated."""


def register(app: typer.Typer) -> None:
    """Add the verb to `app`."""
    app.command()(calibrate)


def calibrate(
    study: MaybeStudyArgument = None,
    recorded: FromOption = None,
    machine: MachineOption = None,
    counted: ScenarioOption = None,
    settings: SetOption = None,
    runs: RunsOption = None,
    form: FormatOption = None,
    output: OutputOption = None,
    dry_run: DryRunOption = False,
) -> None:
    """Measure a study's calibration points and fit the model to them; or import counters.

    The run's folder then holds calibration.json, which predict takes.
    """
    from planecast.cli.plan import print_study_plan
    from planecast.results import RunDirectory, collect_manifest, runs_folder
    from planecast.scenario import load_study
    from planecast.study.calibrate import Context, calibrate_study

    if recorded:
        extra = {"STUDY": study, "--set": settings, "--dry-run": dry_run or None}
        given = next((name for name, value in extra.items() if value), None)
        if given is not None:
            raise InputError("counters that are imported take none", given, "leave it out")
        import_counters(recorded, machine, counted, runs=runs, form=form, output=output)
        return
    if study is None:
        raise InputError("nobody told what to calibrate on", "calibrate", "name a STUDY, or --from")
    of_counters = {"--machine": machine, "--of": counted}
    given = next((name for name, value in of_counters.items() if value is not None), None)
    if given is not None:
        raise InputError("a study is measured here", given, "it goes with --from")
    found = load_study(study, overrides(settings))
    if dry_run:
        print_study_plan(found, held_out=False)
        return
    manifest = collect_manifest("measure", found.scenario.traffic.seed)
    run = RunDirectory.create(runs_folder(runs), "calibrate", found.name)
    with told_what_is_kept(run), run:
        with progress_bar("calibrating") as progress:
            done = calibrate_study(Context(found, run, manifest, progress))
        run.write_result(done.measured)
    emit(calibration_sheet(done.calibration, run.path), form, output)


def calibration_sheet(calibration: Calibration, run: Path) -> Sheet:
    """The parameters with their intervals, and how wrong the model is where it has no point."""
    own = calibration.discrepancy
    notes = [
        f"{calibration.kind}: fitted to {calibration.points} points; informed: the share of what "
        "was open before that the points took away",
        f"the model's own error: {100 * own.core:.1f} %, and {100 * own.memory:.1f} % of what is "
        "waited for in the last level and in memory",
        *(f"{name} is as assumed before: {vary}" for name, vary in _open(calibration)),
        f"run: {run}",
    ]
    return _sheet(calibration, notes)


def _open(calibration: Calibration) -> list[tuple[str, str]]:
    """Parameters of which the points tell next to nothing, and what to vary so that they do."""
    from planecast.machine.registry import MECHANISMS

    little = {one.name for one in calibration.parameters if one.informed < _LITTLE}
    known = (one for m in MECHANISMS for one in m.parameters(calibration.hierarchy))
    return [(one.name, one.identified_by) for one in known if one.name in little]


def counters_calibration_sheet(done: Imported, run: Path) -> Sheet:
    """The parameters of a calibration from counters, what they rest on and what was assumed."""
    calibration = done.calibration
    counted = calibration.counted
    assert counted is not None
    instructions = next(iter(calibration.instructions.values())).instructions_per_packet
    lines = ", ".join(
        f"{point.lines:.3g} beside {point.llc_bytes / 2**20:.3g} MiB" for point in counted.memory
    )
    notes = [
        f"{instructions:.4g} instructions a packet on {counted.machine.title}; runs: "
        f"{calibration.points}",
        f"lines a packet from memory: {lines}",
        f"the model's own error: {100 * calibration.discrepancy.core:.1f} %",
        *done.remarks,
        f"run: {run}",
    ]
    return _sheet(calibration, notes)


def _sheet(calibration: Calibration, notes: list[str]) -> Sheet:
    rows: list[dict[str, Any]] = [
        {
            "parameter": p.name,
            "value": p.value,
            "low": p.low,
            "high": p.high,
            "unit": p.unit,
            "informed": p.informed,
        }
        for p in calibration.parameters
    ]
    cells = [
        {
            "parameter": p.name,
            "value": f"{p.value:.3g}",
            "low": f"{p.low:.3g}",
            "high": f"{p.high:.3g}",
            "unit": p.unit,
            "informed": f"{100 * p.informed:.0f} %",
        }
        for p in calibration.parameters
    ]
    return Sheet(_COLUMNS, rows, cells, calibration, notes=notes)
