"""Replay: a recorded validation fitted and checked again, without a data plane.

A recording is a folder with what a validation measured (``result.json``) and what it was fitted
with: ``calibration.json`` has the probed hierarchy and the counted instructions. Of an older
edition's recording the hierarchy comes from a probe, ``probe.json`` in the folder or
``NAME-probe.json`` next to it for a folder ``NAME-…``: the shared recordings of a Zen 4 host are
such. The fit sees calibration points alone.
"""

from __future__ import annotations

import json
import shutil
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from planecast.engines.solve import solve
from planecast.errors import InputError, first_refusal
from planecast.instruments.machine_probe import MachineProbe
from planecast.machine.hierarchy import Hierarchy
from planecast.model.calibrate import calibrate
from planecast.model.calibrated_range import any_outside
from planecast.results.result import Result
from planecast.results.store import CALIBRATION, RESULT, TRIALS
from planecast.results.validation import Validation, ValidationPoint
from planecast.scenario.earlier_versions import text_in_todays_keys
from planecast.scenario.read_file import parsed_json, read_of_run
from planecast.workload.counts import InstructionCounts
from planecast.workload.traced.program_profile import ProgramProfile

RECORDED = (RESULT, CALIBRATION, TRIALS)
PROBE = "probe.json"


def record(run: Path, folder: Path) -> None:
    """Copies what a replay needs of a validation's run. Raises InputError for a folder that holds
    something already."""
    if folder.exists() and any(folder.iterdir()):
        raise InputError("the folder is not empty", str(folder), "name another one")
    folder.mkdir(parents=True, exist_ok=True)
    for name in RECORDED:
        if (run / name).is_file():
            shutil.copyfile(run / name, folder / name)


def replay(folder: Path) -> Validation:
    """Fits to a recording's calibration points and predicts its held-out ones.

    Raises InputError for a folder that is no recording of a validation.
    """
    said, fitted = _json(folder / RESULT), _json(folder / CALIBRATION)
    try:
        points = [point for point in said["points"] if not point.get("checked")]
        apart = [point["held_out"] for point in points]
        measured = [Result.model_validate_json(json.dumps(one["measured"])) for one in points]
        counts = {
            name: InstructionCounts.model_validate_json(json.dumps(one))
            for name, one in fitted["instructions"].items()
        }
        traced = fitted.get("program")
        program = traced and ProgramProfile.model_validate_json(json.dumps(traced))
        hierarchy = _hierarchy(folder, fitted)
    except (KeyError, TypeError, ValueError) as error:
        first = first_refusal(error) if isinstance(error, ValidationError) else str(error)
        raise InputError(
            f"this is not a recording of a validation: {first}",
            str(folder),
            "make one: planecast validate STUDY --record FOLDER",
        ) from None
    known = [one for one, held in zip(measured, apart, strict=True) if not held]
    if len(known) == len(measured):
        raise InputError("nothing of the recording is held out", str(folder))
    manifest = known[0].manifest
    calibration = calibrate(known, hierarchy, counts, manifest, program)
    scenarios = [one.scenario for one in measured]
    outside = any_outside(scenarios, calibration.span).tolist()
    return Validation.of(
        str(said.get("study", folder.name)),
        [
            ValidationPoint.of(
                point["overrides"],
                truth,
                answer,
                held_out=held,
                extrapolates=held and beyond,
                reproduce=str(point.get("reproduce", "")),
            )
            for point, truth, answer, held, beyond in zip(
                _points(points),
                measured,
                solve(scenarios, calibration, manifest),
                apart,
                outside,
                strict=True,
            )
        ],
        {one.name: one.estimate(calibration.points) for one in calibration.parameters},
        manifest,
    )


def _points(points: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """With lists as tuples, as a study has them."""
    return [
        {
            **point,
            "overrides": {
                key: tuple(value) if isinstance(value, list) else value
                for key, value in point["overrides"].items()
            },
        }
        for point in points
    ]


def _hierarchy(folder: Path, fitted: Mapping[str, Any]) -> Hierarchy:
    if "edition" in fitted:
        return Hierarchy.model_validate_json(json.dumps(fitted["hierarchy"]))
    shared = folder.parent / f"{folder.resolve().name.partition('-')[0]}-{PROBE}"
    path = folder / PROBE if (folder / PROBE).is_file() else shared
    return Hierarchy.of(MachineProbe.model_validate_json(json.dumps(_json(path))))


def _json(path: Path) -> dict[str, Any]:
    found = parsed_json(text_in_todays_keys(read_of_run(path)), path)
    if not isinstance(found, dict):
        raise InputError("this is not a recording of a validation", str(path))
    return found
