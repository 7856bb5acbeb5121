"""The run whose calibration a verb predicts with."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

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


def calibration_of(named: str | None, root: Path, *, counted: bool = False) -> Calibration:
    """The calibration of a run. Raises InputError when there is none.

    `counted`: one from imported counters will do, which knows no stages.
    """
    from planecast.study.calibration_run import calibration_of as find

    return find(named, root, counted=counted)
