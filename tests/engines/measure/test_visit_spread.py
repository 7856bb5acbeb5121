"""Visits by how much they differ."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from planecast.engines.measure.visit_spread import LEAST, MOST, Floats, VisitSpread


def spread_of(*visits: list[float]) -> VisitSpread:
    """Of points whose visits cost that, one window each on one CPU."""
    spread = VisitSpread(len(visits))
    for point, costs in enumerate(visits):
        for cost in costs:
            spread.add(point, [np.array([cost])])
    return spread


def shares_of(*visits: list[float]) -> Floats:
    return spread_of(*visits).shares()


def test_alike_until_visits_are_known_to_differ() -> None:
    assert shares_of([], [], []) == pytest.approx(1.0)
    assert shares_of([100.0, 130.0], [7.0], [8.0]) == pytest.approx(1.0)
    assert shares_of([5.0] * 9, [7.0] * 9) == pytest.approx(1.0)  # a simulated clock


def test_the_more_visits_differ_the_more_of_them() -> None:
    steady, usual, wide = [100.0, 100.2] * 5, [50.0, 51.5] * 5, [200.0, 280.0] * 5
    shares = shares_of(steady, usual, usual, wide)
    assert shares.mean() == pytest.approx(1.0)
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
        disturbed = np.array([10.0, 10.0, 10.0, 10.0 + 5 * late])
        spread.add(0, [disturbed])
        spread.add(1, [np.full(4, 10.0 + late)])
    spread.add(0, [np.array([])])
    assert spread.shares()[0] < spread.shares()[1]


def test_cpus_that_cost_differently_are_no_spread() -> None:
    """Of a visit that only one of them found quiet nothing is known."""
    spread = VisitSpread(2)
    for visit in range(8):
        one, other = np.array([10.0]), np.array([30.0]) if visit % 2 else np.array([])
        spread.add(0, [one, other])
        spread.add(0, [one, np.array([30.0])])
        spread.add(1, [np.array([20.0 + visit])])
    assert spread.shares()[0] < 0.75
    assert spread.shares()[1] > 1.25


def test_levels_of_process_instances_are_no_spread_of_visits() -> None:
    """More visits say no more of them."""
    spread = VisitSpread(3)
    for level in (1.0, 2.0, 1.5):
        spread.restarted()
        for visit in range(6):
            spread.add(0, [np.array([100.0 * level + visit % 2])])
            spread.add(1, [np.array([100.0 + visit % 2])])
            spread.add(2, [np.array([100.0 + 30 * (visit % 2)])])
    first, second, wide = spread.shares()
    assert first == pytest.approx(second, rel=0.3)
    assert wide > 2 * first


@given(st.lists(st.lists(st.floats(1.0, 1000.0), max_size=12), min_size=1, max_size=30))
def test_as_many_visits_in_all(visits: list[list[float]]) -> None:
    shares = shares_of(*visits)
    assert shares.mean() == pytest.approx(1.0, rel=1e-3)
    assert shares.min() >= LEAST
    assert shares.max() <= MOST
