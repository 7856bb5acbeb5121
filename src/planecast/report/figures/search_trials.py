"""A search's trials: the load of each in their order with the bounds that close, and loss and
latency against load."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from planecast.report.colours import (
    LITTLE_LOST,
    MORE_LOST,
    NOTHING_LOST,
    OTHER_COLOUR,
    RATE_COLOURS,
    SERIES_COLOURS,
    faint,
)
from planecast.report.figures.style import Figure, new_figure
from planecast.report.search_convergence import Deciding, running_bounds
from planecast.results.search import FoundRate

Columns = Mapping[str, NDArray[Any]]
"""Of a search's ``trials.parquet``."""

_CLASSES = (
    ("nothing lost", NOTHING_LOST, "circle"),
    ("up to 0.5 % lost", LITTLE_LOST, "diamond"),
    ("more lost", MORE_LOST, "x"),
)
_PDR = 0.005
_VIEW_SHARE = 0.06
"""Of a rate, to both sides of it: what is shown at first."""
_MOST_POINTS = 4000
"""Of a figure: a browser stays quick, and the page small."""


def loss_of(trials: Columns) -> NDArray[np.float64]:
    """Share of the offered packets that each trial lost."""
    offered = np.asarray(trials["offered"], dtype=np.float64)
    lost = offered - np.asarray(trials["received"], dtype=np.float64)
    return np.divide(lost, offered, out=np.zeros_like(lost), where=offered > 0)


def interval_closing(
    trials: Columns,
    rates: Mapping[str, FoundRate],
    rule: Deciding,
    outlying: Sequence[int] = (),
) -> Figure | None:
    """Loads in the order in which they were tried, and the bounds after each; None without trials.

    `rule` says when trials decide; `outlying` are the repetitions to mark, from 0.
    """
    count = len(trials["intended_pps"])
    if count == 0:
        return None
    numbers = np.arange(1, count + 1)
    figure = new_figure(height=420, hovermode="closest")
    if count <= _MOST_POINTS:
        _add_bounds(figure, trials, rates, rule)
    _add_classes(figure, trials, numbers, np.asarray(trials["intended_pps"]) / 1e6)
    _mark_outlying(figure, trials, outlying)
    figure.update_layout(
        xaxis={"title": {"text": "trial"}, "rangemode": "tozero"},
        yaxis={"title": {"text": "offered load, Mpps"}, **_near(rates)},
    )
    return figure


def loss_by_load(trials: Columns, rates: Mapping[str, FoundRate]) -> Figure | None:
    """Loss of every trial over its load, with the rates that were found."""
    if len(trials["intended_pps"]) == 0:
        return None
    figure = new_figure(height=420, hovermode="closest")
    _add_classes(figure, trials, np.asarray(trials["intended_pps"]) / 1e6, 100 * loss_of(trials))
    for name, rate in rates.items():
        at = rate.rate_pps.value / 1e6
        colour = RATE_COLOURS.get(name, OTHER_COLOUR)
        ends = rate.rate_pps.interval
        if ends is not None:
            figure.add_shape(
                type="rect", x0=ends[0] / 1e6, x1=ends[1] / 1e6, y0=0, y1=1, yref="paper",
                fillcolor=colour, opacity=0.25, line={"width": 0},
            )  # fmt: skip
        figure.add_shape(
            type="line", x0=at, x1=at, y0=0, y1=1, yref="paper",
            line={"color": colour, "width": 1.5, "dash": "dot"},
        )  # fmt: skip
        figure.add_scatter(x=[None], y=[None], mode="lines", name=name,
                           line={"color": colour, "dash": "dot", "width": 1.5})  # fmt: skip
    near = _near(rates)
    load, loss = np.asarray(trials["intended_pps"]) / 1e6, 100 * loss_of(trials)
    y: dict[str, Any] = {"rangemode": "tozero"}
    if "range" in near:
        low, high = near["range"]
        shown = loss[(load >= low) & (load <= high)]
        y = {"range": [0, 1.1 * max(float(np.max(shown, initial=0.0)), 100 * _PDR)]}
    figure.update_layout(
        xaxis={"title": {"text": "offered load, Mpps"}, **near},
        yaxis={"title": {"text": "loss, %"}, **y},
    )
    return figure


def _near(rates: Mapping[str, FoundRate]) -> dict[str, Any]:
    """The part of an axis of loads around the rates: a search begins with loads far from it, next
    to which it would be a point. From zero on where no rate was searched."""
    found = [rate for rate in rates.values() if rate.loss_ratio is not None]
    ends = [end for rate in found for end in rate.rate_pps.interval or (rate.rate_pps.value,)]
    if not ends or min(ends) <= 0:
        return {"rangemode": "tozero"}
    low, high = min(ends), max(ends)
    margin = max(_VIEW_SHARE * high, high - low)
    return {"range": [max(low - margin, 0.0) / 1e6, (high + margin) / 1e6]}


def latency_by_load(trials: Columns, rates: Mapping[str, FoundRate]) -> Figure | None:
    """Median and 99th percentile of each trial over its load; None where none was measured."""
    figure = new_figure(height=360, hovermode="closest")
    load = np.asarray(trials["intended_pps"], dtype=np.float64) / 1e6
    drawn = False
    for name, symbol, colour in (
        ("p50_ns", "circle", SERIES_COLOURS[0]),
        ("p99_ns", "diamond", SERIES_COLOURS[1]),
    ):
        values = np.asarray(trials.get(name, np.full(load.size, np.nan)), dtype=np.float64)
        there = _thinned(np.flatnonzero(np.isfinite(values) & (values > 0)))
        if there.size == 0:
            continue
        drawn = True
        figure.add_scatter(
            x=load[there].tolist(),
            y=(values[there] / 1e3).tolist(),
            mode="markers",
            name=name.removesuffix("_ns"),
            marker={"color": colour, "symbol": symbol, "size": 6, "opacity": 0.7},
            hovertemplate="%{x:.3f} Mpps: %{y:.2f} µs<extra></extra>",
        )
    if not drawn:
        return None
    figure.update_layout(
        xaxis={"title": {"text": "offered load, Mpps"}, **_near(rates)},
        yaxis={"title": {"text": "latency, µs"}, "type": "log", "automargin": True},
    )
    return figure


def _add_classes(figure: Figure, trials: Columns, x: NDArray[Any], y: NDArray[Any]) -> None:
    """A mark a trial, by how much it lost: colour and shape say the same."""
    loss = loss_of(trials)
    class_of = np.where(loss <= 0, 0, np.where(loss <= _PDR, 1, 2))
    kept = _thinned(np.arange(loss.size))
    for number, (name, colour, symbol) in enumerate(_CLASSES):
        mine = kept[class_of[kept] == number]
        if mine.size == 0:
            continue
        figure.add_scatter(
            x=x[mine].tolist(),
            y=y[mine].tolist(),
            mode="markers",
            name=name,
            marker={"color": colour, "symbol": symbol, "size": 6, "opacity": 0.75},
            hovertext=[
                f"trial {at + 1}, repetition {int(trials['repetition'][at]) + 1}<br>"
                f"{trials['intended_pps'][at] / 1e6:.4f} Mpps, {100 * loss[at]:.3g} % lost"
                for at in mine
            ],
            hoverinfo="text",
        )


def _add_bounds(
    figure: Figure, trials: Columns, rates: Mapping[str, FoundRate], rule: Deciding
) -> None:
    """The bounds after each trial of each repetition, and the area between them."""
    repetition = np.asarray(trials["repetition"])
    loads, losses = np.asarray(trials["intended_pps"], dtype=np.float64), loss_of(trials)
    for name, rate in rates.items():
        if rate.loss_ratio is None:
            continue
        colour = RATE_COLOURS.get(name, OTHER_COLOUR)
        area, lows, highs = _Path(), _Path(), _Path()
        for bounds in rate.bounds:
            mine = np.flatnonzero(repetition == bounds.repetition)
            if mine.size == 0:
                continue
            low, high = running_bounds(loads[mine], losses[mine], rate.loss_ratio, rule) / 1e6
            for ends, path in ((low, lows), (high, highs)):
                for stretch in _stretches(np.isfinite(ends)):
                    path.add(*_steps(mine[stretch] + 1, ends[stretch]))
            for stretch in _stretches(np.isfinite(low) & np.isfinite(high)):
                x, upper = _steps(mine[stretch] + 1, high[stretch])
                _, lower = _steps(mine[stretch] + 1, low[stretch])
                area.add([*x, *x[::-1]], [*upper, *lower[::-1]])
        shared = {"mode": "lines", "name": name, "legendgroup": name, "hoverinfo": "skip"}
        figure.add_scatter(
            x=area.x, y=area.y, fill="toself", fillcolor=faint(colour), line={"width": 0}, **shared
        )
        for path in (lows, highs):
            figure.add_scatter(
                x=path.x, y=path.y, line={"color": colour, "width": 1.2}, showlegend=False, **shared
            )


class _Path:
    """Lines with gaps between them."""

    def __init__(self) -> None:
        self.x: list[float | None] = []
        self.y: list[float | None] = []

    def add(self, x: list[float], y: list[float]) -> None:
        gap = [None] if self.x else []
        self.x += [*gap, *x]
        self.y += [*gap, *y]


def _stretches(known: NDArray[np.bool_]) -> list[slice]:
    """Where it is known without a gap."""
    edges = np.flatnonzero(np.diff(np.concatenate(([0], known.astype(np.int8), [0]))))
    return [slice(int(a), int(b)) for a, b in edges.reshape(-1, 2)]


def _steps(trials: NDArray[Any], ends: NDArray[np.float64]) -> tuple[list[float], list[float]]:
    """A bound holds from its trial to the next one."""
    x = np.repeat(np.append(trials, trials[-1] + 1), 2)[1:-1]
    return x.tolist(), np.repeat(ends, 2).tolist()


def _mark_outlying(figure: Figure, trials: Columns, outlying: Sequence[int]) -> None:
    """A shade behind the trials of outlying repetitions, named in the legend."""
    repetition = np.asarray(trials["repetition"])
    for number in outlying:
        mine = np.flatnonzero(repetition == number) + 1
        if mine.size:
            figure.add_vrect(
                x0=int(mine[0]), x1=int(mine[-1]) + 1, fillcolor=MORE_LOST, opacity=0.15,
                line_width=0, layer="below",
            )  # fmt: skip
    if outlying:
        named = ", ".join(str(number + 1) for number in outlying)
        figure.add_scatter(
            x=[None], y=[None], mode="markers", name=f"outlying: repetition {named}",
            marker={"symbol": "square", "size": 12, "color": faint(MORE_LOST, 0.3)},
        )  # fmt: skip


def _thinned(which: NDArray[Any]) -> NDArray[Any]:
    """Every so many, when there are more than a figure should hold."""
    return which[:: -(-which.size // _MOST_POINTS) or 1]
