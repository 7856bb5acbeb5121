"""Scores of predictions, against cases that can be worked out."""

from __future__ import annotations

import math

import numpy as np
import pytest

from planecast.results.estimate import Estimate
from planecast.results.scores import is_inside, noise_floor_percent, scores


def estimate(value: float, relative: float) -> Estimate:
    factor = math.exp(1.959964 * relative)
    return Estimate(
        value=value, low=value / factor, high=value * factor, unit="cycles/packet", kind="measured"
    )


def test_the_floor_is_the_mean_error_of_a_perfect_model() -> None:
    random = np.random.default_rng(1)
    errors = np.abs(random.normal(0, 0.03, 200_000))
    assert noise_floor_percent(estimate(100, 0.03)) == pytest.approx(100 * errors.mean(), rel=0.01)


def test_a_perfect_model_with_honest_intervals_is_covered() -> None:
    random = np.random.default_rng(2)
    pairs = []
    for _ in range(4000):
        truth = 100.0
        measured = truth * math.exp(random.normal(0, 0.02))
        predicted = truth * math.exp(random.normal(0, 0.04))
        pairs.append((estimate(measured, 0.02), estimate(predicted, 0.04)))
    found = scores(pairs, [estimate(100, 0.01)])
    assert found.coverage == pytest.approx(95, abs=1.2)
    assert found.noise_floor == pytest.approx(1.6, abs=0.05)


def test_width_costs_and_so_does_a_miss() -> None:
    measured = estimate(100, 0.001)
    narrow, wide, off = estimate(101, 0.01), estimate(101, 0.2), estimate(130, 0.01)
    known = [estimate(90, 0.01)]
    found = [scores([(measured, one)], known).interval_score for one in (narrow, wide, off)]
    assert found[0] < found[1] < found[2]
    assert is_inside(measured, narrow)
    assert not is_inside(measured, off)


def test_no_skill_is_the_geometric_mean() -> None:
    pairs = [(estimate(100, 0.01), estimate(100, 0.01))]
    assert scores(pairs, [estimate(50, 0.01), estimate(200, 0.01)]).baseline_error == pytest.approx(
        0.0, abs=1e-9
    )
    with pytest.raises(ValueError, match="held out"):
        scores([], [])
