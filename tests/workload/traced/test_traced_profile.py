"""Traced profiles: misses of a cache of any size, sums, and JSON."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from planecast.workload.traced.profile import (
    DistanceBin,
    TouchHistogram,
    TracedProfile,
    TracedStage,
    summed,
)


def histogram(*bins: tuple[int, int, float], cold: float = 0.0) -> TouchHistogram:
    return TouchHistogram(
        references_per_packet=3.0,
        bins=tuple(DistanceBin(*found) for found in bins),
        cold_per_packet=cold,
    )


NEAR_AND_FAR = histogram((0, 1, 2.0), (64, 72, 0.8), cold=0.2)


@pytest.mark.parametrize(
    ("lines", "misses"),
    [(0, 3.0), (1, 1.0), (64, 1.0), (66, 0.8), (72, 0.2), (1 << 30, 0.2)],
)
def test_what_a_cache_of_some_lines_misses(lines: int, misses: float) -> None:
    assert NEAR_AND_FAR.misses(lines) == pytest.approx(misses)


def test_no_touches_no_misses() -> None:
    assert histogram().misses(0) == 0.0


@given(
    st.lists(
        st.tuples(st.integers(0, 50), st.integers(1, 9), st.floats(0, 5)), min_size=1, max_size=6
    ),
    st.lists(st.integers(0, 70), min_size=2, max_size=2),
)
def test_a_larger_cache_never_misses_more(
    bins: list[tuple[int, int, float]], sizes: list[int]
) -> None:
    found = histogram(*((start, start + width, touches) for start, width, touches in bins))
    assert found.misses(max(sizes)) <= found.misses(min(sizes)) + 1e-9
    assert found.misses(0) == pytest.approx(found.touches_per_packet)


def stage(instructions: float, loads: TouchHistogram, stores: TouchHistogram) -> TracedStage:
    return TracedStage(
        instructions_per_packet=instructions, prefetches_per_packet=1.0, loads=loads, stores=stores
    )


def test_stages_add_up_and_survive_json() -> None:
    profile = TracedProfile(
        program="made up",
        tracer="this test",
        instruction_set="any",
        packets=1,
        burst=32,
        lines=2,
        stages={
            "rx": stage(10.0, NEAR_AND_FAR, histogram((0, 1, 1.0))),
            "other": stage(5.0, histogram((0, 1, 1.0)), histogram(cold=0.5)),
        },
    )
    total = profile.total
    assert total == summed(profile.stages.values())
    assert total.instructions_per_packet == 15.0
    assert total.touches.references_per_packet == 12.0
    assert total.touches.bins[0] == DistanceBin(0, 1, 4.0)
    for lines in (0, 1, 65, 100):
        assert sum(profile.misses(lines).values()) == pytest.approx(total.touches.misses(lines))
    assert TracedProfile.model_validate_json(profile.model_dump_json()) == profile
