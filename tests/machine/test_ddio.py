"""Cards that write into the cache: what fits stays, what doesn't spills, the more the larger."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from planecast.machine.ddio import Buffers, ddio_bytes, spill
from planecast.scenario.machine import machine_of

MIB = 1 << 20


def simulated(buffers: int, lines: int, ways_lines: int, waiting: float) -> tuple[float, float]:
    """(kept, missed) of a cache of `ways_lines` places with random replacement."""
    draw = np.random.default_rng(1)
    whole = buffers * lines
    place: dict[int, int] = {}
    held = [-1] * ways_lines
    behind = int(waiting * whole)
    kept = missed = counted = 0
    for turn in range(12 * whole):
        line = turn % whole
        late = turn >= 6 * whole
        counted += late
        if line in place:
            kept += late
        else:
            slot = int(draw.integers(ways_lines))
            place.pop(held[slot], None)
            held[slot], place[line] = line, slot
        missed += late and (line - behind) % whole not in place
    return kept / counted, missed / counted


@pytest.mark.parametrize("load", [1.25, 2.0, 4.0])
def test_shares_are_those_of_random_replacement(load: float) -> None:
    ways = 400
    buffers = int(load * ways)
    kept, missed = simulated(buffers, 1, ways, 0.5)
    found = spill(Buffers(buffers, 64), ways * 80)  # a descriptor of 16 bytes goes with each line
    assert found.kept == pytest.approx(kept, abs=0.03)
    assert found.missed == pytest.approx(missed, abs=0.03)


def test_what_fits_costs_no_memory() -> None:
    found = spill(Buffers(2048, 1518), 5 * MIB)
    assert (found.kept, found.missed, found.memory_bytes) == (1.0, 0.0, 0.0)
    assert spill(Buffers(8192, 1518), 5 * MIB).memory_bytes > 0


def test_rings_spill_when_they_exceed_the_ways() -> None:
    ways = ddio_bytes(machine_of("gold-6152"))
    edge = ways / (1536 + 16)
    assert spill(Buffers(int(edge), 1518), ways).kept == 1
    assert spill(Buffers(int(1.1 * edge), 1518), ways).kept < 1


count = st.integers(1, 200_000)
frame = st.floats(64, 9000)
size = st.floats(0, 64 * MIB)


@given(count, count, frame, size)
def test_more_buffers_never_help(one: int, other: int, frame: float, ways: float) -> None:
    few, many = sorted((one, other))
    a, b = spill(Buffers(few, frame), ways), spill(Buffers(many, frame), ways)
    assert a.memory_bytes <= b.memory_bytes * (1 + 1e-9) + 1e-9
    assert b.kept <= a.kept + 1e-9
    assert a.missed <= b.missed + 1e-9


@given(count, frame, frame, size)
def test_larger_frames_never_help(count: int, one: float, other: float, ways: float) -> None:
    small, large = sorted((one, other))
    a, b = spill(Buffers(count, small), ways), spill(Buffers(count, large), ways)
    assert a.memory_bytes <= b.memory_bytes * (1 + 1e-9) + 1e-9


@given(count, frame, size, size)
def test_more_ways_never_harm(count: int, frame: float, one: float, other: float) -> None:
    few, many = sorted((one, other))
    a, b = spill(Buffers(count, frame), few), spill(Buffers(count, frame), many)
    assert b.memory_bytes <= a.memory_bytes * (1 + 1e-9) + 1e-9


@given(count, frame, size, st.floats(0, 1), st.floats(0, 1))
def test_waiting_longer_never_helps(
    count: int, frame: float, ways: float, one: float, other: float
) -> None:
    short, long = sorted((one, other))
    a = spill(Buffers(count, frame, waiting=short), ways)
    b = spill(Buffers(count, frame, waiting=long), ways)
    assert a.missed <= b.missed + 1e-12
    assert 0 <= a.kept <= 1
    assert math.isfinite(b.memory_bytes)


def test_impossible_buffers_are_refused() -> None:
    for wrong in (Buffers(0, 64), Buffers(1, 0), Buffers(1, 64, waiting=2)):
        with pytest.raises(ValueError, match="buffers of"):
            spill(wrong, MIB)
