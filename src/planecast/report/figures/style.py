"""What all figures share: layout, hover text.

Text, grid and axes have no colour here: the page's style sheet gives them one, so that a figure
follows a light screen, a dark one and paper.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from typing import Any

import plotly.graph_objects as go

from planecast.report.numbers import is_wide
from planecast.results import Estimate

TOTAL = "total"
"""uid of a trace that the style sheet draws in the colour of text."""

BAND_PERCENT = 4.0
"""The band that figures show: the mean error that a model of this kind is to stay under."""

_ROW_PX = 24
_LINE_PX = 13
_AROUND_PX = 130
_THICKEST_PX = 28
_APART = 0.15  # of a narrow screen's axis: a number of five digits
_LOWEST_PX = 250  # on a narrow screen a legend has three lines, and half the figure at most

Figure = Any
"""A plotly.graph_objects.Figure; Plotly has no types."""


def new_figure(height: int, **layout: Any) -> Figure:
    """An empty figure `height` pixels high that takes the page's width and colours."""
    figure = go.Figure()
    figure.update_layout(
        # A template of its own: Plotly's standard one would add 7 kB to each figure.
        template=go.layout.Template(),
        height=height,
        autosize=True,
        margin={"l": 8, "r": 12, "t": 8, "b": 8},
        font={"family": "system-ui, sans-serif", "size": 13},
        paper_bgcolor="rgba(0,0,0,0)",
        plot_bgcolor="rgba(0,0,0,0)",
        hoverlabel={"font": {"family": "system-ui, sans-serif"}, "align": "left"},
        legend={"orientation": "h", "x": 0, "xanchor": "left", "y": 1.0, "yanchor": "bottom"},
    )
    # A title in the usual size is wider than a telephone's figure.
    title = {"standoff": 8, "font": {"size": 12}}
    axis = {"automargin": True, "zeroline": False, "title": title, "ticks": ""}
    # Clear ticks keep the labels off the bars.
    aside = axis | {"ticks": "outside", "ticklen": 6, "tickcolor": "rgba(0,0,0,0)"}
    figure.update_layout(xaxis=axis, yaxis=aside)
    figure.update_layout(**layout)
    return figure


def rows_figure(labels: Sequence[str], **layout: Any) -> Figure:
    """An empty figure for horizontal bars: a row a label, every label shown, the first on top."""
    lines = max(label.count("<br>") for label in labels)  # the highest label sets every row
    wanted = (_ROW_PX + _LINE_PX * lines) * len(labels)
    height = max(_LOWEST_PX, _AROUND_PX + wanted)
    # Two bars would be as thick as half of the figure is high.
    row = (height - _AROUND_PX) / len(labels)
    gap = max(0.25, 1 - _THICKEST_PX / row)
    figure = new_figure(height, bargap=gap, **layout)
    figure.update_yaxes(
        type="category",
        categoryorder="array",
        categoryarray=labels,
        autorange="reversed",
        tickmode="array",
        tickvals=labels,
        tickfont_size=11,
    )
    return figure


def number_axis(values: Sequence[float]) -> dict[str, Any]:
    """An axis over these numbers, in order: logarithmic where they are wide apart, and with their
    own marks where they are few and don't lie on each other (1 and 2 lcores, not 1.2)."""
    low, high = values[0], values[-1]
    wide = is_wide(low, high)
    axis: dict[str, Any] = {"type": "log" if wide else "linear"}
    places = [math.log(value) if wide else float(value) for value in values]
    least = _APART * (places[-1] - places[0])
    if all(after - before >= least for before, after in itertools.pairwise(places)):
        texts = [f"{value:,.0f}" if float(value).is_integer() else f"{value:g}" for value in values]
        axis |= {"tickmode": "array", "tickvals": list(values), "ticktext": texts}
    return axis


def few_bars_gap(count: int) -> float:
    """Gap between `count` groups of upright bars, so that two don't fill a wide page."""
    return max(0.25, 1 - 0.13 * count)


def interval_bars(estimates: Sequence[Estimate]) -> dict[str, Any]:
    """Error bars of estimates; none where no interval is known."""
    ends = [one.interval or (one.value, one.value) for one in estimates]
    values = [one.value for one in estimates]
    return error_bars(values, [low for low, _ in ends], [high for _, high in ends])


def error_bars(values: list[float], lows: list[float], highs: list[float]) -> dict[str, Any]:
    """Error bars from values and the ends of their intervals."""
    return {
        "type": "data",
        "symmetric": False,
        "array": [high - value for value, high in zip(values, highs, strict=True)],
        "arrayminus": [value - low for value, low in zip(values, lows, strict=True)],
        "thickness": 1.3,
        "width": 3,
    }
