"""Interruptions leave cold caches behind them."""

from __future__ import annotations

import numpy as np

from planecast.engines.measure.quiet_windows import COLD_PACKETS, undisturbed_windows
from planecast.instruments.canary import lines

WINDOWS = 40
PACKETS = np.full(WINDOWS, 2048.0)
CALM = np.full((WINDOWS, 2), 2.5)
LINES = lines(CALM)
COLD = COLD_PACKETS // 2048


def test_a_calm_visit_counts_in_full() -> None:
    assert undisturbed_windows(CALM, np.full(WINDOWS, 4e5), PACKETS, LINES).all()


def test_an_interrupted_window_and_those_after_it_do_not_count() -> None:
    cycles = np.full(WINDOWS, 4e5)
    cycles[10] = 6e6
    found = undisturbed_windows(CALM, cycles, PACKETS, LINES)
    assert found.tolist() == [i < 10 or i >= 10 + COLD for i in range(WINDOWS)]


def test_an_interrupted_canary_is_followed_by_cold_caches_too() -> None:
    canaries = CALM.copy()
    canaries[10, 1] = 300.0
    found = undisturbed_windows(canaries, np.full(WINDOWS, 4e5), PACKETS, LINES)
    assert found.tolist() == [i < 10 or i >= 11 + COLD for i in range(WINDOWS)]


def test_a_window_that_is_settled_by_chance_does_not_count() -> None:
    random = np.random.default_rng(3)
    canaries = random.uniform(2.5, 3.6, (WINDOWS, 2))
    canaries[::4] = 2.5
    assert not undisturbed_windows(canaries, np.full(WINDOWS, 4e5), PACKETS, LINES).any()


def test_a_quiet_stretch_of_a_visit_counts() -> None:
    canaries = np.random.default_rng(4).uniform(2.5, 3.6, (WINDOWS, 2))
    canaries[10:30] = 2.5
    found = undisturbed_windows(canaries, np.full(WINDOWS, 4e5), PACKETS, LINES)
    assert found[12:28].all()
    assert found.sum() <= 20


def test_a_busy_sibling_is_no_interruption() -> None:
    canaries, cycles = CALM.copy(), np.full(WINDOWS, 4e5)
    canaries[10], cycles[10] = (3.4, 4.1), 7e5
    found = undisturbed_windows(canaries, cycles, PACKETS, LINES)
    assert found.tolist() == [i != 10 for i in range(WINDOWS)]
