"""Repetitions that found another rate than the others did."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from planecast.report.outlying import outlying_repetitions
from planecast.results.search import Bounds


def bounds(*rates: float, width: float = 0.01) -> list[Bounds]:
    return [
        Bounds(repetition=number, low_pps=rate, high_pps=rate + width, trials=9)
        for number, rate in enumerate(rates)
    ]


def test_the_odd_one_is_named_with_its_distance() -> None:
    assert outlying_repetitions(bounds(5.0, 5.01, 4.5, 5.02)) == {2: pytest.approx(-10.1, abs=0.1)}


def test_of_two_nobody_knows() -> None:
    assert outlying_repetitions(bounds(5.0, 1.0)) == {}


def test_bounds_that_are_far_apart_hide_it() -> None:
    assert outlying_repetitions(bounds(5.0, 5.01, 4.5, width=1.0)) == {}


def test_the_highest_offered_load_has_no_upper_bound() -> None:
    none = [one.model_copy(update={"high_pps": None}) for one in bounds(5.0, 5.0, 4.0)]
    assert list(outlying_repetitions(none)) == [2]


@given(st.floats(1e3, 1e9), st.lists(st.floats(-0.001, 0.001), min_size=3, max_size=10))
def test_noise_within_the_least_scale_is_not_outlying(rate: float, noise: list[float]) -> None:
    assert outlying_repetitions(bounds(*(rate * (1 + one) for one in noise), width=0.0)) == {}
