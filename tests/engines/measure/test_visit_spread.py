"""Visits by how much they differ."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from planecast.engines.measure.visit_spread import LEAST, MOST, VisitSpread


def shares_of(*visits: list[float]) -> np.ndarray:
    """Shares of points whose visits cost that, one window each."""
    spread = VisitSpread(len(visits))
    for point, costs in enumerate(visits):
        for cost in costs:
            spread.add(point, [cost])
    return spread.shares()


def test_alike_until_visits_are_known_to_differ() -> None:
    assert shares_of([], [], []) == pytest.approx(1.0)
    assert shares_of([100.0, 130.0], [7.0], [8.0]) == pytest.approx(1.0)
    assert shares_of([5.0] * 9, [7.0] * 9) == pytest.approx(1.0)  # a simulated clock


def test_the_more_visits_differ_the_more_of_them() -> None:
    steady, usual, wide = [100.0, 100.2] * 5, [50.0, 51.5] * 5, [200.0, 280.0] * 5
    shares = shares_of(steady, usual, usual, wide)
    assert shares[0] < shares[1] == shares[2] < shares[3]
    assert shares[0] >= LEAST
    assert shares[3] <= MOST


def test_by_the_power_two_thirds_where_much_is_known() -> None:
    narrow, wide = [100.0, 102.0] * 500, [100.0, 116.0] * 500
    shares = shares_of(narrow, narrow, wide, wide)
    assert shares[2] / shares[0] == pytest.approx(
        (np.log(1.16) / np.log(1.02)) ** (2 / 3), rel=0.05
    )


def test_one_that_was_not_seen_gets_the_usual_share() -> None:
    usual, wide = [50.0, 51.5] * 5, [200.0, 280.0] * 5
    unseen, *rest = shares_of([], usual, usual, wide)
    assert unseen == pytest.approx(rest[0])


def test_a_visit_counts_by_its_lower_quartile() -> None:
    spread = VisitSpread(2)
    for late in range(6):
        spread.add(0, [10.0, 10.0, 10.0, 10.0 + 5 * late])  # a window that was disturbed
        spread.add(1, [10.0 + late] * 4)
    spread.add(0, [])
    assert spread.shares()[0] < spread.shares()[1]


@given(
    st.lists(st.lists(st.floats(1.0, 1000.0), min_size=4, max_size=12), min_size=2, max_size=6),
    st.floats(0.01, 100.0),
)
def test_what_a_point_costs_does_not_matter(visits: list[list[float]], scale: float) -> None:
    before = shares_of(*visits)
    after = shares_of(*[[cost * scale for cost in costs] for costs in visits])
    assert after == pytest.approx(before, rel=1e-6, abs=1e-6)
    assert (before >= LEAST).all()
    assert (before <= MOST).all()
