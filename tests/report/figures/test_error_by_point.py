"""Error by point."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from planecast.report.figures.error_by_point import error_by_point, error_interval
from planecast.results import Validation


def test_a_bar_a_point_with_the_interval_of_the_error(validation: Validation) -> None:
    figure = error_by_point(validation)
    assert figure is not None
    bars = {trace.name: trace for trace in figure.data}
    assert {name: len(trace.x) for name, trace in bars.items()} == {
        "calibration": 8,
        "held out": 13,
        "extrapolated": 3,
    }
    far = [point for point in validation.points if point.extrapolates]
    trace = bars["extrapolated"]
    assert list(trace.x) == [point.error_percent for point in far]
    for point, up, down in zip(far, trace.error_x.array, trace.error_x.arrayminus, strict=True):
        ends = error_interval(point)
        assert ends is not None
        assert (point.error_percent - down, point.error_percent + up) == pytest.approx(ends)
        assert ends[0] < point.error_percent < ends[1]


def test_rows_are_in_the_order_of_the_table(validation: Validation) -> None:
    figure = error_by_point(validation)
    assert figure is not None
    assert len(figure.layout.yaxis.categoryarray) == 24
    assert figure.layout.yaxis.categoryarray[0] == "flows=256"
    assert figure.layout.yaxis.autorange == "reversed"


def test_points_of_one_name_keep_rows_of_their_own(
    make_validation: Callable[..., Validation],
) -> None:
    one = make_validation().points[0]
    figure = error_by_point(make_validation(points=(one, one)))
    assert figure is not None
    assert list(figure.data[0].y) == ["flows=256", "flows=256 #2"]


def test_no_points_no_figure(make_validation: Callable[..., Validation]) -> None:
    assert error_by_point(make_validation(points=())) is None
