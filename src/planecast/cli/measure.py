"""``planecast measure SCENARIO``: forwards packets and measures."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

import typer

from planecast.cli.options import (
    DryRunOption,
    FormatOption,
    OutputOption,
    RunsOption,
    SeedOption,
    SetOption,
    VaryOption,
    overrides,
    variations,
)
from planecast.cli.output import chosen_format, emit
from planecast.cli.progress import progress_bar

if TYPE_CHECKING:
    from planecast.scenario import Scenario

SecondsOption = Annotated[
    float, typer.Option("--seconds", min=1, max=86400, help="Time to measure for, over all points.")
]
RestartsOption = Annotated[
    int,
    typer.Option("--restarts", min=1, max=1000, help="Times that the data plane is started anew."),
]
ScenarioArgument = Annotated[
    str, typer.Argument(metavar="SCENARIO", help="A scenario's YAML file.")
]


def register(app: typer.Typer) -> None:
    """Add the verb to `app`."""
    app.command()(measure)


def measure(
    scenario: ScenarioArgument,
    eal: Annotated[
        list[str] | None, typer.Argument(metavar="[-- EAL ARGUMENTS]", show_default=False)
    ] = None,
    settings: SetOption = None,
    vary: VaryOption = None,
    seconds: SecondsOption = 20.0,
    restarts: RestartsOption = 3,
    seed: SeedOption = None,
    runs: RunsOption = None,
    form: FormatOption = None,
    output: OutputOption = None,
    dry_run: DryRunOption = False,
) -> None:
    """Forward packets and measure: cycles a packet with interval, by stage.

    Several points (--vary) are interleaved in one run, so that they can be compared. The raw
    trials are kept in the run's folder.
    """
    from planecast.cli.plan import print_plan
    from planecast.cli.results_sheet import results_sheet
    from planecast.engines.measure import TrialTable
    from planecast.engines.measure import measure as run_engine
    from planecast.results import RunDirectory, collect_manifest, runs_folder
    from planecast.scenario.study import Budget

    base, labels, scenarios = scenarios_of(scenario, overrides(settings, seed), variations(vary))
    budget = Budget(seconds=seconds, restarts=restarts)
    if dry_run:
        print_plan(scenarios, budget, eal or [])
        return
    manifest = collect_manifest("measure", base.traffic.seed)
    table = TrialTable(labels)
    with RunDirectory.create(runs_folder(runs), "measure", base.name) as run:
        try:
            with progress_bar("measuring") as progress:
                results = run_engine(
                    scenarios,
                    budget,
                    manifest,
                    table=table,
                    eal_arguments=eal or [],
                    progress=progress,
                )
        finally:
            if table.columns():
                run.write_trials(table.stored())
        run.write_result(results)
    columns = "people" if chosen_format(form, output) == "table" else "machines"
    emit(results_sheet(results, labels, run.path, columns), form, output)


def scenarios_of(
    path: str, changes: dict[str, Any], varied: dict[str, list[Any]]
) -> tuple[Scenario, list[str], list[Scenario]]:
    """(base, labels, scenarios): one for every combination of the varied values."""
    import itertools

    from planecast.scenario import load_scenario, point_label, value_at, with_overrides

    base = load_scenario(path, changes)
    labels, scenarios = [], []
    for values in itertools.product(*varied.values()):
        raw = dict(zip(varied, values, strict=True))
        scenario = with_overrides(base, raw)
        scenarios.append(scenario)
        labels.append(point_label({key: value_at(scenario, key) for key in raw}))
    if not varied:
        labels = [base.name]
    return base, labels, scenarios
