"""What rte_acl's search costs by how full its rounds are, from instructions of known parts."""

from __future__ import annotations

import pytest
from planecast.engines.solve.rounds import LONG_BURST, searched, walked

from planecast.instruments.counts import BurstInstructions, StageInstructions

PACKET, ROUND, BURST = 20.0, 800.0, 400.0


def counted(*bursts: int) -> StageInstructions:
    """The wide search's, with known parts."""
    points = [(n, PACKET + (ROUND * -(-n // 16) + BURST) / n) for n in bursts]
    return StageInstructions(
        per_packet=points[-1][1],
        per_burst=0.0,
        counted=tuple(BurstInstructions(burst=n, per_packet=each) for n, each in points),
    )


def test_full_rounds_are_alike() -> None:
    some = counted(16, 24, 32, 64)
    assert [searched(some, n) for n in (16, 32, 48, 64)] == [some.at(LONG_BURST)] * 4


def test_an_empty_lane_saves_its_packet_and_no_part_of_the_round() -> None:
    some = counted(16, 24, 32, 64)
    full = PACKET + ROUND / 16
    assert searched(some, 24) / searched(some, 32) == pytest.approx(
        (PACKET + ROUND * 2 / 24) / full, rel=1e-6
    )


def test_counts_of_full_rounds_alone_say_nothing_of_packets() -> None:
    some = counted(16, 32, 64)
    assert searched(some, 24) / searched(some, 32) == pytest.approx(32 / 24)


def test_a_narrow_round_is_paid_for_by_who_is_in_it() -> None:
    wide = counted(16, 24, 32, 64)
    narrow = (
        BurstInstructions(burst=4, per_packet=300.0),
        BurstInstructions(burst=8, per_packet=280.0),
    )
    some = wide.model_copy(update={"counted": (*narrow, *wide.counted)})
    assert searched(some, 4) == 300.0
    assert searched(some, 8) == 280.0
    assert 300.0 < searched(some, 6) < 300.0 * 8 / 6
    assert searched(some, 3) == some.at(3)


def test_lanes_without_a_packet_walk_along_in_rounds_that_are_not_full() -> None:
    some = counted(16, 24, 32, 64)
    assert [walked(some, n) for n in (8, 16, 32, 48)] == [0.0] * 4
    assert walked(some, 24) == pytest.approx(ROUND * 2 / 24 - ROUND / 16, rel=0.1)
    assert searched(some, 24) - walked(some, 24) == pytest.approx(searched(some, 32))
    assert walked(some, 20) > walked(some, 28) > 0
