"""Sensitivity as bars: a tornado, and Sobol's total indices."""

from __future__ import annotations

from planecast.report.colours import OTHER_COLOUR, ROLE_COLOURS
from planecast.report.figures.style import Figure, interval_bars, rows_figure
from planecast.report.labels import folded, plain
from planecast.report.numbers import digits, estimate_text
from planecast.results.sensitivity import Sensitivity


def tornado(found: Sensitivity) -> Figure:
    """A bar a key, from the rate at one end of its range to the other, longest on top."""
    places = [folded(swing.key) for swing in found.swings]
    base = found.base.throughput_pps.value / 1e6
    figure = rows_figure(places)
    for name, colour in (("at_low_pps", OTHER_COLOUR), ("at_high_pps", ROLE_COLOURS["held out"])):
        values = [getattr(swing, name) / 1e6 for swing in found.swings]
        asked = [swing.low if name == "at_low_pps" else swing.high for swing in found.swings]
        figure.add_bar(
            y=places,
            x=[value - base for value in values],
            base=base,
            orientation="h",
            marker={"color": colour},
            name="at the lower end" if name == "at_low_pps" else "at the upper end",
            hovertext=[
                f"{place} = {plain(text)}<br>{digits(value)} Mpps (computed)"
                for place, text, value in zip(places, asked, values, strict=True)
            ],
            hoverinfo="text",
            offsetgroup="0",
        )
    figure.update_layout(barmode="overlay")
    figure.update_xaxes(title_text=f"Mpps, {found.base.throughput_pps.kind}")
    return figure


def sobol_indices(found: Sensitivity) -> Figure | None:
    """A bar a key: its total index with the 95 % interval; None when they weren't asked for."""
    pairs = [(swing.key, swing.total) for swing in found.swings if swing.total is not None]
    if not pairs:
        return None
    places = [folded(key) for key, _ in pairs]
    totals = [total for _, total in pairs]
    values = [total.value for total in totals]
    figure = rows_figure(places)
    figure.update_layout(margin_t=32)  # room for the buttons, as there is no legend
    figure.add_bar(
        y=places,
        x=values,
        orientation="h",
        marker={"color": ROLE_COLOURS["held out"]},
        error_x=interval_bars(totals),
        hovertext=[
            f"{place}<br>{plain(estimate_text(total))}"
            for place, total in zip(places, totals, strict=True)
        ],
        hoverinfo="text",
        showlegend=False,
    )
    figure.update_xaxes(title_text="share of the variance, computed", rangemode="tozero")
    return figure
