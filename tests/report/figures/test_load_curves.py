"""Loss and latency against offered load."""

from __future__ import annotations

import pytest

from planecast.report.figures.load_curves import load_curves
from planecast.results.load_curve import LoadCurve


def test_measured_and_simulated_of_loss_and_two_percentiles(load_curve: LoadCurve) -> None:
    figure = load_curves(load_curve)
    assert figure is not None
    traces = {trace.name: trace for trace in figure.data}
    assert list(traces) == [
        f"{name}, {side}" for name in ("loss", "p50", "p99") for side in ("measured", "simulated")
    ] + ["knee"]
    rates = [point.offered_pps / 1e6 for point in load_curve.loads]
    assert list(traces["p99, measured"].x) == pytest.approx(rates)
    assert list(traces["loss, simulated"].y) == pytest.approx([0, 0, 0, 0, 100 / 11])
    assert {traces[name].yaxis for name in ("p50, measured", "p99, simulated")} == {"y2"}
    assert figure.layout.yaxis2.type == "log"
    assert dict(zip(figure.layout.yaxis2.tickvals, figure.layout.yaxis2.ticktext, strict=True))[
        2000
    ] == ("2,000")


def test_marks_have_intervals_and_lines_none(load_curve: LoadCurve) -> None:
    figure = load_curves(load_curve)
    assert figure is not None
    traces = {trace.name: trace for trace in figure.data}
    measured = load_curve.loads[2].measured.latency_ns["p50"]
    assert measured.high is not None
    array = traces["p50, measured"].error_y.array
    assert array[2] == pytest.approx(measured.high - measured.value)
    assert traces["p50, simulated"].error_y.array is None


def test_a_line_at_each_knee(load_curve: LoadCurve) -> None:
    figure = load_curves(load_curve)
    assert figure is not None
    assert [shape.x0 for shape in figure.layout.shapes] == pytest.approx([5.88, 6.0])
    without = load_curve.model_copy(update={"measured_knee": None, "simulated_knee": None})
    bare = load_curves(without)
    assert bare is not None
    assert not bare.layout.shapes
    assert "knee" not in {trace.name for trace in bare.data}


def test_no_loads_no_figure(load_curve: LoadCurve) -> None:
    assert load_curves(load_curve.model_copy(update={"loads": ()})) is None
