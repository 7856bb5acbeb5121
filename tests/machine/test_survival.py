"""A lifetime that is known comes back from what paced walks would see of it."""

from __future__ import annotations

import numpy as np
import pytest

from planecast.cache_line import LINE_BYTES
from planecast.instruments.host_state import StreamedSurvival, SurvivalPoint
from planecast.machine.cache_sharing import hit_shares
from planecast.machine.survival import (
    SHARE_MEDIAN,
    SHARE_SPREAD,
    Lifetime,
    fitted_lifetime,
    fitted_stream_share,
)

SIZE, PRIVATE = 32 << 20, 1 << 20
CLOCK = 2.6e9


def walks(
    lifetime_ms: float, shape: float = 1.0, streamed_per_second: float = 0.0
) -> list[SurvivalPoint]:
    """At three paces, over 1 to 64 MiB, next to a stream that brings in so many lines."""
    whole = SIZE / LINE_BYTES
    found = []
    for size in (1, 4, 8, 16, 32, 64):
        for pace in (30.0, 60.0, 100.0):
            lines = (size << 20) / LINE_BYTES
            lap = lines * pace / CLOCK
            served = hit_shares(
                np.array([True]),
                np.array([[lines]]),
                np.array([[lines]]),
                np.array([whole]),
                shape=shape,
                inserted=np.array([(whole / (lifetime_ms * 1e-3) + streamed_per_second) * lap]),
            )
            found.append(
                SurvivalPoint(
                    working_set_bytes=size << 20,
                    cycles_per_line=pace,
                    lap_seconds=lap,
                    survived=float(max(served[0, 0], min(1.0, PRIVATE / (size << 20)))),
                    cycles=100.0,
                )
            )
    return found


@pytest.mark.parametrize("shape", [1.0, 3.0, 8.0])
@pytest.mark.parametrize("lifetime_ms", [2.0, 8.0, 40.0])
def test_it_comes_back(lifetime_ms: float, shape: float) -> None:
    found = fitted_lifetime(walks(lifetime_ms, shape), SIZE, PRIVATE)
    assert found is not None
    assert found.lifetime_ms == pytest.approx(lifetime_ms, rel=0.1)
    assert found.shape == shape


def test_few_lines_that_are_gone_early_say_that_lifetimes_are_random() -> None:
    """At a tenth of the lifetime random eviction has taken a tenth, a regular one nothing."""
    regular, random = (fitted_lifetime(walks(8.0, shape), SIZE, PRIVATE) for shape in (4.0, 1.0))
    assert regular is not None
    assert random is not None
    assert regular.shape > random.shape


def test_walks_within_private_caches_say_nothing() -> None:
    assert fitted_lifetime(walks(8.0)[:3], SIZE, PRIVATE) is None


def share_of(lifetime_ms: float, share: float, rate: float) -> tuple[float, float]:
    """Of a stream of so many lines a second, as walks next to it find it."""
    points = tuple(walks(lifetime_ms, 3.0, share * rate))
    streamed = [StreamedSurvival(lines_per_second=rate, survival=points)]
    return fitted_stream_share(streamed, Lifetime(lifetime_ms, 3.0), SIZE, PRIVATE)


@pytest.mark.parametrize("share", [0.15, 0.5, 1.0])
def test_how_much_room_a_stream_takes_comes_back(share: float) -> None:
    """20 GB/s, which go through this cache in 1.7 ms."""
    found, spread = share_of(15.0, share, 20e9 / LINE_BYTES)
    assert found == pytest.approx(share, rel=0.1)
    assert spread < 0.15


def test_a_stream_that_others_hide_says_little() -> None:
    """Others take the whole cache in 2 ms, a stream of 1 GB/s would take it in 34."""
    found, spread = share_of(2.0, 0.2, 1e9 / LINE_BYTES)
    assert 0.2 < found < SHARE_MEDIAN * 1.1
    assert spread > SHARE_SPREAD / 2


def test_walks_that_no_share_explains_leave_the_prior_wide() -> None:
    """None of the lines survives next to a slow stream: others were busier in that time."""
    gone = tuple(one.model_copy(update={"survived": 0.0}) for one in walks(15.0))
    slow = [StreamedSurvival(lines_per_second=1e6, survival=gone)]
    _, spread = fitted_stream_share(slow, Lifetime(15.0, 3.0), SIZE, PRIVATE)
    assert spread > SHARE_SPREAD / 2


def test_without_walks_next_to_a_stream_the_prior_counts() -> None:
    none = fitted_stream_share([], Lifetime(8.0, 3.0), SIZE, PRIVATE)
    assert none == (SHARE_MEDIAN, SHARE_SPREAD)
