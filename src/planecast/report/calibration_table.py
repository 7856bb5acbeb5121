"""The fitted parameters of the model."""

from __future__ import annotations

from planecast.report.table import Heading, Table, samples_cell
from planecast.results.validation import Validation


def calibration_table(validation: Validation) -> Table | None:
    """A row a parameter; None when the run holds none."""
    if not validation.calibration:
        return None
    return Table.of(
        "calibration",
        "Calibration",
        "Parameters of the cost model, fitted to the calibration points alone.",
        [
            Heading("parameter", of=lambda one: one[0]),
            Heading("value", "95 % interval", number=True, of=lambda one: one[1]),
            Heading("unit", of=lambda one: one[1].unit),
            Heading("kind", of=lambda one: one[1].kind),
            Heading("samples", number=True, of=lambda one: samples_cell(one[1].samples)),
        ],
        validation.calibration.items(),
    )
