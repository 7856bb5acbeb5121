"""The run whose calibration is predicted with."""

from __future__ import annotations

from pathlib import Path

from planecast.errors import InputError
from planecast.model.calibration import Calibration
from planecast.results.store import find_run, list_runs
from planecast.study.calibrate import CALIBRATION

COUNTERS = "calibrate-counters-"
"""In the name of a run whose calibration is of imported counters."""


def calibration_of(named: str | None, root: Path, *, counted: bool = False) -> Calibration:
    """The calibration of a run as verbs name it; None: of the latest that has one.

    Raises InputError when there is none.
    `counted`: one from imported counters will do, which knows no stages; the latest run is then
    looked for among those, too.
    """
    if named is None:
        having = [
            run
            for run in list_runs(root)
            if (run.path / CALIBRATION).is_file() and (counted or COUNTERS not in run.path.name)
        ]
        if not having:
            raise InputError(
                "no run has a calibration", str(root), "make one: planecast calibrate STUDY"
            )
        path = having[-1].path / CALIBRATION
    else:
        path = find_run(named, root).path / CALIBRATION
    found = _read(path)
    if found.counted is not None and not counted:
        raise InputError(
            "this calibration is of counters and knows no stages",
            str(path),
            "predict and sweep take it, with --engine solve",
        )
    return found


def _read(path: Path) -> Calibration:
    try:
        return Calibration.model_validate_json(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        raise InputError(
            "the run has no calibration", str(path), "name a run of calibrate or validate"
        ) from None
    except (OSError, ValueError) as error:  # pydantic's, and that of text that is no UTF-8
        first = str(error).splitlines()[0]
        raise InputError(f"can't read the calibration: {first}", str(path)) from None
