"""``planecast calibrate STUDY``: measures a study's calibration points and fits the model."""

from __future__ import annotations

from planecast.cli.shared.options import (
    DryRunOption,
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
from planecast.cli.tables.calibration import calibration_sheet
from planecast.cli.verbs.calibrate.counters import (
    FromOption,
    MachineOption,
    ScenarioOption,
    import_counters,
)
from planecast.errors import InputError


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
    from planecast.cli.shared.dry_run import print_study_plan
    from planecast.results import RunDirectory, collect_manifest, runs_folder
    from planecast.scenario.study import load_study
    from planecast.study.calibrate import Context, calibrate_study

    if recorded:
        import_counters(recorded, machine, counted, runs=runs, form=form, output=output)
        return
    if study is None:
        raise InputError("there is nothing to calibrate on", "calibrate", "name a STUDY, or --from")
    found = load_study(study, overrides(settings))
    if dry_run:
        print_study_plan(found, held_out=False)
        return
    manifest = collect_manifest("measure", found.scenario.traffic.seed)
    run = RunDirectory.create(runs_folder(runs), "calibrate", found.name)
    with kept_hint(run), run:
        with progress_bar("calibrating") as progress:
            done = calibrate_study(Context(found, run, manifest, progress))
        run.write_result(done.measured)
    emit(calibration_sheet(done.calibration, run.path, done.skipped), form, output)
