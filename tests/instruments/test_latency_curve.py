"""Cache levels read off latency curves whose levels are known."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from planecast.instruments.latency_curve import (
    Claim,
    crossing,
    find_steps,
    interpolate,
    memory_latency,
    monotone,
    plateau,
)

CLAIMS = [Claim("L1", 32 << 10, 8), Claim("L2", 1 << 20, 8), Claim("LLC", 32 << 20, 16)]
SIZES = np.array([2 ** (13 + i / 3) for i in range(46)])  # 8 KiB to 256 MiB

latencies = st.lists(st.floats(0.1, 1000), min_size=1, max_size=50)


def curve(l1: float, l2: float, llc: float, memory: float, llc_bytes: float) -> np.ndarray:
    """Random accesses to a set: the share of it that a level holds costs that level's latency."""

    def hit(size: float) -> np.ndarray:
        return np.minimum(1, size / SIZES) ** 2  # steeper than 1/x: a chase that cycles under LRU

    y = memory + (llc - memory) * hit(llc_bytes)
    y = y + (l2 - llc) * hit(1 << 20)
    return np.asarray(y + (l1 - l2) * hit(32 << 10))


@given(latencies)
def test_monotone_never_falls_and_keeps_the_mean(values: list[float]) -> None:
    fitted = monotone(values)
    assert np.all(np.diff(fitted) >= 0)
    assert fitted.sum() == pytest.approx(sum(values))
    assert fitted.min() >= min(values) - 1e-9
    assert fitted.max() <= max(values) + 1e-9


@given(latencies)
def test_monotone_leaves_what_rises_alone(values: list[float]) -> None:
    assert monotone(sorted(values)).tolist() == pytest.approx(sorted(values))


@given(st.floats(1, 4), st.floats(2, 4), st.floats(2, 5), st.floats(4, 12), st.floats(5, 32))
def test_levels_come_back(l1: float, r2: float, r3: float, r4: float, llc_mib: float) -> None:
    l2, llc, memory = l1 * r2, l1 * r2 * r3, l1 * r2 * r3 * r4
    steps = find_steps(SIZES, curve(l1, l2, llc, memory, llc_mib * 2**20), CLAIMS)
    assert steps[0].latency == pytest.approx(l1, rel=0.01)
    assert steps[1].latency == pytest.approx(l2, rel=0.15)
    assert llc * 0.7 <= steps[2].latency <= llc * 1.6
    # Half-way is reached at the size times the root of two, for this steepness.
    assert steps[2].size_bytes == pytest.approx(llc_mib * 2**20 * 2**0.5, rel=0.3)
    assert steps[0].size_bytes < steps[1].size_bytes < steps[2].size_bytes


@given(st.integers(0, 2**32 - 1))
def test_noise_moves_levels_little(seed: int) -> None:
    noise = np.random.default_rng(seed).uniform(1, 1.05, SIZES.size)
    y = curve(2.8, 9.9, 35, 400, 12 * 2**20)
    clean, noisy = find_steps(SIZES, y, CLAIMS), find_steps(SIZES, y * noise, CLAIMS)
    for a, b in zip(clean, noisy, strict=True):
        assert b.latency == pytest.approx(a.latency, rel=0.08)
        assert b.size_bytes == pytest.approx(a.size_bytes, rel=0.15)


@given(st.floats(0.01, 100))
def test_another_clock_scales_latencies_and_no_sizes(factor: float) -> None:
    y = curve(2.8, 9.9, 35, 400, 12 * 2**20)
    steps, scaled = find_steps(SIZES, y, CLAIMS), find_steps(SIZES, y * factor, CLAIMS)
    for a, b in zip(steps, scaled, strict=True):
        assert b.latency == pytest.approx(a.latency * factor)
        assert b.size_bytes == pytest.approx(a.size_bytes)


@given(st.floats(5, 40), st.floats(5, 40))
def test_a_larger_share_of_the_llc_is_seen_as_larger(a: float, b: float) -> None:
    small, large = sorted((a, b))
    size = [
        find_steps(SIZES, curve(2.8, 9.9, 35, 400, mib * 2**20), CLAIMS)[2].size_bytes
        for mib in (small, large)
    ]
    assert size[0] <= size[1] * 1.0001


def test_a_share_of_nothing_is_no_larger_than_the_cache_before() -> None:
    steps = find_steps(SIZES, curve(2.8, 9.9, 35, 400, 1 << 20), CLAIMS)
    assert steps[2].size_bytes < 4 << 20


def test_crossing_is_interpolated_and_stays_on_the_curve() -> None:
    sizes, y = [1.0, 4.0, 16.0], [10.0, 20.0, 20.0]
    assert crossing(sizes, y, 15.0) == pytest.approx(2.0)
    assert crossing(sizes, y, 5.0) == pytest.approx(1.0)
    assert crossing(sizes, y, 99.0) == pytest.approx(16.0)
    assert crossing(sizes, y, 20.0) == pytest.approx(4.0)


def test_points_between_sizes_are_interpolated() -> None:
    assert interpolate([1.0, 4.0], [10.0, 20.0], 2.0) == pytest.approx(15.0)
    assert interpolate([1.0, 4.0], [10.0, 20.0], 100.0) == 20.0
    assert plateau([1.0, 100.0], [10.0, 20.0], 9.0, 11.0) == pytest.approx(15.0, rel=0.01)
    assert memory_latency([1, 2, 4, 8], [1.0, 2.0, 30.0, 40.0]) == 35.0


def test_curves_that_cannot_be_read_are_refused() -> None:
    with pytest.raises(ValueError, match="four points"):
        find_steps([1, 2, 3], [1, 2, 3], CLAIMS)
    with pytest.raises(ValueError, match="rising sizes"):
        find_steps([1, 2, 2, 3], [1, 2, 3, 4], CLAIMS)
    with pytest.raises(ValueError, match="none"):
        find_steps([1, 2, 3, 4], [1, 2, 3, 4], [])
