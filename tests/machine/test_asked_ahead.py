"""Lines asked for ahead: a burst waits once, for the first of them that it uses."""

from __future__ import annotations

import numpy as np
import pytest

from planecast.machine.asked_ahead import COVERED, AskedAhead
from planecast.machine.mechanism import Term
from planecast.workload.regions import Asked, Region

BURSTS = np.array([1.0, 4.0, 16.0, 64.0])
LATENCY = 300.0


def region(stage: str, asked: Asked | None) -> Region:
    ones = np.ones(BURSTS.size)
    return Region(stage, stage, False, ones * 1e6, ones, ones, ones * 1e6, asked=asked)


def waits(tables: list[Region], work: float = 0.0) -> AskedAhead:
    passed = Term("key", "core", ("core.cpi",), np.full(BURSTS.size, work))
    return AskedAhead(
        group=np.array([-1 if one.asked is None else 0 for one in tables], np.int32),
        between=tuple((passed,) if one.asked else () for one in tables),
        covered=np.array([COVERED * BURSTS * work if one.asked else 0 * BURSTS for one in tables]),
        burst=BURSTS,
        latency=np.full(BURSTS.size, LATENCY),
    )


def test_a_burst_that_waits_waits_for_one_latency_less_what_is_done_in_between() -> None:
    """native/model/tests hold which bursts wait."""
    tables = [region(stage, Asked("key")) for stage in ("classify", "route")]
    share = np.array([[1.0], [0.5]]) * np.ones(BURSTS.size)
    terms = waits(tables, work=10.0).terms("memory", tables, share)
    found = sum(term.cycles for term in terms if term.stage == "route")
    assert found == pytest.approx(0.5 * (LATENCY / BURSTS - COVERED * 10.0))
    assert sum(term.cycles for term in terms) == pytest.approx(3 * found)
    assert {term.parameters for term in terms} == {(), ("core.cpi",)}


def test_regions_that_nobody_asks_for_ahead_have_no_such_wait() -> None:
    other = [region("acl", None)]
    assert waits(other).terms("memory", other, np.ones((1, BURSTS.size))) == []
