"""Every point of a sweep: its rate against an axis, coloured by what limits it."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from planecast.report.colours import SERIES_COLOURS
from planecast.report.figures.style import Figure, new_figure, number_axis
from planecast.report.labels import plain
from planecast.report.numbers import digits
from planecast.report.sweep_points import SweepPoints, digits_of

MOST_POINTS = 4000
"""Of a figure: a browser stays quick, and the page small."""
_MANY = 800
"""Points from which on smaller marks are clearer."""
_SYMBOLS = ("circle", "diamond", "square", "x", "triangle-up")


def sweep_scatter(points: SweepPoints, key: str) -> Figure:
    """The rate of every point against one axis; evenly many of them when there are too many."""
    shown = shown_points(points)
    figure = new_figure(height=400, hovermode="closest")
    words = _words(points, shown)
    limits = points.limits[shown]
    for at, limit in enumerate(dict.fromkeys(limits)):
        mine = np.flatnonzero(limits == limit)
        figure.add_scatter(
            x=_across(points, key, shown[mine]),
            y=points.mpps[shown[mine]].tolist(),
            mode="markers",
            name=f"limited by {plain(limit)}" if limit else "limit not known",
            showlegend=True,
            marker={
                "color": SERIES_COLOURS[at % len(SERIES_COLOURS)],
                "symbol": _SYMBOLS[at % len(_SYMBOLS)],
                "size": 6 if shown.size < _MANY else 4,
                "opacity": 0.6 if shown.size < _MANY else 0.4,
            },
            hovertext=[words[place] for place in mine],
            hoverinfo="text",
        )
    figure.update_xaxes(title_text=plain(key), **_scale(points, key))
    figure.update_yaxes(title_text=f"Mpps, {points.kind}", rangemode="tozero")
    return figure


def _scale(points: SweepPoints, key: str) -> dict[str, Any]:
    if not points.is_number(key):
        names = [plain(name) for name in points.steps(key).names]
        # Half a step at either end: the first name stays clear of the other axis's numbers.
        ends = [-0.5, len(names) - 0.5]
        return {
            "type": "category",
            "categoryorder": "array",
            "categoryarray": names,
            "range": ends,
        }
    values = np.unique(np.asarray(points.values(key), dtype=np.float64))
    return number_axis([float(value) for value in values])


def shown_points(points: SweepPoints) -> NDArray[np.intp]:
    """The answered points that a figure shows: all, or evenly many from the slowest to the
    fastest."""
    order = np.flatnonzero(points.answered)
    order = order[np.argsort(points.mpps[order], kind="stable")]
    if order.size <= MOST_POINTS:
        return order
    places = np.linspace(0, order.size - 1, MOST_POINTS).round().astype(np.intp)
    return np.asarray(order[places])


def _across(points: SweepPoints, key: str, rows: NDArray[np.intp]) -> list[object]:
    values = points.values(key)[rows]
    return values.tolist() if points.is_number(key) else [plain(str(value)) for value in values]


def _words(points: SweepPoints, rows: NDArray[np.intp]) -> list[str]:
    low, high = (
        np.asarray(points.columns[f"throughput_pps_{end}"], dtype=np.float64) / 1e6
        for end in ("low", "high")
    )
    found = []
    for row in rows:
        at = [f"{plain(axis.key)} {_value(points, axis.key, row)}" for axis in points.axes]
        interval = f" [{digits(low[row])}, {digits(high[row])}]" if np.isfinite(low[row]) else ""
        at.append(f"{digits(points.mpps[row])}{interval} Mpps ({points.kind})")
        found.append("<br>".join(at))
    return found


def _value(points: SweepPoints, key: str, row: np.intp) -> str:
    value = points.values(key)[row]
    return digits_of(float(value)) if points.is_number(key) else plain(str(value))
