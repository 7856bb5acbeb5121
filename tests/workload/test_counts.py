"""Splitting instruction counts into a part for each packet and one for each burst."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from planecast.errors import InputError
from planecast.workload.counts import (
    CODE_PARTS,
    InstructionCounts,
    RawCounts,
    StageInstructions,
    by_kind,
    run_plan,
    solve_counts,
    split,
    stage_of,
)

PLAN = [(64, 8), (128, 8), (64, 32), (128, 32)]
amounts = st.integers(0, 10**6)


def counts(a: int, b: int, constant: int = 0) -> dict[tuple[int, int], int]:
    """What runs of the plan take with `a` instructions a packet and `b` a burst."""
    return {(n, burst): constant + a * n + b * (n // burst) for n, burst in PLAN}


def solved(stages: dict[str, tuple[int, int]], other: tuple[int, int]) -> InstructionCounts:
    raw = {}
    for key in PLAN:
        parts = {name: counts(*ab)[key] for name, ab in stages.items()}
        total = sum(parts.values()) + counts(*other, 77)[key]
        raw[key] = RawCounts(total, parts, {("f", "program"): total})
    return solve_counts("callgrind", "AVX2", raw)


@given(amounts, amounts, amounts)
def test_the_split_is_exact_whatever_the_constant(a: int, b: int, constant: int) -> None:
    found = split(counts(a, b, constant))
    assert (found.per_packet, found.per_burst) == (a, b)
    assert found.at(16) == pytest.approx(a + b / 16)
    assert found.at(4) == pytest.approx(a + b / 4)
    assert found.at(64) == pytest.approx(a + b / 64)


def test_more_burst_sizes_show_what_is_no_line() -> None:
    cost = {4: 100, 8: 90, 32: 20}  # a wide path from 32 packets on
    found = split({(n, burst): cost[burst] * n for n in (64, 128) for burst in cost})
    assert [found.at(burst) for burst in cost] == [100, 90, 20]
    assert 20 < found.at(16) < 90


def test_beyond_the_bursts_counted_the_bursts_share_is_divided() -> None:
    cost = {4: 100, 5: 150, 32: 20, 33: 24}  # either end has a change of code next to it
    found = split({(n * burst, burst): cost[burst] * n * burst for n in (1, 2) for burst in cost})
    assert found.at(2) == pytest.approx(100 + found.per_burst * (1 / 2 - 1 / 4))
    assert found.at(1) > found.at(2) > 100
    assert 0 < found.at(128) < 24
    rising = split({(n * burst, burst): burst * n * burst for n in (1, 2) for burst in (4, 64)})
    assert rising.at(1) == 0


@given(st.lists(st.tuples(amounts, amounts), min_size=1, max_size=6), amounts, amounts)
def test_stages_and_other_add_up_to_the_total(
    stages: list[tuple[int, int]], a: int, b: int
) -> None:
    found = solved({f"s{i}": ab for i, ab in enumerate(stages)}, (a, b))
    for burst in (1, 8, 32, 64):
        parts = sum(stage.at(burst) for stage in found.stages.values()) + found.other.at(burst)
        assert parts == pytest.approx(found.total.at(burst))
    assert found.instructions_per_packet == found.total.at(32)
    counted = sum(function.per_packet for function in found.functions)
    assert counted == pytest.approx(found.instructions_per_packet)


def seen(stage: int, other: int) -> InstructionCounts:
    """Of one stage, `a`, with so many mispredictions a packet, and so many around it."""
    raw = {}
    for packets, burst in PLAN:
        code = {
            what: {"a": stage * packets, "total": (stage + other) * packets} for what in CODE_PARTS
        }
        raw[packets, burst] = RawCounts(9 * packets, {"a": 9 * packets}, {}, code, packets)
    return solve_counts("singlestep", "native", raw)


def test_code_is_divided_as_instructions_are() -> None:
    code = seen(3, 2).code
    assert code is not None
    assert (code.jumps["a"].at(16), code.jumps["other"].at(16)) == (3, 2)
    assert code.lines == 128
    assert solved({"a": (1, 1)}, (0, 0)).code is None  # callgrind doesn't see it


def test_a_stage_is_replaced_with_its_code() -> None:
    found = seen(3, 2).with_stage("a", seen(7, 1))
    assert found.code is not None
    assert (found.code.mispredictions["a"].at(8), found.code.mispredictions["other"].at(8)) == (
        7,
        2,
    )


def test_the_total_follows_a_stage_that_is_replaced_or_added() -> None:
    first, second = solved({"a": (5, 8)}, (1, 2)), solved({"a": (7, 4), "b": (100, 16)}, (1, 2))
    assert first.with_stage("a", second).total.at(8) == first.total.at(8) + 2 - 4 / 8
    both = first.with_stage("b", second)
    assert both.total.at(32) == first.total.at(32) + 100 + 16 / 32
    assert both.stages["b"] == second.stages["b"]


def test_a_stage_counted_at_few_bursts_follows_the_steps_of_its_fuller_count() -> None:
    """Eight lanes of 40 instructions however many packets are in them; without a prefetch, 2 less
    a packet."""

    def lanes(bursts: tuple[int, ...], less: int) -> StageInstructions:
        counts = {}
        for burst in bursts:
            for packets in (192, 384):
                rounds = packets // burst * -(-burst // 8)
                counts[packets, burst] = 40 * rounds - less * packets
        return split(counts)

    fuller = lanes((1, 2, 4, 6, 8, 12, 16, 32), 0)
    found = lanes((8, 32), 2).at_bursts_of(fuller)
    for burst in (1, 2, 4, 6, 8, 12, 16, 32):
        assert found.at(burst) == pytest.approx(fuller.at(burst) - 2)
    alone = lanes((24, 64), 2)
    assert alone.at_bursts_of(fuller) == alone  # not two bursts in common


def test_the_plan_has_two_lengths_of_two_bursts() -> None:
    assert run_plan(64, (32, 8)) == PLAN


def test_a_plan_has_whole_bursts_only() -> None:
    assert run_plan(60, (24, 8)) == [(64, 8), (128, 8), (72, 24), (144, 24)]
    assert run_plan(60, (24, 8), warm=True) == [(8, 8), (72, 8), (24, 24), (96, 24)]


@pytest.mark.parametrize(
    ("packets", "bursts"), [(64, (8, 8)), (64, (8,)), (0, (1, 2)), (8, (0, 8))]
)
def test_a_plan_that_cannot_be_solved_is_refused(packets: int, bursts: tuple[int, int]) -> None:
    with pytest.raises(InputError, match="two burst sizes"):
        run_plan(packets, bursts)


def test_work_is_distinguished_by_kind() -> None:
    kinds = by_kind(solved({"source": (20, 0), "acl": (200, 0), "tx": (60, 8)}, (0, 32)), burst=8)
    assert (kinds.io, kinds.processing, kinds.other) == (81, 200, 4)


@pytest.mark.parametrize(
    ("function", "stage"),
    [
        ("stage_acl", "acl"),
        ("stage_acl'2", "acl"),
        ("stage_acl.constprop.0", "acl"),
        ("forward_burst", None),
        ("stage_", None),
        ("my_stage_acl", None),
    ],
)
def test_stages_are_known_by_their_symbol(function: str, stage: str | None) -> None:
    assert stage_of(function) == stage
