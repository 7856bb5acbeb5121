"""``planecast sensitivity SCENARIO``: which component is worth money, which number matters."""

from __future__ import annotations

from typing import Annotated

import typer

from planecast.cli.shared.calibration import CalibrationOption, job_of, model_question
from planecast.cli.shared.option_rules import Excludes
from planecast.cli.shared.options import (
    FormatOption,
    OutputOption,
    RunsOption,
    SetOption,
)
from planecast.cli.shared.output import emit
from planecast.cli.shared.progress import progress_bar
from planecast.cli.shared.scenarios import ScenarioArgument
from planecast.cli.tables.sensitivity import sensitivity_sheet
from planecast.errors import InputError


def sensitivity(
    scenario: ScenarioArgument,
    vary: Annotated[
        list[str] | None,
        typer.Option(
            "--vary",
            metavar="KEY=LOW:HIGH",
            help="What is varied, and its range (KEY=V,V… too); machine.llc_size and the like are "
            "factors over the calibrated machine. Default: every component, and the tables (of a "
            "program of others the keys that its calibration varied), from half to twice.",
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
    seed: Annotated[
        int, typer.Option("--seed", min=0, help="Of the draws."), Excludes("--draws 0")
    ] = 1,
    runs: RunsOption = None,
    form: FormatOption = None,
    output: OutputOption = None,
) -> None:
    """How much each component and number moves the packets a second, by the closed form.

    One key at a time (a tornado) and all together (Sobol's indices); `planecast report` draws both.
    """
    from planecast.results import RunDirectory
    from planecast.sweep import Plan, parse_axis
    from planecast.sweep.sensitivity import default_axes
    from planecast.sweep.sensitivity import sensitivity as analyse

    if draws & (draws - 1):
        raise InputError(f"got {draws} draws", "--draws", "give a power of two, such as 64")
    named = [parse_axis(text) for text in vary or []]
    base, root, chosen = model_question(scenario, settings, calibration, runs, named)
    axes = named or [parse_axis(text) for text in default_axes(base, chosen.model)]
    job = job_of(Plan.of(base, axes, "lhs", max(1, draws), seed), chosen, "solve")
    with RunDirectory.create(root, "sensitivity", base.name) as run:
        with progress_bar("asking") as progress:
            found = analyse(job, draws, progress)
        run.write_result(found)
    emit(sensitivity_sheet(found, str(run.path)), form, output)
