"""Cards that write into the cache: random places in sets leave some out long before it is full."""

from __future__ import annotations

import math
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from planecast.machine.ddio import Buffers, DeviceWays, kept_of, pressure, spill
from planecast.scenario.machine import machine_of

SETS = 1 << 14


def simulated(lines: int, sets: int, ways: int, waiting: float) -> tuple[float, float]:
    """(kept, missed) of lines at random places in sets, replaced at random, over late turns."""
    draw = np.random.default_rng(1)
    home = draw.integers(sets, size=lines).tolist()
    held = [[-1] * ways for _ in range(sets)]
    victims = draw.integers(ways, size=16 * lines).tolist()
    behind, kept, missed, counted = int(waiting * lines), 0, 0, 0
    for turn in range(16 * lines):
        line, late = turn % lines, turn >= 8 * lines
        places = held[home[line]]
        counted += late
        if line in places:
            kept += late
        else:
            empty = -1 in places
            places[places.index(-1) if empty else victims[turn]] = line
        before = (line - behind) % lines
        missed += late and before not in held[home[before]]
    return kept / counted, missed / counted


@pytest.mark.parametrize(("ways", "mean"), [(2, 0.5), (2, 1.5), (4, 2.0), (4, 5.0), (8, 12.0)])
def test_shares_are_those_of_a_simulated_cache(ways: int, mean: float) -> None:
    sets, lines = 400, int(400 * mean)
    kept, missed = simulated(lines, sets, ways, 0.5)
    # A descriptor of a quarter of a line goes with each frame of one.
    found = spill(Buffers(round(lines / 1.25), 64), DeviceWays(sets, ways))
    assert found.kept == pytest.approx(kept, abs=0.035)
    assert found.missed == pytest.approx(missed, abs=0.035)
    assert found.kept < 1


@pytest.mark.parametrize("ways", [2, 3, 5, 11])
def test_one_line_too_many_is_the_exact_share(ways: int) -> None:
    # One is out at a time; each miss pushes out one of the w others at random, on average
    # (w + 1) / 2 turns ahead, so 2 / (w + 1) of all are missed.
    kept = float(kept_of(pressure(np.array([ways + 1.0]), ways))[0])
    assert 1 - kept == pytest.approx(2 / (ways + 1), rel=0.06)


def test_misses_fall_with_ways_by_orders_of_magnitude_and_are_never_none() -> None:
    # Buffers of half of the sets' lines: as fully associative, none would be missed at 2 ways.
    missed = [1 - spill(Buffers(8192, 64), DeviceWays(SETS, ways)).kept for ways in range(1, 8)]
    assert all(more > less > 0 for more, less in pairwise(missed))
    assert missed[1] > 0.05
    assert missed[1] / missed[6] > 1e3


def test_ways_are_the_machines() -> None:
    ways = DeviceWays.of(machine_of("gold-6152"))
    assert ways.bytes == pytest.approx(machine_of("gold-6152").way_bytes * ways.ways, rel=1e-4)
    few, many = (spill(Buffers(count, 1518), ways) for count in (256, 4096))
    assert many.memory_bytes > 10 * few.memory_bytes > 0


count = st.integers(1, 200_000)
frame = st.floats(64, 9000)
ways_of = st.integers(0, 12)


@given(count, count, frame, ways_of)
def test_more_buffers_never_help(one: int, other: int, frame: float, ways: int) -> None:
    few, many = sorted((one, other))
    cache = DeviceWays(SETS, ways)
    a, b = spill(Buffers(few, frame), cache), spill(Buffers(many, frame), cache)
    assert a.memory_bytes <= b.memory_bytes * (1 + 1e-6) + 1e-6
    assert b.kept <= a.kept + 1e-9
    assert a.missed <= b.missed + 1e-9


@given(count, frame, frame, ways_of)
def test_larger_frames_never_help(count: int, one: float, other: float, ways: int) -> None:
    small, large = sorted((one, other))
    cache = DeviceWays(SETS, ways)
    a, b = spill(Buffers(count, small), cache), spill(Buffers(count, large), cache)
    assert a.memory_bytes <= b.memory_bytes * (1 + 1e-6) + 1e-6


@given(count, frame, ways_of, ways_of)
def test_more_ways_never_harm(count: int, frame: float, one: int, other: int) -> None:
    few, many = sorted((one, other))
    a = spill(Buffers(count, frame), DeviceWays(SETS, few))
    b = spill(Buffers(count, frame), DeviceWays(SETS, many))
    assert b.memory_bytes <= a.memory_bytes * (1 + 1e-6) + 1e-6


@given(count, frame, ways_of, st.floats(0, 1), st.floats(0, 1))
def test_waiting_longer_never_helps(
    count: int, frame: float, ways: int, one: float, other: float
) -> None:
    short, long = sorted((one, other))
    a = spill(Buffers(count, frame, waiting=short), DeviceWays(SETS, ways))
    b = spill(Buffers(count, frame, waiting=long), DeviceWays(SETS, ways))
    assert a.missed <= b.missed + 1e-9
    assert 0 <= a.kept <= 1
    assert math.isfinite(b.memory_bytes)


def test_impossible_buffers_are_refused() -> None:
    for wrong in (Buffers(0, 64), Buffers(1, 0), Buffers(1, 64, waiting=2)):
        with pytest.raises(ValueError, match="buffers of"):
            spill(wrong, DeviceWays(SETS, 2))
