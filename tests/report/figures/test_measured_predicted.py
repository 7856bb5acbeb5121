"""Measured against predicted."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from planecast.report.figures.measured_predicted import measured_predicted
from planecast.results.validation import Validation


def test_every_point_is_there_with_both_intervals(validation: Validation) -> None:
    figure = measured_predicted(validation)
    assert figure is not None
    traces = {trace.name: trace for trace in figure.data}
    assert list(traces) == [
        "±4 %",
        "predicted = measured",
        "calibration",
        "extrapolated",
        "held out",
    ]
    held = [p for p in validation.points if p.held_out and not p.extrapolates]
    trace = traces["held out"]
    assert list(trace.x) == [p.measured.cycles_per_packet.value for p in held]
    assert list(trace.y) == [p.predicted.cycles_per_packet.value for p in held]
    for bars, estimates in (
        (trace.error_x, [p.measured.cycles_per_packet for p in held]),
        (trace.error_y, [p.predicted.cycles_per_packet for p in held]),
    ):
        assert list(bars.array) == [e.high - e.value for e in estimates if e.high]
        assert list(bars.arrayminus) == [e.value - e.low for e in estimates if e.low]
    assert len(traces["calibration"].x) == 8
    assert len(traces["extrapolated"].x) == 3


def test_roles_differ_in_shape_and_colour(validation: Validation) -> None:
    figure = measured_predicted(validation)
    assert figure is not None
    marks = [trace.marker for trace in figure.data[2:]]
    assert len({mark.symbol for mark in marks}) == 3
    assert len({mark.color for mark in marks}) == 3


def test_the_identity_and_the_band_span_the_figure(validation: Validation) -> None:
    figure = measured_predicted(validation)
    assert figure is not None
    band, identity = figure.data[:2]
    low, high = figure.layout.xaxis.range
    assert tuple(figure.layout.yaxis.range) == (low, high)
    assert list(identity.x) == list(identity.y) == [low, high]
    assert list(band.y) == pytest.approx([low * 1.04, high * 1.04, high * 0.96, low * 0.96])
    for point in validation.points:
        assert low < point.measured.cycles_per_packet.value < high


def test_no_points_no_figure(make_validation: Callable[..., Validation]) -> None:
    assert measured_predicted(make_validation(points=())) is None
