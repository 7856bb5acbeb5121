"""Estimates: intervals, scaling, ratios."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

from planecast.results import Estimate, ratio


def measured(value: float, low: float | None = None, high: float | None = None) -> Estimate:
    return Estimate(value=value, low=low, high=high, samples=9, unit="pps", kind="measured")


def test_an_interval_has_two_ends_in_order() -> None:
    with pytest.raises(ValidationError, match="both ends or none"):
        measured(1.0, low=0.5)
    with pytest.raises(ValidationError, match="runs backwards"):
        measured(1.0, low=2.0, high=0.5)
    with pytest.raises(ValidationError, match="finite"):
        measured(float("nan"))


def test_width_and_coverage() -> None:
    known = measured(100.0, 98.0, 104.0)
    assert known.half_width_percent == pytest.approx(3.0)
    assert known.covers(98.0)
    assert not known.covers(97.9)
    assert not measured(100.0).covers(100.0)
    assert measured(100.0).half_width_percent is None


def test_scaling_keeps_what_is_known() -> None:
    scaled = measured(100.0, 98.0, 104.0).scaled(1e-6, "Mpps")
    assert scaled.unit == "Mpps"
    assert (scaled.low, scaled.samples) == (pytest.approx(98e-6), 9)
    with pytest.raises(ValueError, match="positive"):
        scaled.scaled(0.0, "pps")


def test_ratio_of_known_numbers() -> None:
    found = ratio(measured(200.0, 180.0, 220.0), measured(100.0, 100.0, 100.0))
    assert found is not None
    assert (found.value, found.low, found.high) == (2.0, pytest.approx(1.8), pytest.approx(2.2))
    assert found.kind == "computed"


def test_ratio_without_intervals_has_none() -> None:
    found = ratio(measured(2.0), measured(1.0, 0.9, 1.1))
    assert found is not None
    assert found.interval is None
    assert ratio(measured(0.0), measured(1.0)) is None


positive = st.floats(1e-3, 1e9)
widths = st.floats(0.0, 0.5)


@given(positive, widths, positive, widths)
def test_a_ratio_lies_in_its_interval_and_turns_over(
    a: float, wa: float, b: float, wb: float
) -> None:
    top = measured(a, a * (1 - wa), a * (1 + wa))
    bottom = measured(b, b * (1 - wb), b * (1 + wb))
    over, under = ratio(top, bottom), ratio(bottom, top)
    assert over is not None
    assert under is not None
    assert over.low is not None
    assert over.high is not None
    assert over.low <= over.value <= over.high
    assert under.high == pytest.approx(1 / over.low)
    # Wider than either input: nothing is gained by dividing.
    assert over.high / over.low >= (1 + wa) / (1 - wa) * (1 - 1e-9)
