"""The run whose calibration is predicted with."""

from __future__ import annotations

import json
from pathlib import Path

from planecast.errors import InputError
from planecast.model.calibration import EDITION, Calibration
from planecast.model.supported import COUNTED
from planecast.results.store import find_run, list_runs
from planecast.study.calibrate import CALIBRATION

COUNTERS = "calibrate-counters-"
"""In the name of a run whose calibration is of imported counters."""


def calibration_of(
    named: str | None, root: Path, *, counted: bool = False, kind: str | None = None
) -> Calibration:
    """The calibration of a run as verbs name it; None: of the latest that has one, of the network
    function `kind` where some run has one.

    Raises InputError when there is none.
    `counted`: one from imported counters will do, which knows no stages; the latest run is then
    looked for among those, too.
    """
    path = _latest(root, kind, counted=counted) if named is None else _of_run(named, root)
    found = _read(path)
    if found.counted is not None and not counted:
        raise InputError(
            "this calibration is of counters and knows no stages",
            str(path),
            "predict and sweep take it, with --engine solve",
        )
    return found


def _of_run(named: str, root: Path) -> Path:
    return find_run(named, root).path / CALIBRATION


def _latest(root: Path, kind: str | None, *, counted: bool) -> Path:
    """The newest calibration of a network function, else the newest of this model, else of any."""
    having = [
        run.path / CALIBRATION
        for run in reversed(list_runs(root))
        if (run.path / CALIBRATION).is_file() and (counted or COUNTERS not in run.path.name)
    ]
    if not having:
        raise InputError(
            "no run has a calibration", str(root), "make one: planecast calibrate STUDY"
        )
    current = [(path, own) for path in having if (own := _kind(path)) is not None]
    alike = (path for path, own in current if kind in (None, own) or own == COUNTED)
    return next(alike, current[0][0] if current else having[0])


def _kind(path: Path) -> str | None:
    """The network function that a calibration is of; None for one that can't be read, or is of an
    older model: whoever reads all of it says why."""
    try:
        data = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return None
    known = isinstance(data, dict) and data.get("edition") == EDITION
    return str(data.get("kind")) if known else None


def _read(path: Path) -> Calibration:
    try:
        text = path.read_text(encoding="utf-8")
        data = json.loads(text)
        whole = isinstance(data, dict) and isinstance(data.get("parameters"), list)
        if whole and data.get("edition") != EDITION:
            raise InputError(
                "this calibration is of an older model",
                str(path),
                "make it anew: planecast calibrate STUDY",
            )
        return Calibration.model_validate_json(text)
    except FileNotFoundError:
        raise InputError(
            "the run has no calibration", str(path), "name a run of calibrate or validate"
        ) from None
    except (OSError, ValueError) as error:  # pydantic's, and that of text that is no UTF-8
        first = str(error).splitlines()[0]
        raise InputError(f"can't read the calibration: {first}", str(path)) from None
