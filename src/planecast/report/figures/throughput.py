"""Throughput: a bar a result with its interval."""

from __future__ import annotations

from collections.abc import Sequence

from planecast.report.colours import ROLE_COLOURS
from planecast.report.figures.style import Figure, interval_bars, rows_figure
from planecast.report.labels import folded, plain
from planecast.report.numbers import estimate_text, kinds_text
from planecast.results import Result


def throughput(labels: Sequence[str], results: Sequence[Result]) -> Figure | None:
    """The figure, results from the top; None for fewer than two: one bar says nothing."""
    if len(results) < 2:
        return None
    places = [folded(label) for label in labels]
    found = [result.throughput_pps.scaled(1e-6, "Mpps") for result in results]
    figure = rows_figure(places)
    figure.update_layout(margin_t=32)  # room for the buttons, as there is no legend
    figure.add_bar(
        y=places,
        x=[estimate.value for estimate in found],
        orientation="h",
        marker={"color": ROLE_COLOURS["held out"]},
        error_x=interval_bars(found),
        hovertext=[
            f"{place}<br>{plain(estimate_text(estimate))}"
            for place, estimate in zip(places, found, strict=True)
        ],
        hoverinfo="text",
        showlegend=False,
    )
    figure.update_xaxes(title_text=f"Mpps, {kinds_text(found)}", rangemode="tozero")
    return figure
