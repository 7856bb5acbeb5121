"""Validation: errors and coverage over held-out points."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from planecast.results import Result
from planecast.results.validation import Validation, ValidationPoint

MakeResult = Callable[..., Result]


def point(make: MakeResult, measured: float, predicted: float, held_out: bool) -> ValidationPoint:
    return ValidationPoint.of(
        {"traffic.flows": 8},
        make(measured),
        make(predicted, kind="computed", percent=3.0),
        held_out=held_out,
        extrapolates=False,
        reproduce="planecast measure",
    )


def test_only_held_out_points_count(make_result: MakeResult) -> None:
    points = [
        point(make_result, 100.0, 150.0, held_out=False),
        point(make_result, 100.0, 102.0, held_out=True),
        point(make_result, 100.0, 94.0, held_out=True),
    ]
    found = Validation.of("s", points, {}, points[0].measured.manifest)
    assert [p.error_percent for p in found.points] == pytest.approx([50.0, 2.0, -6.0])
    assert [p.inside for p in found.points] == [False, True, False]
    assert found.mean_error_percent == pytest.approx(4.0)
    assert found.max_error_percent == pytest.approx(6.0)
    assert found.coverage_percent == 50.0
    assert found.points[0].label == "flows=8"


def test_with_nothing_held_out_there_is_no_error_to_state(make_result: MakeResult) -> None:
    one = point(make_result, 100.0, 102.0, held_out=False)
    with pytest.raises(ValueError, match="no point is held out"):
        Validation.of("s", [one], {}, one.measured.manifest)
