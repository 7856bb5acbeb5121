"""Heat map and scatter of a sweep."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

from planecast.report.figures.heat_map import heat_map
from planecast.report.figures.sweep_scatter import MOST_POINTS, sweep_scatter
from planecast.report.sweep_points import MOST_STEPS, SweepPoints
from planecast.sweep import Axis

FLOWS, BURST, PAGES = "traffic.flows", "placement.burst", "placement.page_size"


def points(flows: list[int], bursts: list[int], pages: list[str] | None = None) -> SweepPoints:
    """A grid whose rate grows with the burst and falls with the flows; the last point refused."""
    grid = list(itertools.product(flows, bursts, pages or ["2MiB"]))
    rate = np.array([1e6 * burst / (1 + count / 1000) for count, burst, _ in grid])
    rate[-1] = np.nan
    refused = np.array([None] * len(grid), dtype=object)
    refused[-1] = "too many"
    columns = {
        "traffic_flows": np.array([count for count, _, _ in grid]),
        "placement_burst": np.array([burst for _, burst, _ in grid]),
        "placement_page_size": np.array([page for _, _, page in grid], dtype=object),
        "throughput_pps": rate,
        "throughput_pps_low": 0.9 * rate,
        "throughput_pps_high": 1.1 * rate,
        "capped_by": np.array(
            ["memory" if count > 500 else "core" for count, _, _ in grid], dtype=object
        ),
        "extrapolates": np.array([count == flows[-1] for count, _, _ in grid]),
        "refused": refused,
    }
    axes = [Axis(key=FLOWS, values=tuple(flows)), Axis(key=BURST, values=tuple(bursts))]
    axes += [Axis(key=PAGES, values=tuple(pages))] if pages else []
    return SweepPoints(axes, columns, "computed")


def test_a_cell_a_pair_with_its_interval() -> None:
    found = points([256, 4096], [8, 16, 32])
    figure = heat_map(found, BURST, FLOWS)
    cells, beyond = figure.data
    assert (cells.x, cells.y) == (("8", "16", "32"), ("256", "4,096"))
    assert cells.z[0][2] == pytest.approx(32 / 1.256)
    assert cells.z[1][2] is None
    assert cells.hovertext[1][2].endswith("refused")
    assert "25.48 [22.93, 28.03] Mpps (computed)" in cells.hovertext[0][2]
    # Where all of a cell's points are beyond the calibrated range; a refused one says nothing.
    assert list(zip(beyond.x, beyond.y, strict=True)) == [("8", "4,096"), ("16", "4,096")]


def test_a_cell_of_several_points_is_their_median() -> None:
    figure = heat_map(points([256, 4096], [8, 16], ["4KiB", "2MiB"]), PAGES, FLOWS)
    assert figure.data[0].z[0][0] == pytest.approx(12 / 1.256)
    assert "of 2 points, from 6.369 to 12.74" in figure.data[0].hovertext[0][0]


def test_many_values_are_put_together_in_ranges() -> None:
    found = points(list(range(100, 10_000, 100)), [8, 16])
    steps = found.steps(FLOWS)
    assert len(steps.names) <= MOST_STEPS
    assert (steps.names[0], steps.of[0]) == ("100–147", 0)
    assert steps.of[-1] == len(steps.names) - 1
    assert np.all(np.diff(steps.of) >= 0)


def test_the_axis_that_moves_most_is_first() -> None:
    assert points([256, 300], [8, 64]).by_effect() == [BURST, FLOWS]
    assert points([256, 300_000], [8, 9]).by_effect() == [FLOWS, BURST]
    assert points([256], [8, 32, 64]).by_effect() == [BURST]


def test_every_point_is_a_mark_coloured_by_what_limits_it() -> None:
    found = points([256, 4096], [8, 16, 32])
    figure = sweep_scatter(found, FLOWS)
    marks = {trace.name: list(trace.x) for trace in figure.data}
    assert marks == {"limited by core": [256] * 3, "limited by memory": [4096] * 2}
    assert figure.layout.xaxis.type == "linear"
    assert sweep_scatter(points([256, 65536], [8]), FLOWS).layout.xaxis.type == "log"
    assert sweep_scatter(points([256], [8], ["4KiB", "2MiB"]), PAGES).layout.xaxis.type == (
        "category"
    )


def test_of_very_many_points_the_slowest_and_the_fastest_are_shown() -> None:
    found = points(list(range(1, 5002)), [8])
    figure = sweep_scatter(found, FLOWS)
    shown = [y for trace in figure.data for y in trace.y]
    assert len(shown) == MOST_POINTS
    assert max(shown) == np.nanmax(found.mpps)
    assert min(shown) == np.nanmin(found.mpps)


def test_refusals_are_counted_by_reason() -> None:
    assert points([256, 4096], [8]).refusals == {"too many": 1}
