"""The run whose calibration a verb predicts with."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from planecast.errors import InputError

if TYPE_CHECKING:
    from planecast.engines.solve import Calibration

CalibrationOption = Annotated[
    str | None,
    typer.Option(
        "--calibration",
        metavar="RUN",
        help="A run of calibrate or validate: its folder or name. Default: the latest.",
    ),
]


def calibration_of(named: str | None, root: Path) -> Calibration:
    """The calibration of a run. Raises InputError when there is none."""
    from planecast.engines.solve import Calibration
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
