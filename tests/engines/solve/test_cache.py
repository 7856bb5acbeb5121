"""Hit shares: laws that any cache obeys, and cases that can be worked out by hand."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from planecast.engines.solve.cache import hit_shares
from planecast.engines.solve.regions import Region

ONE = np.ones(1)


def region(lines: float, touches: float, *, cyclic: bool = False) -> Region:
    return Region("s", "r", cyclic, lines * ONE, touches * ONE, ONE, lines * ONE)


REGIONS = st.lists(
    st.builds(
        region,
        st.floats(1, 1e6),
        st.floats(0.01, 10),
        cyclic=st.booleans(),
    ),
    min_size=1,
    max_size=6,
)


def shares(regions: list[Region], capacity: float) -> list[float]:
    return [float(s[0]) for s in hit_shares(regions, capacity * ONE, ONE, shared=False)]


def test_what_fits_is_always_there() -> None:
    assert shares([region(100, 1), region(50, 3, cyclic=True)], 150) == [1.0, 1.0]


def test_one_uniform_region_is_there_as_far_as_it_fits() -> None:
    # All lines are alike, so the cache holds capacity of them and that share of touches hits.
    assert shares([region(1000, 1)], 250) == pytest.approx([0.25], rel=1e-6)


def test_a_cycle_twice_the_cache_hardly_ever_hits() -> None:
    assert shares([region(1000, 1, cyclic=True)], 500)[0] < 0.1


def test_a_hot_cycle_keeps_its_place_beside_a_cold_region() -> None:
    hot, cold = shares([region(1000, 2, cyclic=True), region(1_000_000, 1)], 20_000)
    assert hot > 0.99
    assert cold < 0.05


@given(REGIONS, st.floats(1, 1e6), st.floats(1.01, 10))
@settings(max_examples=150, deadline=None)
def test_a_larger_cache_never_serves_less(
    regions: list[Region], capacity: float, factor: float
) -> None:
    small, large = shares(regions, capacity), shares(regions, capacity * factor)
    assert all(b >= a - 1e-6 for a, b in zip(small, large, strict=True))


@given(REGIONS, st.floats(1, 1e6))
@settings(max_examples=150, deadline=None)
def test_shares_are_shares(regions: list[Region], capacity: float) -> None:
    assert all(0 <= share <= 1 for share in shares(regions, capacity))


def test_lcores_that_share_a_cache_have_less_of_it_each() -> None:
    own = Region("s", "r", False, 1000 * ONE, ONE, ONE, 2000 * ONE)
    alone = hit_shares([region(1000, 1)], 600 * ONE, ONE, shared=True)[0][0]
    together = hit_shares([own], 600 * ONE, 2 * ONE, shared=True)[0][0]
    assert together == pytest.approx(alone / 2, rel=1e-6)


def test_a_stride_that_conflicts_is_never_served_and_takes_no_room() -> None:
    """Every 64th line reaches a 64th of a private cache's sets; a shared one hashes addresses."""
    strided = Region("s", "strided", True, 1000 * ONE, ONE, ONE, 1000 * ONE, 64 * ONE)
    plain = region(lines=1500, touches=1, cyclic=True)
    alone = hit_shares([plain], 2000 * ONE, ONE, shared=False)[0]
    own, other = hit_shares([strided, plain], 2000 * ONE, ONE, shared=False)
    assert own == pytest.approx(0)
    assert other == pytest.approx(alone)
    assert hit_shares([strided], 2000 * ONE, ONE, shared=True)[0] == pytest.approx(1)
    # Few enough for the sets that they reach.
    few = Region("s", "few", True, 30 * ONE, ONE, ONE, 30 * ONE, 64 * ONE)
    assert hit_shares([few], 2000 * ONE, ONE, shared=False)[0] == pytest.approx(1)
