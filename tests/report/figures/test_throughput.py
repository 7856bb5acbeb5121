"""Throughput by scenario."""

from __future__ import annotations

import pytest

from planecast.report.figures.throughput import throughput
from planecast.results import Result


def test_a_bar_a_result_in_mpps_with_its_interval(results: list[Result]) -> None:
    figure = throughput(["a", "b", "c", "d", "e"], results)
    assert figure is not None
    (trace,) = figure.data
    rates = [result.throughput_pps for result in results]
    assert list(trace.x) == pytest.approx([rate.value / 1e6 for rate in rates])
    highs = [(rate.high - rate.value) / 1e6 for rate in rates if rate.high]
    assert list(trace.error_x.array) == pytest.approx(highs)
    assert figure.layout.xaxis.title.text == "Mpps, measured"


def test_one_bar_says_nothing(results: list[Result]) -> None:
    assert throughput(["a"], results[:1]) is None
    assert throughput([], []) is None
