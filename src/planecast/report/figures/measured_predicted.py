"""Measured against predicted: a mark a point, with both intervals, the identity and a band."""

from __future__ import annotations

from planecast.report.colours import OTHER_COLOUR, ROLE_COLOURS, ROLE_SYMBOLS
from planecast.report.figures.style import BAND_PERCENT, TOTAL, Figure, interval_bars, new_figure
from planecast.report.labels import plain
from planecast.report.numbers import estimate_text, percent
from planecast.report.roles import ROLES, role_of
from planecast.results import Estimate
from planecast.results.validation import Validation, ValidationPoint


def measured_predicted(validation: Validation) -> Figure | None:
    """The figure; None when there is no point."""
    if not validation.points:
        return None
    ends = [end for point in validation.points for end in _ends(point)]
    margin = 0.06 * (max(ends) - min(ends)) or 1.0
    low, high = max(0.0, min(ends) - margin), max(ends) + margin
    figure = new_figure(height=520, hovermode="closest")
    _add_lines(figure, low, high)
    for role in reversed(ROLES):  # what counts lies on top
        _add_points(figure, role, [p for p in validation.points if role_of(p) == role])
    figure.update_xaxes(title_text="measured, cycles/packet", range=[low, high])
    figure.update_yaxes(title_text="predicted, cycles/packet", range=[low, high])
    return figure


def _ends(point: ValidationPoint) -> tuple[float, ...]:
    both = (point.measured.cycles_per_packet, point.predicted.cycles_per_packet)
    return tuple(end for estimate in both for end in _interval(estimate))


def _interval(estimate: Estimate) -> tuple[float, float]:
    return estimate.interval or (estimate.value, estimate.value)


def _add_lines(figure: Figure, low: float, high: float) -> None:
    below, above = 1 - BAND_PERCENT / 100, 1 + BAND_PERCENT / 100
    figure.add_scatter(
        x=[low, high, high, low],
        y=[low * above, high * above, high * below, low * below],
        fill="toself",
        fillcolor="rgba(138, 143, 152, 0.22)",
        mode="lines",
        line={"width": 0, "color": OTHER_COLOUR},
        name=f"±{BAND_PERCENT:g} %",
        hoverinfo="skip",
    )
    figure.add_scatter(
        x=[low, high],
        y=[low, high],
        mode="lines",
        line={"width": 1, "dash": "dot", "color": OTHER_COLOUR},
        name="predicted = measured",
        hoverinfo="skip",
        uid=TOTAL,
    )


def _add_points(figure: Figure, role: str, points: list[ValidationPoint]) -> None:
    if not points:
        return
    measured = [point.measured.cycles_per_packet for point in points]
    predicted = [point.predicted.cycles_per_packet for point in points]
    figure.add_scatter(
        x=[estimate.value for estimate in measured],
        y=[estimate.value for estimate in predicted],
        error_x=interval_bars(measured),
        error_y=interval_bars(predicted),
        mode="markers",
        marker={"size": 9, "symbol": ROLE_SYMBOLS[role], "color": ROLE_COLOURS[role]},
        name=role,
        hovertext=[_hover(point) for point in points],
        hoverinfo="text",
    )


def _hover(point: ValidationPoint) -> str:
    lines = [
        point.label,
        f"measured {estimate_text(point.measured.cycles_per_packet)}",
        f"predicted {estimate_text(point.predicted.cycles_per_packet)}",
        f"error {percent(point.error_percent)}",
    ]
    return "<br>".join(plain(line) for line in lines)
