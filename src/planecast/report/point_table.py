"""The points of a validation as tables: by what they vary, and one by one, the worst first."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from planecast.report.figures.error_by_point import error_interval
from planecast.report.numbers import kinds_text, percent
from planecast.report.roles import by_what_varies, role_of
from planecast.report.table import (
    Cell,
    Heading,
    Table,
    estimate_cell,
    number_cell,
    samples_cell,
    share_cell,
)
from planecast.results.scores import noise_floor_percent
from planecast.results.validation import Validation, ValidationPoint

_TABLES = (
    ("points", "Held-out points", ("held out", "extrapolated")),
    ("checked", "Checked points, which count in no score", ("check",)),
    ("calibration-points", "Calibration points", ("calibration",)),
)
"""Anchor, title, and the roles of the points in it."""


def error_table(validation: Validation) -> Table | None:
    """A row for each set of keys that held-out points vary, the worst first; None for one set."""
    groups = by_what_varies([point for point in validation.points if point.held_out])
    if len(groups) < 2:
        return None
    return Table(
        anchor="errors",
        title="Errors by what varies",
        caption="Held-out points by the keys that they change; the largest mean error first.",
        headings=[
            Heading("what varies"),
            Heading("points", number=True),
            Heading("mean error", "%, computed", number=True),
            Heading("largest", "%, computed", number=True),
            Heading("noise floor", "%, computed", number=True),
            Heading("half-width", "%, predicted", number=True),
            Heading("inside", "points", number=True),
            Heading("worst point"),
        ],
        rows=[_group(name, points) for name, points in groups.items()],
    )


def _group(name: str, points: Sequence[ValidationPoint]) -> list[Cell]:
    count = len(points)
    errors = [abs(point.error_percent) for point in points]
    widths = [point.predicted.cycles_per_packet.half_width_percent or 0.0 for point in points]
    floors = [noise_floor_percent(point.measured.cycles_per_packet) for point in points]
    return [
        Cell(name),
        Cell(str(count)),
        number_cell(sum(errors) / count),
        number_cell(max(errors)),
        number_cell(sum(floors) / count),
        number_cell(sum(widths) / count),
        Cell(str(sum(point.inside for point in points))),
        Cell(points[0].label),
    ]


def point_tables(validation: Validation) -> Iterator[Table]:
    """Held-out points first; in each table by what varies, the worst first."""
    for anchor, title, roles in _TABLES:
        groups = by_what_varies([p for p in validation.points if role_of(p) in roles])
        points = [point for group in groups.values() for point in group]
        if points:
            yield Table(
                anchor=anchor,
                title=title,
                caption=_CAPTION,
                headings=_headings(points),
                rows=[_row(number, point) for number, point in enumerate(points, start=1)],
                detail=anchor != "points",
            )


_CAPTION = (
    "By what they vary, the worst first. Error: predicted over measured cycles a packet, less one; "
    "positive means predicted too high. Noise floor: the mean error of a perfect model there. "
    "Inside: measured and predicted differ by no more than the 95 % interval of their difference. "
    "Brackets hold 95 % intervals."
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
        Heading("noise floor", "%, computed", number=True),
        Heading("inside"),
        Heading("samples", "trials", number=True),
        Heading("disturbed", "% of trials", number=True),
        Heading("steady", "% of visits", number=True),
    ]


def _row(number: int, point: ValidationPoint) -> list[Cell]:
    ends = error_interval(point)
    measured = point.measured.cycles_per_packet
    return [
        Cell(str(number)),
        Cell(point.label, "extrapolated" if point.extrapolates else ""),
        estimate_cell(measured),
        estimate_cell(point.predicted.cycles_per_packet),
        Cell(
            percent(point.error_percent),
            f"[{percent(ends[0])[:-2]}, {percent(ends[1])[:-2]}]" if ends else "",
            value=point.error_percent,
            interval=ends,
        ),
        number_cell(noise_floor_percent(measured)),
        Cell("yes" if point.inside else "no", tone="good" if point.inside else "bad"),
        samples_cell(measured.samples),
        share_cell(point.measured.disturbed_share),
        share_cell(point.measured.steady_share),
    ]
