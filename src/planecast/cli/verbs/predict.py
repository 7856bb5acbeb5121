"""``planecast predict SCENARIO``: the model's answer, with its interval."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Literal

import typer

from planecast.cli.shared.calibration import (
    CalibrationOption,
    calibration_of,
    open_cycles_of,
)
from planecast.cli.shared.from_rate import FromRateOption, published_rate
from planecast.cli.shared.option_rules import Excludes
from planecast.cli.shared.options import (
    FormatOption,
    OutputOption,
    RunsOption,
    SeedOption,
    SetOption,
    VaryOption,
    overrides,
    parsed,
    variations,
)
from planecast.cli.shared.output import emit
from planecast.cli.shared.scenarios import ScenarioArgument, scenarios_of, with_note
from planecast.cli.shared.trace_options import (
    TIMED,
    DurationOption,
    IntervalOption,
    SeriesOption,
    TraceOption,
    wanted_recordings,
)
from planecast.errors import InputError

if TYPE_CHECKING:
    from pathlib import Path

    from planecast.engines.simulate import _simulator as sim
    from planecast.engines.simulate.model import Recording
    from planecast.model.calibration import Calibration
    from planecast.results import Result
    from planecast.scenario import Scenario
    from planecast.study.calibration_run import Chosen

Engine = Literal["solve", "simulate"]

PRECISION = 0.01
"""Half-width of the interval as a share of the value, where the simulation ends."""


EngineOption = Annotated[
    Engine,
    typer.Option(
        "--engine",
        help="solve: closed form, what is forwarded at most. simulate: events in time, also "
        "loss, latency and rings at traffic.offered_pps, cut pipelines, and the sections nic, "
        "accelerator and interference (`planecast schema scenario` lists every key).",
    ),
]
PrecisionOption = Annotated[
    str | None,
    typer.Option(
        "--precision",
        metavar="SHARE",
        help="simulate: ends when the interval is within this share of the value. Default: 1%.",
        show_default=False,
    ),
    TIMED,
    Excludes("--duration", "--series"),
]
ReplicationsOption = Annotated[
    int | None,
    typer.Option(
        "--replications",
        min=1,
        max=1000,
        help="simulate: runs of each scenario, so that percentiles have intervals. Default: 1.",
        show_default=False,
    ),
    TIMED,
]
InterruptedAsOption = Annotated[
    str | None,
    typer.Option(
        "--interrupted-as",
        metavar="RUN",
        help="simulate: lcores are preempted as often and for as long as in the trials of "
        "this run; of a curve, as its data plane's CPU.",
    ),
    TIMED,
]


def predict(
    scenario: ScenarioArgument,
    calibration: CalibrationOption = None,
    engine: EngineOption = "solve",
    precision: PrecisionOption = None,
    replications: ReplicationsOption = None,
    interrupted_as: InterruptedAsOption = None,
    from_rate: FromRateOption = None,
    duration: DurationOption = None,
    series: SeriesOption = None,
    interval: IntervalOption = None,
    trace: TraceOption = None,
    settings: SetOption = None,
    vary: VaryOption = None,
    seed: SeedOption = None,
    runs: RunsOption = None,
    form: FormatOption = None,
    output: OutputOption = None,
) -> None:
    """Answer a scenario by the calibrated model: cycles a packet and packets a second."""
    from planecast.cli.tables.results import results_sheet
    from planecast.results import find_run, runs_folder
    from planecast.results.own_clock import in_own_clock

    share = _precision(precision)
    base, labels, scenarios = scenarios_of(scenario, overrides(settings, seed), variations(vary))
    wanted = wanted_recordings(trace, series, interval, duration, points=len(scenarios))
    root = runs_folder(runs)
    if from_rate is not None:
        _refuse_other_basis(engine, calibration)
        results = _from_rate(from_rate, scenario, scenarios, base.traffic.seed)
        emit(results_sheet(results, labels, _kept(root, base, results)), form, output)
        return
    chosen = calibration_of(calibration, root, counted=engine == "solve", kind=base.forwards)
    model = chosen.model
    chosen.refuse_other_workloads(scenarios)
    notes: list[str] = []
    if interrupted_as is not None:
        scenarios = _interrupted(scenarios, find_run(interrupted_as, root).path, model, notes)
    recorded: list[sim.Results] = []
    results = _answers(
        engine,
        scenarios,
        chosen,
        base.traffic.seed,
        precision=share,
        replications=replications or 1,
        recording=wanted.recording,
        recorded=recorded,
    )
    wanted.write(recorded, labels)
    results = [in_own_clock(result, model.hierarchy.tsc_hz) for result in results]
    results = [with_note(result, note) for result in results for note in notes] or results
    run = _kept(root, base, results, (recorded, labels) if wanted.series else None)
    open_cycles = open_cycles_of(scenarios, model) if engine == "simulate" else None
    emit(results_sheet(results, labels, run, open_cycles), form, output)


def _kept(
    root: Path,
    base: Scenario,
    results: list[Result],
    series: tuple[list[sim.Results], list[str]] | None = None,
) -> Path:
    """The folder of a run with the results, and the series of what was recorded."""
    from planecast.results import RunDirectory

    with RunDirectory.create(root, "predict", base.name) as run:
        run.write_result(results)
        if series is not None:
            from planecast.engines.simulate.series import series_columns

            run.write_series(series_columns(*series))
    return run.path


def _refuse_other_basis(engine: Engine, calibration: str | None) -> None:
    if engine == "simulate" or calibration is not None:
        other = "--engine simulate" if engine == "simulate" else "--calibration"
        raise InputError("one rate is all there is", other, "leave it out")


def _from_rate(text: str, path: str, scenarios: list[Scenario], seed: int) -> list[Result]:
    from planecast.engines.solve.from_rate import solve_from_rate
    from planecast.results import collect_manifest

    return solve_from_rate(published_rate(text, path), scenarios, collect_manifest("solve", seed))


def _interrupted(
    scenarios: list[Scenario], run: Path, model: Calibration, notes: list[str]
) -> list[Scenario]:
    """The scenarios with the interruptions of a run; adds a note of what they are."""
    from planecast.calibrate.preemption import interruptions, recorded_interruptions
    from planecast.results import RunDirectory, read_parquet
    from planecast.results.load_curve import LoadCurve
    from planecast.results.store import PAUSES, TRIALS

    path, pauses = run / TRIALS, run / PAUSES
    if not path.is_file():
        raise InputError(
            "the run has no trials", str(path), "name a run of measure, validate or curve"
        )
    curve = RunDirectory(run).read() if pauses.is_file() else None
    if isinstance(curve, LoadCurve):
        cpu = next(one.cpu for one in curve.pauses if one.role == "data plane")
        found = recorded_interruptions(read_parquet(pauses), cpu, str(pauses))
    else:
        found = interruptions(read_parquet(path), model.hierarchy.tsc_hz, str(path))
    notes.append(found.sentence(run.name))
    # Siblings and their factors stay as the scenario says.
    change = found.interference.model_dump(include={"per_second", "duration_us", "spread"})
    return [
        scenario.model_copy(
            update={"interference": scenario.interference.model_copy(update=change)}
        )
        for scenario in scenarios
    ]


def _precision(text: str | None) -> float:
    """``1%`` or ``0.01`` as a share. Raises InputError for what is none."""
    if text is None:
        return PRECISION
    from planecast.scenario.units import parse_share

    wanted = "give a share from 0.0001% to 50%, such as 1%"
    return parsed(parse_share, text, f"--precision {text}", wanted, least=1e-6, most=0.5)


def _answers(
    engine: Engine,
    scenarios: list[Scenario],
    chosen: Chosen,
    seed: int,
    *,
    precision: float,
    replications: int,
    recording: Recording | None,
    recorded: list[sim.Results],
) -> list[Result]:
    from planecast.results import collect_manifest

    manifest = collect_manifest(engine, seed, calibration=chosen.basis)
    model = chosen.model
    if engine == "solve":
        from planecast.engines.solve import solve

        return solve(scenarios, model, manifest)
    from planecast.engines.simulate.engine import simulate

    return simulate(
        scenarios,
        model,
        manifest,
        precision=precision,
        replications=replications,
        recording=recording,
        recorded=recorded,
    )
