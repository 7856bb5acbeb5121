"""Canaries: the low mode and what it makes of measurements."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from planecast.instruments.canary import (
    lines,
    low_mode,
    settled,
    settled_floor,
    undisturbed,
)

seeds = st.integers(0, 2**32 - 1)


def quiet(rng: np.random.Generator, n: int, level: float = 2.29) -> np.ndarray:
    """Canaries of an undisturbed core: one level, 0.1 % around it."""
    return level * (1 + rng.uniform(-0.001, 0.001, n))


@given(seeds, st.floats(1e-6, 1e6), st.integers(3, 200), st.integers(0, 200))
def test_scaling_the_unit_scales_the_mode(seed: int, factor: float, n: int, slow: int) -> None:
    rng = np.random.default_rng(seed)
    values = np.concatenate([quiet(rng, n), 2.29 * rng.uniform(1.2, 9, slow)])
    assert low_mode(values * factor) == pytest.approx(low_mode(values) * factor, rel=2e-3)


@given(seeds, st.integers(20, 200), st.floats(0, 9))
def test_slow_samples_do_not_move_the_mode(seed: int, n: int, times: float) -> None:
    rng = np.random.default_rng(seed)
    values = quiet(rng, n)
    slow = 2.29 * rng.uniform(1.2, 20, int(times * n))
    assert low_mode(np.concatenate([values, slow])) == pytest.approx(low_mode(values), rel=0.002)


def test_a_few_lucky_readings_are_no_mode() -> None:
    rng = np.random.default_rng(1)
    values = np.concatenate([[1.5, 1.51], quiet(rng, 500), 3.3 * np.ones(500)])
    assert low_mode(values) == pytest.approx(2.29, rel=0.002)


def test_the_mode_of_scattered_samples_is_near_the_lowest() -> None:
    values = np.geomspace(1, 100, 40)
    assert 1 <= low_mode(values) < 1.2


@given(seeds, st.floats(0.001, 0.2), st.floats(0.001, 0.2))
def test_a_wider_tolerance_keeps_what_a_narrower_one_kept(seed: int, a: float, b: float) -> None:
    rng = np.random.default_rng(seed)
    values = 2.29 * rng.uniform(0.9, 1.3, (50, 2))
    narrow, wide = sorted((a, b))
    kept = undisturbed(values, tolerance=narrow)
    assert not np.any(kept & ~undisturbed(values, tolerance=wide))


def test_both_canaries_have_to_be_undisturbed() -> None:
    rows = [[2.29, 2.29], [2.29, 3.4], [3.4, 2.29], [2.30, 2.28], [2.0, 2.29]]
    assert undisturbed(rows, mode=2.29).tolist() == [True, False, False, True, False]


def test_settled_canaries_agree_at_any_clock() -> None:
    known = lines([[at, at] for at in (2.37, 2.575, 2.8, 3.4) for _ in range(9)])
    assert known.floor == 2.37
    assert len(known.ends) == 3
    rows = [[2.37, 2.37], [2.574, 2.577], [2.8, 2.8], [2.37, 2.57], [2.5, 3.3], [3.4, 3.4]]
    assert settled(rows, known).tolist() == [True, True, True, False, False, False]


def test_readings_that_only_agree_are_in_no_line() -> None:
    """A sibling that is busy all the time lets two canaries in a row agree, at any reading."""
    rng = np.random.default_rng(1)
    at = rng.uniform(2.32, 2.7, 200)
    disturbed = np.stack([at, at * (1 + rng.uniform(-0.005, 0.005, 200))], axis=1)
    calm = np.stack([quiet(rng, 60), quiet(rng, 60)], axis=1)
    found = settled(np.concatenate([disturbed, calm]))
    assert found[200:].all()
    assert found[:200].mean() < 0.1


def test_without_a_line_canaries_count_that_agree() -> None:
    assert settled([[2.37, 2.38], [2.5, 2.7]]).tolist() == [True, False]
    assert len(lines([[2.37, 2.38], [2.5, 2.7]]).ends) == 0


@given(seeds, st.integers(20, 100), st.integers(0, 50))
def test_a_busy_sibling_does_not_lift_the_floor(seed: int, n: int, times: int) -> None:
    rng = np.random.default_rng(seed)
    clocks = np.resize([2.37, 2.47, 2.57, 2.69], n)
    calm = np.stack([clocks, clocks], axis=1)
    busy = rng.uniform(3.0, 4.5, (times * n, 2))
    rows = np.concatenate([calm, busy])
    agreeing = np.abs(busy[:, 0] / busy[:, 1] - 1) < 0.01
    # As long as they are a fiftieth of the canaries that agree.
    if n // 4 > 0.03 * (n + agreeing.sum()):
        assert settled_floor(rows) < 2.7
        assert settled(rows)[:n].all()


@pytest.mark.parametrize("bad", [[], [1.0, 0.0], [1.0, -1.0], [float("nan")], [float("inf")]])
def test_what_is_no_cost_is_refused(bad: list[float]) -> None:
    with pytest.raises(ValueError, match="canar"):
        low_mode(bad)


def test_a_mask_needs_a_row_a_measurement() -> None:
    with pytest.raises(ValueError, match="row a measurement"):
        undisturbed([1.0, 1.0])
    with pytest.raises(ValueError, match="row a measurement"):
        settled([1.0, 1.0])
