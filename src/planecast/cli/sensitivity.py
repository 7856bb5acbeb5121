"""``planecast sensitivity SCENARIO``: which component is worth money, which number matters."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from planecast.cli.calibration_run import CalibrationOption, basis_notes, calibration_of
from planecast.cli.measure import ScenarioArgument
from planecast.cli.options import FormatOption, OutputOption, RunsOption, SetOption, overrides
from planecast.cli.output import Column, Sheet, emit, estimate_text
from planecast.cli.progress import progress_bar
from planecast.errors import InputError

if TYPE_CHECKING:
    from planecast.results import Sensitivity

_COLUMNS = (
    Column("key", "key"),
    Column("low", "from"),
    Column("high", "to"),
    Column("at_low_pps", "Mpps at from", number=True),
    Column("at_high_pps", "Mpps at to", number=True),
    Column("elasticity", "elasticity", number=True),
    Column("first_order", "Sobol first", number=True),
    Column("total", "Sobol total", number=True),
)


def register(app: typer.Typer) -> None:
    """Add the verb to `app`."""
    app.command()(sensitivity)


def sensitivity(
    scenario: ScenarioArgument,
    vary: Annotated[
        list[str] | None,
        typer.Option(
            "--vary",
            metavar="KEY=LOW:HIGH",
            help="What is varied and how far (KEY=V,V… too); machine.llc_size and the like are "
            "factors over the calibrated machine. Default: every component, and the tables, from "
            "half to twice.",
        ),
    ] = None,
    draws: Annotated[
        int,
        typer.Option(
            "--draws",
            min=0,
            max=65536,
            help="Sobol's base sample, a power of two; 0: the tornado alone.",
        ),
    ] = 64,
    calibration: CalibrationOption = None,
    settings: SetOption = None,
    seed: Annotated[int, typer.Option("--seed", min=0, help="Of the draws.")] = 1,
    runs: RunsOption = None,
    form: FormatOption = None,
    output: OutputOption = None,
) -> None:
    """How much each component and number moves the packets a second, by the closed form.

    One key at a time (a tornado) and all together (Sobol's indices); `planecast report` draws both.
    """
    from planecast.results import RunDirectory, collect_manifest, runs_folder
    from planecast.scenario import load_scenario
    from planecast.sweep import Job, Plan, parse_axis
    from planecast.sweep.sensitivity import default_axes
    from planecast.sweep.sensitivity import sensitivity as analyse

    if draws & (draws - 1):
        raise InputError(f"got {draws} draws", "--draws", "say a power of two, such as 64")
    base = load_scenario(scenario, overrides(settings))
    root = runs_folder(runs)
    axes = [parse_axis(text) for text in vary or default_axes(base)]
    chosen = calibration_of(calibration, root, kind=base.workload.kind)
    job = Job(
        plan=Plan.of(base, axes, "lhs", max(1, draws), seed),
        calibration=chosen.model,
        engine="solve",
        precision=0.01,
        batch=1,
        manifest=collect_manifest("solve", seed, calibration=chosen.basis),
    )
    with RunDirectory.create(root, "sensitivity", base.name) as run:
        with progress_bar("asking") as progress:
            found = analyse(job, draws, progress)
        run.write_result(found)
    emit(_sheet(found, str(run.path)), form, output)


def _sheet(found: Sensitivity, run: str) -> Sheet:
    rows = [
        {
            "key": swing.key,
            "low": swing.low,
            "high": swing.high,
            "at_low_pps": swing.at_low_pps,
            "at_high_pps": swing.at_high_pps,
            "elasticity": swing.elasticity,
            "first_order": swing.first_order and swing.first_order.value,
            "total": swing.total and swing.total.value,
        }
        for swing in found.swings
    ]
    cells = [
        {
            "key": swing.key,
            "low": swing.low,
            "high": swing.high,
            "at_low_pps": f"{swing.at_low_pps / 1e6:.3f}",
            "at_high_pps": f"{swing.at_high_pps / 1e6:.3f}",
            "elasticity": "" if swing.elasticity is None else f"{swing.elasticity:+.3f}",
            "first_order": estimate_text(swing.first_order),
            "total": estimate_text(swing.total),
        }
        for swing in found.swings
    ]
    rate = estimate_text(found.base.throughput_pps, 1e6)
    notes = [
        f"as it is: {rate} Mpps, computed; {found.evaluations} scenarios asked",
        "elasticity: per cent more packets for a per cent more of the key; Sobol: share of the "
        "variance with 95 % interval, cut off at 0 and 1 (more --draws narrow it)",
        *found.notes,
        *basis_notes(found.manifest, [found.base.cycles_per_packet]),
        f"run: {run}",
    ]
    return Sheet(_COLUMNS, rows, cells, found, notes=notes)
