"""What a page begins with: a scenario's file, a run, or what the latest calibration is of."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from planecast.errors import InputError
from planecast.explore.session import Session
from planecast.results import RunDirectory, find_run
from planecast.results.content import results_of
from planecast.results.store import CALIBRATION, SWEEP, picked
from planecast.scenario import FUNCTIONS, Scenario, load_scenario, with_overrides
from planecast.study.calibration_run import calibration_of, is_current
from planecast.sweep import read_job


def session_of(
    named: str | None, changes: Mapping[str, Any], calibration: str | None, root: Path
) -> Session:
    """The session of ``planecast explore [SCENARIO|RUN]``.

    A sweep's base is the scenario, and its points have a Pareto front. Of other runs the first
    result (``RUN#2``: the second) is the scenario, all measured results are shown next to
    predictions, and the run's own calibration answers where it has one. Raises InputError for what
    is neither a scenario nor a run, and where there is no calibration at all.
    """
    if named is None:
        base = with_overrides(_calibrated(calibration, root), changes)
        return Session(base, root, calibration)
    if Path(named).is_file() and Path(named).suffix in (".yaml", ".yml"):
        return Session(load_scenario(named, changes), root, calibration, file=named)
    name, position = picked(named)
    try:
        run = find_run(name, root)
    except InputError as error:
        raise InputError(
            "this is neither a scenario's file nor a run", named, error.what_to_do
        ) from None
    if (run.path / SWEEP).is_file():
        base = with_overrides(read_job(run).plan.base, changes)
        return Session(base, root, calibration, sweep=run)
    results = results_of(run.read())
    if not 0 <= (position or 0) < len(results):
        raise InputError(
            f"there is no result #{(position or 0) + 1}", named, f"the run has {len(results)}"
        )
    base = with_overrides(results[position or 0].scenario, changes)
    measured = [one for one in results if one.cycles_per_packet.kind == "measured"]
    return Session(base, root, calibration or _own(run), recorded=measured)


def _calibrated(named: str | None, root: Path) -> Scenario:
    """What a calibration is of: a function as usual, a program as its run measured it, what was
    counted. One from counters of something that nobody named is passed over, unless it is named or
    the only one. Raises InputError where the scenario isn't known."""
    try:
        found = calibration_of(named, root)
    except InputError:
        found = calibration_of(named, root, counted=True)
    kind = found.model.kind
    if kind in FUNCTIONS:
        return with_overrides(Scenario(name=kind), {"workload.kind": kind})
    if found.model.counted is not None:
        measured = [found.counted] if found.counted is not None else []
    else:
        kept = root / found.basis.run
        run = RunDirectory(kept) if kept.is_dir() else find_run(named or "", root)
        results = results_of(run.read())
        measured = [one.scenario for one in results if one.scenario.forwards == kind]
    if not measured:
        what = "counters of one workload, which nobody named" if found.model.counted else kind
        raise InputError(
            f"the calibration is of {what}", found.basis.run, "name its scenario: explore SCENARIO"
        )
    return measured[0]


def _own(run: RunDirectory) -> str | None:
    return str(run.path) if is_current(run.path / CALIBRATION) else None
