"""Packet buffers that go round a memory pool: what the model makes of them."""

import numpy as np
import pytest
from tests.traced_programs import FLOWS, FRAME, PROFILE, trace

from planecast.workload.regions import Overlap
from planecast.workload.traced.coordinates import ROTATION
from planecast.workload.traced.program_profile import TracedPoint, What, far_touches, instructions
from planecast.workload.traced.regions import buffer_lines
from planecast.workload.traced.rotation import Rotation, apart

NONE, HALF = Rotation(share=0.0, buffers=8191), Rotation(share=0.5, buffers=8191)
BY_BURST = {4: NONE, 8: NONE, 16: Rotation(share=0.04, buffers=8191), 22: HALF, 32: HALF}


@pytest.mark.parametrize(
    ("base", "bursts", "found"),
    [
        (32, [4, 16, 22], [4]),
        (4, [8, 16], []),
        (4, [8, 22, 64], [22]),
        (64, [4, 22], []),
        (32, [], []),
    ],
)
def test_bursts_that_differ(base: int, bursts: list[int], found: list[int]) -> None:
    assert apart(BY_BURST, base, bursts) == found


def test_bursts_of_all_sizes_have_one() -> None:
    program = PROFILE.model_copy(update={"rotation": BY_BURST})
    share, buffers = program.rotation_in(np.array([8.0, 22.0, 256.0]))
    assert share == pytest.approx([0.0, 0.5, 0.5])
    assert buffers == pytest.approx([8191] * 3)


def test_distances_follow_the_share_and_instructions_do_not() -> None:
    """They are counted in bursts of each size."""
    far = TracedPoint(keys={ROTATION: 0.5}, trace=trace(1_000_000, 500))
    program = PROFILE.model_copy(
        update={
            "points": (*PROFILE.points, far),
            "base": {**PROFILE.base, ROTATION: 0.0},
            "rotation": BY_BURST,
        }
    )
    assert ROTATION not in program.keys
    values = {FLOWS: np.full(3, 1000.0), FRAME: np.full(3, 64.0)}
    values[ROTATION] = np.array([0.0, 0.25, 0.5])
    assert instructions(program, values)["lookup"] == pytest.approx([0, 0, 0])
    farthest = max(
        (one.distance for one in far_touches(program, values, What.LOADED)),
        key=lambda distance: float(distance[-1]),
    )
    assert farthest[1] == pytest.approx(np.sqrt(farthest[0] * farthest[2]))
    assert farthest[2] > 10 * farthest[0]


def test_all_buffers_of_the_pool_take_turns() -> None:
    lines, buffers, bursts = (np.full(2, value) for value in (23.0, 8191.0, 32.0))
    region = buffer_lines(lines, np.array([0.0, 0.5]), buffers, bursts)
    assert region.touches == pytest.approx([0, 11.5])
    assert region.total_lines == pytest.approx([0, 23 * 8191])
    assert region.lines == pytest.approx([0, 23 * 8191])
    assert (region.stage, region.overlap) == ("source", Overlap.STORED)
