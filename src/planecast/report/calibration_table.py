"""The fitted parameters of the model."""

from __future__ import annotations

from planecast.report.table import Cell, Heading, Table, estimate_cell, samples_cell
from planecast.results import Validation


def calibration_table(validation: Validation) -> Table | None:
    """A row a parameter; None when the run holds none."""
    if not validation.calibration:
        return None
    return Table(
        anchor="calibration",
        title="Calibration",
        caption="Parameters of the cost model, fitted to the calibration points alone.",
        headings=[
            Heading("parameter"),
            Heading("value", "95 % interval", number=True),
            Heading("unit"),
            Heading("kind"),
            Heading("samples", number=True),
        ],
        rows=[
            [
                Cell(name),
                estimate_cell(estimate),
                Cell(estimate.unit),
                Cell(estimate.kind),
                samples_cell(estimate.samples),
            ]
            for name, estimate in validation.calibration.items()
        ],
    )
