"""The run whose calibration a verb predicts with."""

from __future__ import annotations

import logging
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from planecast.cli.shared.options import overrides
from planecast.errors import InputError

if TYPE_CHECKING:
    from planecast.model.calibration import Calibration
    from planecast.results import Estimate
    from planecast.scenario import Scenario
    from planecast.study.calibration_run import Chosen
    from planecast.sweep import Axis, Job, Plan

_log = logging.getLogger(__name__)

CalibrationOption = Annotated[
    str | None,
    typer.Option(
        "--calibration",
        metavar="RUN",
        help="A run of calibrate or validate: its folder or name. Default: the latest of this "
        "host and of the scenario's network function.",
    ),
]


def calibration_of(
    named: str | None, root: Path, *, counted: bool = False, kind: str | None = None
) -> Chosen:
    """The calibration of a run; one of another machine is warned of. Raises InputError when there
    is none.

    `counted`: one from imported counters will do, which knows no stages. `kind`: the network
    function that is asked of; where no run is named, its latest calibration is taken.
    """
    from planecast.results.manifest import host_facts
    from planecast.study.calibration_run import calibration_of as find

    found = find(named, root, counted=counted, kind=kind)
    theirs = found.basis.cpu
    if theirs and not found.basis.this_host:
        here = host_facts()["cpu"]
        other = f"another {theirs}" if theirs == here else theirs
        _log.warning("the calibration is of %s, so are the answers; this machine: %s", other, here)
    return found


def open_cycles_of(scenarios: Sequence[Scenario], model: Calibration) -> list[Estimate]:
    """The closed form's cycles: what the calibration leaves open of simulated ones. None of what it
    doesn't answer."""
    from planecast.engines.solve import solve
    from planecast.results import collect_manifest

    found: list[Estimate] = []
    for scenario in scenarios:
        with suppress(InputError):
            (result,) = solve([scenario], model, collect_manifest("solve", 0))
            found.append(result.cycles_per_packet)
    return found


def calibration_if_any(
    named: str | None, root: Path, kind: str | None = None
) -> tuple[Chosen | None, str]:
    """Likewise, for a verb that does with fewer answers when nobody names one: none, and why.

    Raises InputError when the one that is named isn't there.
    """
    try:
        return calibration_of(named, root, kind=kind), ""
    except InputError as error:
        if named is not None:
            raise
        return None, str(error)


def model_question(
    scenario: str,
    settings: list[str] | None,
    calibration: str | None,
    runs: Path | None,
    axes: Sequence[Axis] = (),
) -> tuple[Scenario, Path, Chosen]:
    """What a verb asks the model of: the scenario, whose `axes` may make it valid, the folder of
    runs, the calibration. Raises InputError for what is wrong with either."""
    from planecast.results import runs_folder
    from planecast.scenario import load_varied
    from planecast.sweep import first_values

    base = load_varied(scenario, overrides(settings), first_values(axes))
    root = runs_folder(runs)
    return base, root, calibration_of(calibration, root, kind=base.forwards)


def job_of(
    plan: Plan,
    chosen: Chosen,
    engine: Literal["solve", "simulate"],
    *,
    made_by: str = "",
    precision: float = 0.01,
    batch: int = 1,
) -> Job:
    """A plan's points, asked of a calibration; the manifest names `made_by`, else the engine."""
    from planecast.results import collect_manifest
    from planecast.sweep import Job

    manifest = collect_manifest(made_by or engine, plan.seed, calibration=chosen.basis)
    return Job(
        plan=plan,
        calibration=chosen.model,
        engine=engine,
        precision=precision,
        batch=batch,
        manifest=manifest,
    )
