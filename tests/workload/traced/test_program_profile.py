"""A program's profile: what keys change, between traced values."""

import numpy as np
import pytest
from tests.traced_programs import FLOWS, FRAME, PROFILE, counts, trace

from planecast.workload.traced.profile import DistanceBin, TouchHistogram, TracedProfile
from planecast.workload.traced.program_profile import (
    ProgramProfile,
    TracedPoint,
    What,
    far_touches,
    instructions,
    mispredictions,
    traced_more,
)

MASKS = "dataplane.masks"


def at(flows: float, frame: float = 64.0) -> dict[str, np.ndarray]:
    return {FLOWS: np.array([flows]), FRAME: np.array([frame])}


def test_stages_begin_with_the_source() -> None:
    assert PROFILE.stages == ("source", "rx", "lookup")
    assert PROFILE.keys == (FLOWS, FRAME)


@pytest.mark.parametrize(("flows", "more"), [(10, -10), (1000, 0), (10_000, 20), (1e6, 40)])
def test_instructions_follow_a_key_between_traced_values(flows: float, more: float) -> None:
    assert instructions(PROFILE, at(flows))["lookup"][0] == pytest.approx(more)


def test_a_stage_that_was_traced_has_the_trace_s_instructions() -> None:
    assert traced_more(PROFILE, "source") == 0  # no trace has it
    counted = PROFILE.counts.stages["lookup"].at(32)
    assert counted + traced_more(PROFILE, "lookup") == pytest.approx(100)


@pytest.mark.parametrize(("flows", "branches"), [(10, 0.45), (1000, 0.5), (10_000, 0.6)])
def test_mispredictions_follow_a_key(flows: float, branches: float) -> None:
    found = mispredictions(PROFILE, at(flows))
    assert list(found) == ["lookup"]
    assert found["lookup"][0] == pytest.approx(branches)


def test_a_program_that_was_traced_at_one_point_answers_for_many_scenarios() -> None:
    alone = PROFILE.model_copy(update={"points": PROFILE.points[:1]})
    values = {FLOWS: np.array([10.0, 1000.0, 1e6]), FRAME: np.array([64.0, 512.0, 1518.0])}
    assert instructions(alone, values)["lookup"] == pytest.approx([0, 0, 0])
    assert mispredictions(alone, values)["lookup"] == pytest.approx([0.5] * 3)
    touches = far_touches(alone, values, *What)
    assert touches
    assert all(np.size(one.distance) == 3 for one in touches)


def test_two_keys_may_be_traced_together_at_some_of_their_values() -> None:
    def point(keys: dict[str, float], instructions: float) -> TracedPoint:
        return TracedPoint(keys=keys, trace=trace(1000, instructions))

    switch = ProgramProfile(
        subject="ovs",
        counts=counts(),
        base={FLOWS: 65536.0, MASKS: 1.0},
        points=(
            point({}, 100),
            point({FLOWS: 64.0}, 80),
            point({FLOWS: 1000.0}, 80),
            point({MASKS: 8.0}, 110),
            point({FLOWS: 64.0, MASKS: 8.0}, 84),
        ),
    )
    values = {FLOWS: np.array([64.0, 1000.0, 1000.0]), MASKS: np.array([8.0, 8.0, 1.0])}
    found = instructions(switch, values)["lookup"]
    # Of 1,000 flows as of 64: their packets are in the exact-match cache, too.
    assert found == pytest.approx([-16, -16, -20], abs=0.2)


def test_routes_and_flows_act_by_the_share_that_they_decide() -> None:
    routes = "dataplane.routes"

    def point(keys: dict[str, float], instructions: float) -> TracedPoint:
        return TracedPoint(keys=keys, trace=trace(1000, instructions))

    router = ProgramProfile(
        subject="l3fwd",
        counts=counts(),
        base={FLOWS: 4096.0, routes: 512.0, FRAME: 64.0},
        points=(
            point({}, 60),
            point({FLOWS: 64.0}, 120),
            point({FLOWS: 65536.0}, 56),
            point({routes: 16.0}, 56),
            point({FRAME: 1518.0}, 61),
            point({FLOWS: 64.0, routes: 16.0}, 64),
        ),
    )
    values = {
        FLOWS: np.array([64.0, 256.0, 512.0, 512.0]),
        routes: np.array([512.0, 512.0, 512.0, 512.0]),
        FRAME: np.array([64.0, 64.0, 64.0, 1518.0]),
    }
    found = instructions(router, values)["lookup"]
    # A share of 1/8 at 64 flows with 16 routes, of 1 up to 256 flows with 512, then of a half.
    assert found == pytest.approx([60, 60, 4 + 56 * 3 / 7, 4 + 56 * 3 / 7 + 1])


def test_what_makes_the_packets_is_counted() -> None:
    assert instructions(PROFILE, at(1000))["source"][0] == pytest.approx(0)
    assert instructions(PROFILE, at(10, 1024))["source"][0] == pytest.approx(40)
    assert instructions(PROFILE, at(10, 544))["source"][0] == pytest.approx(40 * 8 / 15)  # lines


@pytest.mark.parametrize(("flows", "distance"), [(1000, 2000), (10_000, 20_000), (1e6, 200_000)])
def test_distances_follow_a_key(flows: float, distance: float) -> None:
    found = far_touches(PROFILE, at(flows), What.LOADED, What.STORED)
    assert sum(one.touches for one in found) == pytest.approx(2.0)
    assert [one.distance[0] for one in found] == pytest.approx([distance] * len(found), rel=1e-3)
    assert {(one.stage, one.what, one.prefetched) for one in found} == {
        ("lookup", What.LOADED, False)
    }


def test_longer_frames_have_more_lines_not_the_same_ones_farther() -> None:
    def copied(lines: float) -> TracedProfile:
        stage = trace(1000).stages["lookup"]
        bins = (*stage.loads.bins, DistanceBin(10_000, 10_001, lines))
        loads = TouchHistogram(references_per_packet=20 + lines, bins=bins)
        update = {"stages": {"lookup": stage.model_copy(update={"loads": loads})}}
        return trace(1000).model_copy(update=update)

    frames = PROFILE.model_copy(
        update={
            "base": {FRAME: 64.0},
            "points": (
                TracedPoint(keys={}, trace=copied(1)),
                TracedPoint(keys={FRAME: 1024.0}, trace=copied(16)),
            ),
        }
    )
    found = far_touches(frames, {FRAME: np.array([64.0, 512.0, 1024.0])}, What.LOADED)
    assert all(np.all((one.distance < 1100) | (one.distance > 9000)) for one in found)
    copies = sum(one.touches * (one.distance > 9000) for one in found)
    assert copies == pytest.approx([1, 8, 16], rel=0.01)


def test_touches_that_are_near_in_every_trace_are_left_out() -> None:
    far = sum(one.touches[0] for one in far_touches(PROFILE, at(10), What.LOADED))
    assert far == pytest.approx(2.0)  # of 20
    assert far_touches(PROFILE, at(100_000), What.STORED) == []
    near = PROFILE.model_copy(update={"points": (TracedPoint(keys={}, trace=trace(20)),)})
    assert far_touches(near, {}, *What) == []


def test_pages_are_touched_as_lines_are() -> None:
    pages = [one.distance[0] for one in far_touches(PROFILE, at(10_000), What.PAGES)]
    assert pages == pytest.approx([20_000 / 64] * len(pages), rel=0.01)
    assert {one.what for one in far_touches(PROFILE, at(10_000), *What)} == {
        What.LOADED,
        What.PAGES,
    }


def test_where_tables_lie() -> None:
    assert not PROFILE.on_the_heap
    assert PROFILE.model_copy(update={"subject": "ovs l2xc"}).on_the_heap


def test_prefetched_touches_are_the_farthest() -> None:
    ahead = PROFILE.model_copy(
        update={"points": (TracedPoint(keys={}, trace=trace(1000, prefetches=1.0)),)}
    )
    found = far_touches(ahead, {}, What.LOADED)
    assert sum(one.touches for one in found if one.prefetched) == pytest.approx(1.0)
    assert sum(one.touches for one in found) == pytest.approx(2.0)


def test_masks_cost_packets_that_the_exact_match_cache_misses() -> None:
    def point(keys: dict[str, float], instructions: float) -> TracedPoint:
        return TracedPoint(keys=keys, trace=trace(1000, instructions))

    switch = ProgramProfile(
        subject="ovs",
        counts=counts(),
        base={FLOWS: 65536.0, MASKS: 2.0},
        points=(
            point({}, 300),
            point({FLOWS: 64.0}, 100),
            point({MASKS: 8.0}, 600),
            point({FLOWS: 64.0, MASKS: 8.0}, 100),
        ),
    )

    def more(flows: float, masks: float) -> float:
        values = {FLOWS: np.array([flows]), MASKS: np.array([masks])}
        return float(instructions(switch, values)["lookup"][0])

    assert more(65536, 8) == pytest.approx(300)
    assert more(64, 8) == more(64, 2) == pytest.approx(-200)
    # Below what the cache holds nothing is missed, so masks don't matter; above it they soon do.
    assert more(2000, 8) == pytest.approx(-200, abs=5)
    assert more(16384, 8) == pytest.approx(-200 + 500 * 0.51 / 0.875, abs=10)
