"""The bounds after each trial, from the trials alone."""

from __future__ import annotations

import numpy as np

from planecast.report.search_convergence import Deciding, running_bounds


def _closing(trials: list[tuple[float, float]], rule: Deciding) -> list[tuple[float, float]]:
    loads, losses = (np.array(column) for column in zip(*trials, strict=True))
    lows, highs = running_bounds(loads, losses, 0.0, rule)
    return [(float(low), float(high)) for low, high in zip(lows, highs, strict=True)]


def test_bounds_close_around_the_rate() -> None:
    found = _closing([(8, 0.5), (4, 0), (6, 0.1), (5, 0)], Deciding(0.0, 1))
    assert np.isnan(found[0][0])
    assert found[0][1] == 8
    assert found[1:] == [(4, 8), (4, 6), (5, 6)]


def test_a_majority_decides_where_half_may_lose() -> None:
    trials = [(8.0, 0.5), (5.0, 0.1), (5.0, 0.0), (5.0, 0.1)]
    found = _closing(trials, Deciding(exceed=0.5, trials=1))
    assert found[2] == (5, 8)
    assert [high for _, high in found] == [8, 5, 8, 5]


def test_a_load_whose_trials_to_come_may_change_it_is_no_bound() -> None:
    # Of three trials two decide; the one loss at 5 is outweighed by what comes after.
    trials = [(8.0, 0.5), (8.0, 0.5), (5.0, 0.1), (6.0, 0.0), (6.0, 0.0), (5.0, 0.0), (5.0, 0.0)]
    found = _closing(trials, Deciding(exceed=0.5, trials=3))
    assert np.isnan(found[0]).all()
    assert [high for _, high in found[1:]] == [8] * 6
    assert [low for low, _ in found[4:]] == [6] * 3
