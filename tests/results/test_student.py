"""The mean and the median of rounds: Student's interval, and none of too few."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import special

from planecast.results.student import half_width, mean_estimate, median_half_width, t_quantile


def test_the_interval_is_students() -> None:
    # The 97.5 % quantile of t with four degrees of freedom is 2.776 (any table).
    found = mean_estimate(np.array([1.0, 2.0, 3.0, 4.0, 5.0]), "cycles/packet", "measured")
    half = 2.776 * 2.5**0.5 / 5**0.5
    assert found.value == 3.0
    assert found.interval == pytest.approx((3 - half, 3 + half), rel=1e-3)
    assert (found.samples, found.unit, found.kind) == (5, "cycles/packet", "measured")


def test_too_few_rounds_have_no_interval() -> None:
    assert mean_estimate([1.0], "ns", "simulated").interval is None
    assert mean_estimate([1.0, 3.0], "ns", "simulated", fewest=3).interval is None
    assert half_width([1.0, 3.0]) == pytest.approx(12.706, rel=1e-4)


@pytest.mark.parametrize("count", [4, 6, 8])
def test_the_median_s_interval_has_the_truth(count: int) -> None:
    """Normal rounds around 0, alone and with one that is far below the others."""
    rounds = np.random.default_rng(3).normal(size=(2000, count))
    disturbed = rounds - 8 * (np.arange(count) == 0)
    for values, least in ((rounds, 0.92), (disturbed, 0.85)):
        inside = [abs(np.median(one)) <= median_half_width(one) for one in values]
        assert least < np.mean(inside) < 0.99
    # A round that was disturbed widens the mean's interval, and the median's less.
    of_median, of_mean = (
        np.median([half(b) / half(a) for a, b in zip(rounds, disturbed, strict=True)])
        for half in (median_half_width, half_width)
    )
    assert of_median < 1.7
    assert of_mean > 2


def test_the_quantile_is_students() -> None:
    for freedom in (1, 2, 3, 4, 9, 30, 151, 1000, 5001):
        expected = special.stdtrit(freedom, 0.975)
        assert t_quantile(freedom) == pytest.approx(expected, rel=1e-10)
