"""What all figures share: colours that the colour-blind tell apart, layout, hover text.

Text, grid and axes have no colour here: the page's style sheet gives them one, so that a figure
follows a light screen, a dark one and paper.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import plotly.graph_objects as go

STAGE_COLOURS = {
    "source": "#56b4e9",
    "acl": "#e69f00",
    "key": "#009e73",
    "classify": "#0072b2",
    "actions": "#d55e00",
    "route": "#cc79a7",
    "tx": "#f0e442",
}
"""The seven colours of Okabe and Ito ("Color Universal Design", 2008) that suit white and black."""

OTHER_COLOUR = "#8a8f98"

ROLE_COLOURS = {"held out": "#1f83c4", "extrapolated": "#e07b00", "calibration": OTHER_COLOUR}
ROLE_SYMBOLS = {"held out": "circle", "extrapolated": "diamond", "calibration": "circle-open"}

TOTAL = "total"
"""uid of a trace that the style sheet draws in the colour of text."""

BAND_PERCENT = 4.0
"""The band that figures show: the mean error that a model of this kind is to stay under."""

_ROW_PX = 24
_LINE_PX = 13
_LOWEST_PX = 250  # on a narrow screen a legend has three lines, and half the figure at most

Figure = Any
"""A plotly.graph_objects.Figure; Plotly has no types."""


def stage_colour(stage: str) -> str:
    """The colour of a stage, the same in every figure."""
    return STAGE_COLOURS.get(stage, OTHER_COLOUR)


def faint(colour: str) -> str:
    """A colour through which others are seen."""
    red, green, blue = (int(colour[i : i + 2], 16) for i in (1, 3, 5))
    return f"rgba({red},{green},{blue},0.4)"


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
    axis = {"automargin": True, "zeroline": False, "title": {"standoff": 8}, "ticks": ""}
    # Clear ticks keep the labels off the bars.
    aside = axis | {"ticks": "outside", "ticklen": 6, "tickcolor": "rgba(0,0,0,0)"}
    figure.update_layout(xaxis=axis, yaxis=aside)
    figure.update_layout(**layout)
    return figure


def rows_figure(labels: Sequence[str], **layout: Any) -> Figure:
    """An empty figure for horizontal bars: a row a label, every label shown, the first on top."""
    lines = max(label.count("<br>") for label in labels)  # the highest label sets every row
    height = max(_LOWEST_PX, 130 + (_ROW_PX + _LINE_PX * lines) * len(labels))
    # A single bar would be as thick as the figure is high.
    gap = 0.65 if len(labels) == 1 else 0.25
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
