"""How many pages a TLB holds: between the last chase without walks and the first one with them."""

from __future__ import annotations

import numpy as np
import pytest

from planecast.instruments.machine_probe import Translation
from planecast.machine.cache_sharing import hit_shares
from planecast.machine.tlb_reach import SHAPE, reach


def translation(beyond: tuple[int, float] | None) -> Translation:
    return Translation(1024.0, 10.0, 2.0, 30.0, 5.0, beyond)


@pytest.mark.parametrize("pages", [1300.0, 1536.0, 1800.0, 2000.0])
def test_a_tlb_s_pages_are_found_from_the_share_of_touches_that_it_misses(pages: float) -> None:
    lines = np.array([[2048.0]])
    kept = hit_shares(np.array([True]), lines, np.ones_like(lines), np.array([pages]), shape=SHAPE)
    found = reach(translation((2048, 1.0 - float(kept[0, 0]))))
    assert found == pytest.approx(pages, rel=0.02)


def test_it_is_no_smaller_than_a_chase_without_walks_and_no_larger_than_one_with_some() -> None:
    assert reach(translation(None)) == 1024.0
    assert reach(translation((2048, 1.0))) == pytest.approx(1024.0)
    assert reach(translation((2048, 0.0))) == pytest.approx(2048.0)
    shares = np.linspace(0.0, 1.0, 21)
    assert np.all(np.diff([reach(translation((2048, share))) for share in shares]) <= 0)
