"""A simulated scenario over time: what came and went, how busy lcores were, how full rings."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from planecast.report.colours import OTHER_COLOUR, SERIES_COLOURS
from planecast.report.figures.style import Figure, new_figure
from planecast.report.labels import plain

Series = Mapping[str, NDArray[Any]]
"""Columns of ``series.parquet``, of one scenario."""

MOST_POINTS = 400
"""Of a line: a screen shows no more, and the page stays small."""
_PALETTE = (*SERIES_COLOURS, OTHER_COLOUR)
_MOST_LINES = len(_PALETTE)  # of a panel: the first lcores, the first rings
_RATES = ("offered", "forwarded", "dropped")
_GAP = 0.06


def over_time(series: Series) -> Figure | None:
    """Four panels over one axis of time; None where there are fewer than two intervals."""
    end_ns = np.asarray(series["end_ns"], dtype=np.float64)
    if end_ns.size < 2:
        return None
    interval_ns = float(end_ns[1] - end_ns[0])
    together = -(-end_ns.size // MOST_POINTS)
    panels = [(title, lines) for title, lines in _panels(series, interval_ns, together) if lines]
    figure = new_figure(height=170 * len(panels) + 60, hovermode="x unified")
    time_us = _thinned(end_ns, together, np.max) / 1e3
    height = (1 + _GAP) / len(panels) - _GAP
    for number, (title, lines) in enumerate(panels):
        low = 1 - (number + 1) * height - number * _GAP
        name = "y" if number == 0 else f"y{number + 1}"
        figure.update_layout(
            {
                name.replace("y", "yaxis"): {
                    "title": {"text": title},
                    "rangemode": "tozero",
                    "domain": [max(low, 0.0), min(low + height, 1.0)],
                    "automargin": True,
                    "zeroline": False,
                }
            }
        )
        for colour, (line, values) in zip(_PALETTE, lines.items(), strict=False):
            figure.add_scatter(
                x=time_us.tolist(),
                y=[None if np.isnan(value) else float(value) for value in values],
                yaxis=name,
                name=plain(line),
                mode="lines",
                line={"color": colour, "width": 1.5},
            )
    last = "y" if len(panels) == 1 else f"y{len(panels)}"
    figure.update_layout(xaxis={"title": {"text": "simulated time, µs"}, "anchor": last})
    return figure


Lines = dict[str, NDArray[np.float64]]


def _panels(series: Series, interval_ns: float, together: int) -> Sequence[tuple[str, Lines]]:
    def named(prefix: str) -> dict[str, NDArray[Any]]:
        found = [name for name in series if name.startswith(prefix)]
        # Of other scenarios in the same file.
        own = [name for name in found if not np.all(np.isnan(series[name].astype(np.float64)))]
        return {name.removeprefix(prefix): series[name] for name in own[:_MOST_LINES]}

    rates = {name: _thinned(series[name], together, np.mean) * 1e3 / interval_ns for name in _RATES}
    busy = {
        f"{name} busy": 100 * _thinned(column, together, np.mean)
        for name, column in named("busy_").items()
    }
    # The fullest of what is drawn as one point: a ring that ran over must show.
    rings = {
        f"in {name}": _thinned(column, together, np.max)
        for name, column in named("waiting_").items()
    }
    polls = {
        f"{name} a poll": _thinned(column, together, np.mean)
        for name, column in named("vectors_").items()
    }
    return [("Mpps", rates), ("busy, %", busy), ("in rings", rings), ("packets a poll", polls)]


def _thinned(column: NDArray[Any], together: int, how: Any) -> NDArray[np.float64]:
    """So many neighbours as one, by `how`; the last ones may be fewer."""
    values = np.asarray(column, dtype=np.float64)
    starts = range(0, values.size, together)
    return np.array([how(values[start : start + together]) for start in starts])
