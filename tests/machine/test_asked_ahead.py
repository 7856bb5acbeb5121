"""Lines asked for ahead: a burst waits once, for the first of them that it uses."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from tests.calibrations import hierarchy
from tests.traced_programs import BASE, PROFILE

from planecast.machine.asked_ahead import USING, AskedAhead, behind, between, waiting_together
from planecast.machine.hierarchy import Hierarchy
from planecast.machine.mechanism import Term
from planecast.machine.tlb import FirstWalk
from planecast.model.supported import columns_of
from planecast.workload.profile import WorkloadProfile
from planecast.workload.regions import Asked, Region

__all__ = ["hierarchy"]

BURSTS = np.array([1.0, 4.0, 16.0, 64.0])
LAST, LATENCY = 30.0, 300.0
CAUSES = ("LLC", "memory")


def region(stage: str, asked: Asked | None) -> Region:
    ones = np.ones(BURSTS.size)
    return Region(stage, stage, False, ones * 1e6, ones, ones, ones * 1e6, asked=asked)


def waits(tables: list[Region], work: float = 0.0, walk: float = 0.0) -> AskedAhead:
    """`work` TSC cycles a packet are done in between; a page walk takes `walk`, a third of it as in
    large pages."""
    walks = FirstWalk(np.full(BURSTS.size, walk * 2 / 3), np.full(BURSTS.size, walk / 3))
    passed = Term("key", "core", ("core.cpi",), np.full(BURSTS.size, work))
    return AskedAhead(
        group=np.array([-1 if one.asked is None else 0 for one in tables], np.int32),
        between=tuple((passed,) if one.asked else () for one in tables),
        walks=[walks for _ in tables],
        covered=[BURSTS * work - walk if one.asked else np.zeros(BURSTS.size) for one in tables],
        together=[BURSTS for _ in tables],
        latency=np.array([[LAST], [LATENCY]]) * np.ones(BURSTS.size),
    )


def both(share: np.ndarray, work: float) -> np.ndarray:
    """Of bursts that wait for memory, and before that for the last level unless that is covered."""
    return np.array([share * (BURSTS * work < LAST), share])


def test_a_burst_that_waits_waits_for_one_latency_less_what_is_done_in_between() -> None:
    """native/model/tests hold which bursts wait."""
    tables = [region(stage, Asked("key")) for stage in ("classify", "route")]
    share = np.array([[1.0], [0.5]]) * np.ones(BURSTS.size)
    terms = waits(tables, work=10.0).terms(CAUSES, tables, both(share, 10.0))
    found = sum(term.cycles for term in terms if term.stage == "route")
    assert found == pytest.approx(0.5 * (LATENCY / BURSTS - 10.0))
    assert sum(term.cycles for term in terms) == pytest.approx(3 * found)
    assert {term.parameters for term in terms if term.cycles.any()} == {(), ("core.cpi",)}


def test_a_wait_that_the_last_level_s_lines_have_is_no_part_of_memory_s() -> None:
    tables = [region("route", Asked("key"))]
    share = np.ones((1, BURSTS.size))
    terms = waits(tables, work=1.0).terms(CAUSES, tables, np.array([share, 0 * share]))
    short = BURSTS < LAST
    found = sum(term.cycles for term in terms)
    assert found[short] == pytest.approx((LAST / BURSTS - 1.0)[short])
    both_levels = waits(tables, work=1.0).terms(CAUSES, tables, both(share, 1.0))
    whole = sum(term.cycles for term in both_levels)
    assert whole[short] == pytest.approx((LATENCY / BURSTS - 1.0)[short])


@pytest.mark.parametrize(("work", "walk"), [(0.0, 50.0), (2.0, 50.0), (10.0, 1000.0)])
def test_a_page_walk_comes_before_the_first_line_and_what_is_done_covers_it_first(
    work: float, walk: float
) -> None:
    tables = [region("route", Asked("key"))]
    covered = BURSTS * work - walk
    share = np.ones((1, BURSTS.size))
    terms = waits(tables, work, walk).terms(
        CAUSES, tables, np.array([share * (covered < LAST), share])
    )
    assert sum(term.cycles for term in terms) == pytest.approx((LATENCY - covered) / BURSTS)
    walked = sum(term.cycles for term in terms if term.cause == "page walks")
    assert walked == pytest.approx(np.maximum(walk / BURSTS - work, 0.0))
    by_large = sum(term.cycles for term in terms if "tlb.large_pages" in term.parameters)
    assert by_large == pytest.approx(walk / 3 / BURSTS)
    for cause in ("page walks", *CAUSES):
        assert np.all(sum(term.cycles for term in terms if term.cause == cause) >= -1e-9)


def test_regions_that_nobody_asks_for_ahead_have_no_such_wait() -> None:
    other = [region("acl", None)]
    assert waits(other).terms(CAUSES, other, np.ones((2, 1, BURSTS.size))) == []


def test_a_program_of_others_may_touch_pages_in_more_ways_than_lines(hierarchy: Hierarchy) -> None:
    profile = WorkloadProfile.of(columns_of([BASE]), {}, PROFILE)
    more = replace(profile, pages=profile.pages * 3)
    assert len(more.pages) > len(more.regions)
    found = AskedAhead.of(
        more, more.regions, hierarchy, (), memory_factor=np.ones(1), values={"tlb.walk": 10.0}
    )
    assert len(found.walks) == len(more.regions)
    assert not any(walk.cycles.any() for walk in found.walks)


def test_rounds_ask_at_their_ends_and_a_stage_s_own_passes_cover_nothing() -> None:
    own = {"check": ("core.cpi", "a"), "next_hop": ("core.cpi", "b"), "rewrite": ("core.cpi", "c")}
    near = [Term(stage, "core", by, np.full(BURSTS.size, 10.0)) for stage, by in own.items()]
    stages = ("source", "check", "next_hop", "tx")
    table = region("next_hop", Asked("check"))
    whole = between(stages, table, near, BURSTS)
    # All of the stage that asks, and of the one that uses a part.
    assert [term.cycles[0] for term in whole] == [10.0, USING * 10.0]
    rounds = between(stages, table._replace(asked=Asked("check", lanes=8)), near, BURSTS)
    assert rounds[0].cycles.tolist() == [0.0, 0.0, 5.0, 8.75]
    assert between(stages, table._replace(asked=Asked("next_hop")), near, BURSTS) == ()
    # Terms of the same parameters are one.
    alike = [term._replace(parameters=("core.cpi",)) for term in near]
    (together,) = between(stages, table, alike, BURSTS)
    assert together.cycles[0] == 10.0 + USING * 10.0


def test_a_pass_that_looks_up_as_it_asks_waits_for_as_many_packets_as_it_is_ahead() -> None:
    near = [Term(stage, "core", (stage,), np.full(BURSTS.size, 10.0)) for stage in ("learn", "tx")]
    table = region("learn", Asked("learn", ahead=8))
    assert waiting_together(table, BURSTS).tolist() == [1.0, 4.0, 8.0, 8.0]
    # All that it does for packets behind the first eight covers.
    (covers,) = between(("source", "learn", "tx"), table, near, BURSTS)
    assert covers.cycles.tolist() == [0.0, 0.0, 5.0, 8.75]
    # Another stage's lines have come by then: it waits once a burst, if at all.
    used_later = region("forward", Asked("learn", ahead=8))
    assert waiting_together(used_later, BURSTS).tolist() == BURSTS.tolist()
    assert waiting_together(region("acl", None), BURSTS).tolist() == BURSTS.tolist()


def test_a_burst_s_packets_share_what_is_done_behind_the_load_that_waits() -> None:
    window = 80.0
    (once,) = behind(region("next_hop", Asked("check")), window, BURSTS)
    assert (once.cycles * BURSTS).tolist() == [window] * BURSTS.size
    (behind_eight,) = behind(region("learn", Asked("learn", ahead=8)), window, BURSTS)
    assert (behind_eight.cycles * np.minimum(BURSTS, 8.0)).tolist() == [window] * BURSTS.size
    assert behind(region("acl", None), window, BURSTS) == ()
