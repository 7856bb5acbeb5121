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


def cycles(tables: list[Region], missed: list[float], work: float = 0.0) -> np.ndarray:
    shares = np.array(missed)[:, None] * np.ones(BURSTS.size)
    asked = waits(tables, work)
    found = asked.cycles(tables, shares)
    terms = asked.terms("memory", tables, shares)
    assert sum(term.cycles for term in terms) == pytest.approx(found)
    return found


ONE = [region("classify", Asked("key"))]
THREE = [region(stage, Asked("key")) for stage in ("classify", "actions", "route")]


def test_a_burst_whose_lines_are_all_missed_waits_for_one_latency() -> None:
    assert cycles(ONE, [1.0]) == pytest.approx(LATENCY / BURSTS)


def test_tables_that_are_asked_for_together_share_that_wait() -> None:
    """Three times the lines, no more of a wait; of tables of which few lines are missed, more."""
    assert cycles(THREE, [1.0, 1.0, 1.0]) == pytest.approx(cycles(ONE, [1.0]))
    few = cycles(THREE, [0.05, 0.05, 0.05])
    assert np.all(few > cycles(ONE, [0.05]))
    assert np.all(few < 3 * cycles(ONE, [0.05]) + 1e-9)


def test_what_is_done_in_between_covers_a_part_and_in_long_bursts_all() -> None:
    found = cycles(ONE, [1.0], work=10.0)
    assert found == pytest.approx(np.maximum(LATENCY - COVERED * 10.0 * BURSTS, 0.0) / BURSTS)
    assert found[-1] == 0.0


def test_no_line_is_missed_and_none_waited_for() -> None:
    assert cycles(THREE, [0.0, 0.0, 0.0]) == pytest.approx(0.0, abs=1e-9)


def test_few_bursts_wait_for_a_table_that_few_packets_touch() -> None:
    """One packet of a hundred: a burst of one waits in one of a hundred, however surely it misses;
    long bursts touch it in nearly all."""
    rare = ONE[0]._replace(touches=np.full(BURSTS.size, 0.01))
    found = cycles([rare], [1.0]) * BURSTS / LATENCY
    assert found == pytest.approx(1 - 0.99**BURSTS)
    assert cycles([rare], [0.5])[0] == pytest.approx(0.5 * cycles([rare], [1.0])[0])


def test_regions_that_nobody_asks_for_ahead_have_no_such_wait() -> None:
    other = [region("acl", None)]
    assert cycles(other, [1.0]) == pytest.approx(0.0)
    assert waits(other).terms("memory", other, np.ones((1, BURSTS.size))) == []
