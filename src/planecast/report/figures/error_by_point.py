"""Error by held-out point: a bar a point with the interval of the error, over the band."""

from __future__ import annotations

from planecast.report.colours import ROLE_COLOURS
from planecast.report.figures.style import BAND_PERCENT, Figure, error_bars, rows_figure
from planecast.report.labels import folded, plain, unique
from planecast.report.numbers import percent
from planecast.report.roles import by_what_varies, role_of
from planecast.results import ratio
from planecast.results.validation import Validation, ValidationPoint

PATTERNS = {"held out": "", "extrapolated": "/", "check": "x"}
"""Hatching, so that the roles differ without colour."""


def error_by_point(validation: Validation) -> Figure | None:
    """The figure, the points in the order of their tables; None when no point is held out."""
    groups = by_what_varies([point for point in validation.points if not _is_fitted(point)])
    points = [point for group in groups.values() for point in group]
    if not points:
        return None
    labels = [folded(label) for label in unique([point.label for point in points])]
    figure = rows_figure(labels)
    figure.add_vrect(
        x0=-BAND_PERCENT, x1=BAND_PERCENT, fillcolor="#8a8f98", opacity=0.22, line_width=0
    )
    for role in PATTERNS:
        members = [i for i, point in enumerate(points) if role_of(point) == role]
        if members:
            _add_role(figure, role, [labels[i] for i in members], [points[i] for i in members])
    figure.update_xaxes(title_text="error in %, computed", zeroline=True)
    return figure


def _is_fitted(point: ValidationPoint) -> bool:
    return role_of(point) == "calibration"


def error_interval(point: ValidationPoint) -> tuple[float, float] | None:
    """95 % interval of the error in percent, from those of prediction and measurement."""
    found = ratio(point.predicted.cycles_per_packet, point.measured.cycles_per_packet)
    if found is None or found.interval is None:
        return None
    return 100 * (found.interval[0] - 1), 100 * (found.interval[1] - 1)


def _add_role(figure: Figure, role: str, labels: list[str], points: list[ValidationPoint]) -> None:
    errors = [point.error_percent for point in points]
    ends = [error_interval(point) or (point.error_percent,) * 2 for point in points]
    figure.add_bar(
        y=labels,
        x=errors,
        orientation="h",
        error_x=error_bars(errors, [low for low, _ in ends], [high for _, high in ends]),
        marker={
            "color": ROLE_COLOURS[role],
            "line": {"color": ROLE_COLOURS[role], "width": 1.5},
            "pattern": {"shape": PATTERNS[role], "fillmode": "overlay", "size": 6},
        },
        # Bars of several roles stand on rows of their own, not next to each other on one.
        offsetgroup="0",
        name=role,
        hovertext=[_hover(point) for point in points],
        hoverinfo="text",
    )


def _hover(point: ValidationPoint) -> str:
    ends = error_interval(point)
    text = f" [{percent(ends[0])}, {percent(ends[1])}]" if ends else ""
    return f"{plain(point.label)}<br>error {percent(point.error_percent)}{text} (computed)"
