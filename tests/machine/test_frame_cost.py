"""Cost by byte: what went in comes out, nothing is below zero, and mixes cost their mean size."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from planecast.machine.frame_cost import FrameCost

cost = st.builds(FrameCost, st.floats(10, 2000), st.floats(0, 2))


@given(cost, st.lists(st.integers(64, 9000), min_size=2, max_size=6, unique=True))
def test_a_line_is_found_again(known: FrameCost, sizes: list[int]) -> None:
    found = FrameCost.fitted([(size, known.ns(size)) for size in sizes])
    for size in sizes:
        assert found.ns(size) == pytest.approx(known.ns(size), rel=1e-6)


@given(st.lists(st.tuples(st.integers(64, 9000), st.floats(1, 5000)), min_size=2, max_size=6))
def test_nothing_is_below_zero(measured: list[tuple[int, float]]) -> None:
    if len({size for size, _ in measured}) < 2:
        with pytest.raises(ValueError, match="two sizes"):
            FrameCost.fitted(measured)
        return
    found = FrameCost.fitted(measured)
    assert found.start_ns >= 0
    assert found.byte_ns >= 0
    assert found.ns(9000) >= found.ns(64)


def test_a_mix_costs_its_mean_size() -> None:
    known = FrameCost(300.0, 0.3)
    assert (known.ns(64) + known.ns(1518)) / 2 == pytest.approx(known.ns((64 + 1518) / 2))
    assert known.at(64, 500.0).ns(1518) == pytest.approx(500.0 + 0.3 * (1518 - 64))
