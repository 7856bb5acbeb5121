"""A quantile of samples that come in turns."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from planecast.instruments.quantiles import turn_quantile, turn_quantile_ratio

values = st.lists(st.floats(1, 1e6), min_size=1, max_size=60)


@given(values)
def test_the_value_lies_in_its_interval(sample: list[float]) -> None:
    value, low, high = turn_quantile(sample, np.arange(len(sample)) // 5, resamples=40)
    assert min(sample) <= low <= value <= high <= max(sample)


def test_turns_that_differ_widen_the_interval() -> None:
    rng = np.random.default_rng(3)
    turns = np.repeat(np.arange(8), 24)
    noise = rng.normal(0, 0.1, turns.size)
    level = rng.normal(100, 5, 8)[turns]
    _, low, high = turn_quantile(level + noise, turns)
    _, low_alone, high_alone = turn_quantile(level + noise, np.arange(turns.size))
    assert high - low > 1.5 * (high_alone - low_alone)


def test_the_same_seed_gives_the_same_interval() -> None:
    sample = np.random.default_rng(1).normal(10, 1, 100)
    turns = np.arange(100) // 10
    assert turn_quantile(sample, turns) == turn_quantile(sample, turns)


def test_no_values_have_no_quantile() -> None:
    with pytest.raises(ValueError, match="no values"):
        turn_quantile([], [])


def test_ratio_of_what_shared_its_turns_is_narrower() -> None:
    random = np.random.default_rng(7)
    states = 1 + random.exponential(0.3, 60)  # a slow turn is slow for both
    turns = np.repeat(np.arange(60), 16)
    top = 2.0 * states[turns] * (1 + 0.01 * random.random(turns.size))
    bottom = states[turns] * (1 + 0.01 * random.random(turns.size))
    value, low, high = turn_quantile_ratio(top, turns, bottom, turns)
    assert low <= 2.0 <= high
    assert value == pytest.approx(2.0, rel=0.02)
    alone, least, most = turn_quantile(top, turns)
    assert (high - low) / value < (most - least) / alone / 2


def test_ratio_leaves_out_turns_of_one_side_alone() -> None:
    value, low, high = turn_quantile_ratio([2, 2, 100], [0, 0, 1], [1, 1, 9], [0, 0, 2])
    assert (value, low, high) == (2.0, 2.0, 2.0)


@pytest.mark.parametrize("bottom", [([], []), ([1.0], [5])])
def test_ratio_of_nothing_in_common_is_refused(bottom: tuple[list[float], list[int]]) -> None:
    with pytest.raises(ValueError, match=r"no values|same turn"):
        turn_quantile_ratio([1.0], [0], *bottom)
