"""A lifetime that is known comes back from what paced walks would see of it."""

from __future__ import annotations

import numpy as np
import pytest

from planecast.cache_line import LINE_BYTES
from planecast.instruments.host_state import SurvivalPoint
from planecast.machine.cache_sharing import hit_shares
from planecast.machine.survival import fitted_lifetime

SIZE, PRIVATE = 32 << 20, 1 << 20
CLOCK = 2.6e9


def walks(lifetime_ms: float, shape: float = 1.0) -> list[SurvivalPoint]:
    """At three paces, over 1 to 64 MiB."""
    whole = SIZE / LINE_BYTES
    found = []
    for size in (1, 4, 8, 16, 32, 64):
        for pace in (30.0, 60.0, 100.0):
            lines = (size << 20) / LINE_BYTES
            lap = lines * pace / CLOCK
            served, _ = hit_shares(
                np.array([True]),
                np.array([[lines]]),
                np.array([[lines]]),
                np.array([whole]),
                shape=shape,
                inserted=np.array([whole / (lifetime_ms * 1e-3) * lap]),
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
