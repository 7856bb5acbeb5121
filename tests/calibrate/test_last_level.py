"""Which last level the fits' losses speak for."""

from __future__ import annotations

import math

import pytest
from planecast.calibrate.last_level import LAST_LEVEL_FACTORS, likely_last_levels

POINTS = 30


def losses(best: float, steepness: float) -> dict[float, float]:
    """By size: least at `best`, rising with the logarithm's square."""
    return {f: 5.0 + steepness * math.log(f / best) ** 2 for f in LAST_LEVEL_FACTORS}


@pytest.mark.parametrize("best", [0.5, 1.0, 2.0])
def test_points_that_tell_sizes_apart_rule(best: float) -> None:
    found = likely_last_levels({1.0: losses(best, 30.0)}, POINTS)
    assert found.factor == pytest.approx(best, rel=0.1)
    assert all(best / 2 < other < best * 2 for other in found.others)


def test_points_that_do_not_leave_the_probed_size_with_both_neighbours() -> None:
    found = likely_last_levels({1.0: losses(1.0, 0.0)}, POINTS)
    assert found.factor == pytest.approx(1.0, rel=0.15)
    assert min(found.others) < 1 < max(found.others)


def test_the_middle_moves_little_when_the_likeliest_leaps() -> None:
    flat = losses(1.0, 0.0)
    lower, upper = ({**flat, leap: 4.9} for leap in (0.7, 1.4))
    one, other = (likely_last_levels({1.0: found}, POINTS).factor for found in (lower, upper))
    assert one < other < 1.3 * one


def test_a_stream_share_with_a_better_fit_is_taken() -> None:
    found = likely_last_levels({1.0: losses(1.0, 5.0), 0.1: losses(1.0, 1.0)}, POINTS)
    assert found.stream_share == 0.1
    worse = {f: loss + 1 for f, loss in losses(1.0, 1.0).items()}
    assert likely_last_levels({1.0: losses(1.0, 5.0), 0.1: worse}, POINTS).stream_share == 1.0
