"""A quantile of samples that come in turns."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from planecast.instruments.quantiles import turn_quantile

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
