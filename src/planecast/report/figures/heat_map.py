"""A heat map: the rate over two axes of a sweep."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from planecast.report.colours import SCALE
from planecast.report.figures.style import Figure, new_figure
from planecast.report.labels import plain
from planecast.report.numbers import digits
from planecast.report.sweep_points import Steps, SweepPoints

_ROW_PX, _AROUND_PX, _LOWEST_PX, _HIGHEST_PX = 26, 130, 300, 560


def heat_map(points: SweepPoints, across: str, up: str) -> Figure:
    """The median rate at each pair of steps of two axes; a cross where all of a cell's points lie
    beyond the calibrated range, a gap where none was answered."""
    x, y = points.steps(across), points.steps(up)
    rate, words = _cells(points, x, y)
    height = min(_HIGHEST_PX, max(_LOWEST_PX, _AROUND_PX + _ROW_PX * len(y.names)))
    figure = new_figure(height, hovermode="closest")
    names_x, names_y = [plain(name) for name in x.names], [plain(name) for name in y.names]
    figure.add_heatmap(
        x=names_x,
        y=names_y,
        z=[[None if np.isnan(value) else float(value) for value in row] for row in rate],
        hovertext=words,
        hoverinfo="text",
        colorscale=SCALE,
        colorbar={"title": {"text": "Mpps", "side": "right"}, "thickness": 14, "outlinewidth": 0},
        xgap=1,
        ygap=1,
    )
    beyond = _beyond(points, x, y)
    if beyond.any():
        rows, columns = np.nonzero(beyond)
        figure.add_scatter(
            x=[names_x[at] for at in columns],
            y=[names_y[at] for at in rows],
            mode="markers",
            marker={"symbol": "x-thin", "size": 7, "line": {"width": 1, "color": "#d55e00"}},
            name="beyond the calibrated range",
            hoverinfo="skip",
            showlegend=True,
        )
    for axis, steps in (("xaxis", x), ("yaxis", y)):
        figure.update_layout({axis: {"title": {"text": plain(steps.key)}, "type": "category"}})
    figure.update_xaxes(categoryorder="array", categoryarray=names_x)
    figure.update_yaxes(categoryorder="array", categoryarray=names_y)
    return figure


def _cells(points: SweepPoints, x: Steps, y: Steps) -> tuple[NDArray[np.float64], list[list[str]]]:
    """Median rates, a row a step of `y`, and what hovering over a cell says."""
    rate = np.full((len(y.names), len(x.names)), np.nan)
    words = [["" for _ in x.names] for _ in y.names]
    mpps, answered = points.mpps, points.answered
    for row, column in sorted({*zip(y.of.tolist(), x.of.tolist(), strict=True)}):
        here = np.flatnonzero((y.of == row) & (x.of == column) & answered)
        place = f"{plain(x.key)} {plain(x.names[column])}<br>{plain(y.key)} {plain(y.names[row])}"
        if here.size == 0:
            words[row][column] = f"{place}<br>refused"
            continue
        rate[row, column] = float(np.median(mpps[here]))
        words[row][column] = f"{place}<br>{_rate_text(points, here)}"
    return rate, words


def _rate_text(points: SweepPoints, here: NDArray[np.intp]) -> str:
    if here.size > 1:
        found = points.mpps[here]
        return (
            f"median {digits(float(np.median(found)))} Mpps of {here.size} points, from "
            f"{digits(float(found.min()))} to {digits(float(found.max()))} ({points.kind})"
        )
    low, high = (float(points.columns[f"throughput_pps_{end}"][here[0]]) for end in ("low", "high"))
    interval = f" [{digits(low / 1e6)}, {digits(high / 1e6)}]" if np.isfinite(low) else ""
    return f"{digits(float(points.mpps[here[0]]))}{interval} Mpps ({points.kind})"


def _beyond(points: SweepPoints, x: Steps, y: Steps) -> NDArray[np.bool_]:
    """Cells all of whose answered points are beyond the calibrated range."""
    shape = (len(y.names), len(x.names))
    inside, outside = np.zeros(shape, dtype=np.intp), np.zeros(shape, dtype=np.intp)
    beyond = points.beyond
    np.add.at(inside, (y.of[points.answered & ~beyond], x.of[points.answered & ~beyond]), 1)
    np.add.at(outside, (y.of[points.answered & beyond], x.of[points.answered & beyond]), 1)
    return np.asarray((outside > 0) & (inside == 0))
