"""The error table: every point of a validation."""

from __future__ import annotations

from collections.abc import Sequence

from planecast.report.figures.error_by_point import error_interval
from planecast.report.numbers import kinds_text, percent
from planecast.report.table import Cell, Heading, Table, estimate_cell, samples_cell, share_cell
from planecast.results import Validation, ValidationPoint


def point_table(validation: Validation) -> Table:
    """A row a point, in the run's order."""
    points = validation.points
    return Table(
        anchor="points",
        title="Every point",
        caption=(
            "Error: predicted over measured cycles a packet, less one; positive means predicted "
            "too dear. Inside: the measured value lies in the predicted 95 % interval. Brackets "
            "hold 95 % intervals."
        ),
        headings=_headings(points),
        rows=[_row(number, point) for number, point in enumerate(points, start=1)],
    )


def _headings(points: Sequence[ValidationPoint]) -> list[Heading]:
    measured = kinds_text(point.measured.cycles_per_packet for point in points)
    predicted = kinds_text(point.predicted.cycles_per_packet for point in points)
    return [
        Heading("#", number=True),
        Heading("point"),
        Heading("measured", f"cycles/packet, {measured}", number=True),
        Heading("predicted", f"cycles/packet, {predicted}", number=True),
        Heading("error", "%, computed", number=True),
        Heading("inside"),
        Heading("held out"),
        Heading("extrapolates"),
        Heading("samples", "trials", number=True),
        Heading("disturbed", "% of trials", number=True),
        Heading("steady", "% of visits", number=True),
    ]


def _row(number: int, point: ValidationPoint) -> list[Cell]:
    ends = error_interval(point)
    return [
        Cell(str(number)),
        Cell(point.label),
        estimate_cell(point.measured.cycles_per_packet),
        estimate_cell(point.predicted.cycles_per_packet),
        Cell(
            percent(point.error_percent),
            f"[{percent(ends[0])[:-2]}, {percent(ends[1])[:-2]}]" if ends else "",
        ),
        Cell(_yes(point.inside), tone="good" if point.inside else "bad"),
        Cell(_yes(point.held_out)),
        Cell(_yes(point.extrapolates)),
        samples_cell(point.measured.cycles_per_packet.samples),
        share_cell(point.measured.disturbed_share),
        share_cell(point.measured.steady_share),
    ]


def _yes(answer: bool) -> str:
    return "yes" if answer else "no"
