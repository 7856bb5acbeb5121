"""``planecast explain RUN``: where the cycles go, what limits, what to try next."""

from __future__ import annotations

from typing import Annotated

import typer

from planecast.cli.calibration_run import CalibrationOption
from planecast.cli.options import FormatOption, OutputOption, RunsOption
from planecast.cli.output import chosen_format, emit


def register(app: typer.Typer) -> None:
    """Add the verb to `app`."""
    app.command()(explain)


def explain(
    run: Annotated[
        str,
        typer.Argument(
            metavar="[RUN]",
            help="A run's folder or result.json, its name under the runs folder, or latest; "
            "#2: 2nd result.",
        ),
    ] = "latest",
    calibration: CalibrationOption = None,
    runs: RunsOption = None,
    form: FormatOption = None,
    output: OutputOption = None,
) -> None:
    """Where a packet's cycles go, what limits the data plane, how sure that is, what to try.

    Without counters, causes come from counted instructions and the calibrated model.
    """
    from planecast.cli.explain_run import explain_run
    from planecast.cli.explanation_sheet import explanation_sheet
    from planecast.results import runs_folder

    root = runs_folder(runs)
    found = explain_run(run, root, calibration)
    people = chosen_format(form, output) == "table"
    emit(explanation_sheet(found, people=people), form, output)
