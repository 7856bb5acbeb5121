"""``planecast partition verify``: what neighbours cost, measured in turns and predicted."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from planecast.cli.shared.calibration import CalibrationOption, calibration_if_any
from planecast.cli.shared.option_rules import Needs
from planecast.cli.shared.options import FormatOption, OutputOption, RunsOption
from planecast.cli.shared.output import emit
from planecast.cli.shared.progress import progress_bar
from planecast.cli.shared.resume import kept_hint
from planecast.cli.tables.basis import basis_notes
from planecast.cli.tables.neighbours import neighbours_sheet
from planecast.cli.verbs.partition.apply import StateOption, ThroughOption, backend

if TYPE_CHECKING:
    from pathlib import Path

    from planecast.partition.applied_plan import Divided
    from planecast.scenario.scenario import Scenario


def verify(
    study: Annotated[str, typer.Argument(metavar="STUDY", help="A study of noisy neighbours.")],
    calibration: CalibrationOption = None,
    plan: Annotated[
        str | None,
        typer.Option(
            "--plan",
            metavar="TENANTS",
            help="Measure each neighbour with and without this plan in turns: a tenants file, or a "
            "plan that was written to JSON. Where it can't be applied, its effect is predicted.",
        ),
    ] = None,
    through: Annotated[ThroughOption, Needs("--plan")] = "resctrl",
    state: Annotated[StateOption, Needs("--plan")] = None,
    seconds: Annotated[
        float | None,
        typer.Option("--seconds", min=1, max=86400, help="Time to measure for; else the study's."),
    ] = None,
    runs: RunsOption = None,
    form: FormatOption = None,
    output: OutputOption = None,
) -> None:
    """Measure a data plane next to idle and busy neighbours, in turns, and compare with the model.

    Without a calibration (planecast calibrate) nothing is predicted.
    """
    from planecast.partition.interleaved_trials import Context
    from planecast.partition.neighbour_study import load_neighbour_study
    from planecast.partition.verify import verify as run_study
    from planecast.report import write_report
    from planecast.results import RunDirectory, collect_manifest, runs_folder

    found, scenario = load_neighbour_study(study)
    if seconds is not None:
        budget = found.budget.model_copy(update={"seconds": seconds, "patience": seconds / 4})
        found = found.model_copy(update={"budget": budget})
    root = runs_folder(runs)
    chosen, why_not = calibration_if_any(calibration, root, scenario.forwards)
    model = chosen.model if chosen is not None else None
    missing = f"nothing is predicted: {why_not}" if why_not else ""
    manifest = collect_manifest(
        "measure", scenario.traffic.seed, calibration=chosen.basis if chosen is not None else None
    )
    divided = _divided(plan, through, state, scenario, found.cpu) if plan is not None else None
    run = RunDirectory.create(root, "verify", found.name)
    with kept_hint(run), run, progress_bar("measuring") as progress:
        context = Context(found, study, scenario, model, run, manifest, progress, divided)
        answer = run_study(context)
    page = write_report(run, run.path / "report.html")
    sheet = neighbours_sheet(answer, run.path, page, missing, divided)
    predicted = [c.predicted.cycles_per_packet for c in answer.costs if c.predicted is not None]
    notes = [*sheet.notes[:-2], *basis_notes(manifest, predicted), *sheet.notes[-2:]]
    emit(replace(sheet, notes=notes), form, output)


def _divided(
    plan: str,
    through: Literal["resctrl", "pqos"],
    state: Path | None,
    scenario: Scenario,
    cpu: int,
) -> Divided:
    """The plan, ready to be applied if this machine can. Raises as `plan --apply` does."""
    from pathlib import Path

    from planecast.cli.verbs.partition.plan import plan_of, site_of
    from planecast.partition.applied_plan import concerning
    from planecast.partition.optimise import TRIES
    from planecast.partition.record import record_path

    made, site = plan_of(plan, Path("/"), TRIES, None, through)
    here = site_of("host", Path("/"), through).topology
    divided = concerning(made, site.topology, here, scenario, cpu)
    if divided.lacking:
        return divided
    groups = backend(through)
    groups.check()
    return replace(divided, groups=groups, state=record_path(state))
