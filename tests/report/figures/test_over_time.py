"""A simulated scenario over time."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from planecast.report.figures.over_time import MOST_POINTS, over_time
from planecast.report.series_drawings import MOST_SCENARIOS, series_drawings


def series(count: int) -> dict[str, NDArray[Any]]:
    """`count` intervals of 10 µs; in the last one a ring ran over."""
    waiting = np.zeros(count)
    waiting[-1] = 128
    return {
        "scenario": np.full(count, "a", dtype=object),
        "end_ns": 1e4 * np.arange(1, count + 1),
        "offered": np.full(count, 60),
        "forwarded": np.full(count, 50),
        "dropped": np.full(count, 10),
        "mean_latency_ns": np.full(count, 900.0),
        "busy_cpu1": np.full(count, 0.75),
        "vectors_cpu1": np.full(count, 4.5),
        "waiting_rx_ring": waiting,
        "busy_cpu7": np.full(count, np.nan),  # another scenario's
    }


def test_four_panels_over_one_axis() -> None:
    figure = over_time(series(20))
    assert figure is not None
    traces = {trace.name: trace for trace in figure.data}
    assert list(traces) == [
        *("offered", "forwarded", "dropped"),
        *("cpu1 busy", "in rx_ring", "cpu1 a poll"),
    ]
    assert list(traces["offered"].y) == pytest.approx([6.0] * 20)  # 60 in 10 µs are 6 Mpps
    assert list(traces["cpu1 busy"].y) == pytest.approx([75.0] * 20)
    assert traces["cpu1 a poll"].y[0] == 4.5
    assert traces["in rx_ring"].yaxis == "y3"
    assert traces["offered"].x[-1] == pytest.approx(200)
    domains = [figure.layout[f"yaxis{n}"].domain for n in ("", 2, 3, 4)]
    assert all(above[0] > below[1] for above, below in itertools.pairwise(domains))


def test_long_series_are_thinned_and_still_show_a_full_ring() -> None:
    figure = over_time(series(10 * MOST_POINTS + 3))
    assert figure is not None
    traces = {trace.name: trace for trace in figure.data}
    assert len(traces["offered"].y) <= MOST_POINTS
    assert max(traces["in rx_ring"].y) == 128
    assert traces["forwarded"].y[0] == pytest.approx(5.0)


def test_an_interval_alone_is_no_line() -> None:
    assert over_time(series(1)) is None


def test_a_drawing_a_scenario_with_its_name() -> None:
    one = series(5)
    many = {key: np.concatenate([column] * 6) for key, column in one.items()}
    many["scenario"] = np.repeat([f"lcores={n} <&>" for n in range(6)], 5).astype(object)
    found = series_drawings(many)
    assert len(found) == MOST_SCENARIOS
    assert found[1].title == "Over time: lcores=1 <&>"
    assert [drawn.title for drawn in series_drawings(one)] == ["Over time"]
