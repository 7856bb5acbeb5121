"""Error by point."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from planecast.report.figures.error_by_point import error_by_point, error_interval
from planecast.results.validation import Validation


def test_a_bar_a_point_with_the_interval_of_the_error(validation: Validation) -> None:
    figure = error_by_point(validation)
    assert figure is not None
    bars = {trace.name: trace for trace in figure.data}
    assert {name: len(trace.x) for name, trace in bars.items()} == {
        "held out": 13,
        "extrapolated": 3,
    }
    far = sorted(
        (point for point in validation.points if point.extrapolates),
        key=lambda point: list(bars["extrapolated"].x).index(point.error_percent),
    )
    trace = bars["extrapolated"]
    assert list(trace.x) == [point.error_percent for point in far]
    for point, up, down in zip(far, trace.error_x.array, trace.error_x.arrayminus, strict=True):
        ends = error_interval(point)
        assert ends is not None
        assert (point.error_percent - down, point.error_percent + up) == pytest.approx(ends)
        assert ends[0] < point.error_percent < ends[1]


def test_rows_are_grouped_by_what_varies_the_worst_first(validation: Validation) -> None:
    figure = error_by_point(validation)
    assert figure is not None
    rows = [
        label.replace("<br>", "").replace(" ", "") for label in figure.layout.yaxis.categoryarray
    ]
    held = {p.label.replace(" ", ""): abs(p.error_percent) for p in validation.points if p.held_out}
    assert sorted(rows) == sorted(held)
    bursts = [held[row] for row in rows if row.startswith("burst=")]
    assert bursts == sorted(bursts, reverse=True)
    assert figure.layout.yaxis.autorange == "reversed"


def test_points_of_one_name_keep_rows_of_their_own(
    make_validation: Callable[..., Validation],
) -> None:
    one = make_validation().points[8]
    figure = error_by_point(make_validation(points=(one, one)))
    assert figure is not None
    assert list(figure.data[0].y) == ["flows=512", "flows=512 #2"]


def test_no_points_no_figure(make_validation: Callable[..., Validation]) -> None:
    assert error_by_point(make_validation(points=())) is None
