"""``planecast curve SCENARIO``: loss and latency against offered load, measured and simulated."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from planecast.cli.shared.calibration import CalibrationOption, calibration_of, open_cycles_of
from planecast.cli.shared.options import (
    DryRunOption,
    FormatOption,
    OutputOption,
    RunsOption,
    SeedOption,
    SetOption,
    overrides,
)
from planecast.cli.shared.output import emit
from planecast.cli.shared.progress import progress_bar
from planecast.cli.shared.resume import kept_hint
from planecast.cli.shared.scenarios import ScenarioArgument
from planecast.cli.tables.load_curve import curve_sheet
from planecast.errors import InputError

if TYPE_CHECKING:
    from planecast.engines.measure.load_sweep import LoadBudget


LoadsOption = Annotated[
    str | None,
    typer.Option(
        "--loads",
        metavar="PERCENT,…",
        help="Offered loads as percentages of the capacity. Default: 5 to 120, dense from 66.",
        show_default=False,
    ),
]
SecondsOption = Annotated[
    float, typer.Option("--seconds", min=0.1, max=86400, help="Time for all rounds of loads.")
]
TrialMsOption = Annotated[
    float, typer.Option("--trial-ms", min=1, max=10_000, help="How long a trial sends.")
]
RestartsOption = Annotated[
    int, typer.Option("--restarts", min=1, max=100, help="Times that both programs start.")
]
CpuOption = Annotated[
    int | None,
    typer.Option("--generator-cpu", min=0, help="CPU that sends. Default: the first that is free."),
]


def curve(
    scenario: ScenarioArgument,
    calibration: CalibrationOption = None,
    loads: LoadsOption = None,
    seconds: SecondsOption = 60.0,
    trial_ms: TrialMsOption = 3.0,
    restarts: RestartsOption = 2,
    cpu: CpuOption = None,
    settings: SetOption = None,
    seed: SeedOption = None,
    runs: RunsOption = None,
    form: FormatOption = None,
    output: OutputOption = None,
    dry_run: DryRunOption = False,
) -> None:
    """Offer loads to the data plane over memory interfaces, simulate the same, put both together.

    The generator needs a CPU other than the data plane's. Short trials go round all loads in turns.
    The simulator gets what is measured here of the port: the capacity at overload, the cycles of
    an empty poll, and those of a packet that comes alone. All else is calibrated, or follows.
    """
    from planecast.cli.shared.dry_run import print_process
    from planecast.engines.measure.load_sweep import check_scenario
    from planecast.engines.measure.testbed import Testbed, dut_of, generator_cpu
    from planecast.report import write_report
    from planecast.results import RunDirectory, collect_manifest, runs_folder
    from planecast.scenario import load_scenario
    from planecast.study.load_curve import LoadCurveContext, load_curve

    base = load_scenario(scenario, overrides(settings, seed))
    check_scenario(base)
    budget = _budget(loads, seconds, trial_ms, restarts)
    sender = generator_cpu(base, cpu, sorted(os.sched_getaffinity(0)))
    if dry_run:
        for process in Testbed(base, dut_of(base, sender), sender).planned(Path("FOLDER")):
            print_process(process, budget.restarts)
            typer.echo("")
        return
    root = runs_folder(runs)
    chosen = calibration_of(calibration, root, kind=base.forwards)
    manifest = collect_manifest("measure", base.traffic.seed, calibration=chosen.basis)
    run = RunDirectory.create(root, "curve", base.name)
    with kept_hint(run), run, progress_bar("measuring") as progress:
        answer = load_curve(
            LoadCurveContext(base, sender, budget, chosen.model, run, manifest, progress)
        )
    page = write_report(run, run.path / "report.html")
    open_cycles = open_cycles_of([base], chosen.model)
    emit(curve_sheet(answer, run.path, page, open_cycles), form, output)


def _budget(loads: str | None, seconds: float, trial_ms: float, restarts: int) -> LoadBudget:
    from planecast.engines.measure.load_sweep import DEFAULT_LOADS, LoadBudget
    from planecast.scenario.units import parse_percent

    shares: tuple[float, ...] = DEFAULT_LOADS
    if loads is not None:
        try:
            shares = tuple(parse_percent(text) for text in loads.split(","))
        except ValueError as error:
            raise InputError(
                str(error), "--loads", "give percentages such as 10,50,90,100"
            ) from None
    try:
        return LoadBudget(shares, seconds, trial_ms / 1e3, restarts)
    except InputError as error:
        raise InputError(error.what, f"--loads {loads}", "such as 10,50,90,100") from None
