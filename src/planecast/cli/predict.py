"""``planecast predict SCENARIO``: the model's answer, with its interval."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from planecast.cli.measure import ScenarioArgument, scenarios_of
from planecast.cli.options import (
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

if TYPE_CHECKING:
    from pathlib import Path

    from planecast.engines.solve import Calibration


def register(app: typer.Typer) -> None:
    """Add the verb to `app`."""
    app.command()(predict)


def predict(
    scenario: ScenarioArgument,
    calibration: Annotated[
        str | None,
        typer.Option(
            "--calibration",
            metavar="RUN",
            help="A run of calibrate or validate: its folder or name. Default: the latest.",
        ),
    ] = None,
    settings: SetOption = None,
    vary: VaryOption = None,
    seed: SeedOption = None,
    runs: RunsOption = None,
    form: FormatOption = None,
    output: OutputOption = None,
) -> None:
    """Answer a scenario by the calibrated model: cycles a packet and packets a second."""
    from planecast.cli.results_sheet import results_sheet
    from planecast.engines.solve import solve
    from planecast.results import RunDirectory, collect_manifest, runs_folder

    base, labels, scenarios = scenarios_of(scenario, overrides(settings, seed), variations(vary))
    root = runs_folder(runs)
    model = _calibration(calibration, root)
    results = solve(scenarios, model, collect_manifest("solve", base.traffic.seed))
    with RunDirectory.create(root, "predict", base.name) as run:
        run.write_result(results)
    columns = "people" if chosen_format(form, output) == "table" else "machines"
    emit(results_sheet(results, labels, run.path, columns), form, output)


def _calibration(named: str | None, root: Path) -> Calibration:
    """The calibration of a run. Raises InputError when there is none."""
    from planecast.engines.solve import Calibration
    from planecast.errors import InputError
    from planecast.results import find_run, list_runs
    from planecast.study.calibrate import CALIBRATION

    if named is None:
        having = [run for run in list_runs(root) if (run.path / CALIBRATION).is_file()]
        if not having:
            raise InputError(
                "no run has a calibration", str(root), "make one: planecast calibrate STUDY"
            )
        path = having[-1].path / CALIBRATION
    else:
        path = find_run(named, root).path / CALIBRATION
    try:
        return Calibration.model_validate_json(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        raise InputError(
            "the run has no calibration", str(path), "name a run of calibrate or validate"
        ) from None
    except (OSError, ValueError) as error:  # pydantic's, and that of text that is no UTF-8
        first = str(error).splitlines()[0]
        raise InputError(f"can't read the calibration: {first}", str(path)) from None
