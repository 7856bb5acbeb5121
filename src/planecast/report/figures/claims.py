"""Claims: the distance of each of ours from the published figure; curves: what was predicted
between."""

from __future__ import annotations

from collections.abc import Sequence

from planecast.report.colours import OTHER_COLOUR, ROLE_COLOURS, SERIES_COLOURS
from planecast.report.figures.style import Figure, new_figure, rows_figure
from planecast.report.labels import folded
from planecast.reproduce import Claim, Curve

_MOST_ROWS = 40
"""More bars than a reader looks through are left to the table."""


def claim_errors(claims: Sequence[Claim]) -> Figure | None:
    """A bar a check, its error in percent; None for fewer than two, and for very many."""
    checks = [claim for claim in claims if claim.role == "check"]
    if not 2 <= len(checks) <= _MOST_ROWS or not any(claim.error_percent for claim in checks):
        return None
    places = [folded(f"{claim.what}") for claim in checks]
    figure = rows_figure(places)
    figure.add_bar(
        y=places,
        x=[claim.error_percent for claim in checks],
        orientation="h",
        marker={
            "color": [
                ROLE_COLOURS["held out"] if claim.within else ROLE_COLOURS["extrapolated"]
                for claim in checks
            ]
        },
        hovertext=[
            f"{place}<br>ours {claim.ours:.4g} {claim.unit}, {claim.error_percent:+.1f} %"
            for place, claim in zip(places, checks, strict=True)
        ],
        hoverinfo="text",
        showlegend=False,
    )
    figure.update_xaxes(title_text="error, %")
    return figure


def curves_figure(curves: Sequence[Curve]) -> Figure | None:
    """Lines of curves that share their axes, the first one's; None without any."""
    alike = [curve for curve in curves if (curve.x, curve.y) == (curves[0].x, curves[0].y)]
    if not alike:
        return None
    colours = [*SERIES_COLOURS, OTHER_COLOUR]
    figure = new_figure(height=320)
    for number, curve in enumerate(alike):
        points = sorted(curve.points)
        figure.add_scatter(
            x=[x for x, _ in points],
            y=[y for _, y in points],
            mode="lines+markers",
            name=curve.what,
            line={
                "color": colours[number % len(colours)],
                "dash": "dash" if number >= len(colours) else "solid",
            },
        )
    figure.update_xaxes(title_text=alike[0].x)
    figure.update_yaxes(title_text=alike[0].y, rangemode="tozero")
    return figure
