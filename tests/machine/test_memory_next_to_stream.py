"""How memory rises next to a stream, by how many lines are asked for together."""

from __future__ import annotations

from collections.abc import Sequence
from types import SimpleNamespace
from typing import Any, cast

import numpy as np
import pytest
from tests.calibrations import hierarchy

from planecast.instruments.host_state import HostState
from planecast.machine.hierarchy import Hierarchy
from planecast.machine.memory_next_to_stream import rise_by_load, rise_by_width

__all__ = ["hierarchy"]

BUSY = {1: 1.43, 8: 1.65, 32: 1.78}


def states(*rises: dict[int, float]) -> Sequence[HostState]:
    return [
        cast(Any, SimpleNamespace(rises=lambda one=one: one, rise=lambda: None)) for one in rises
    ]


def test_lone_lines_show_less_of_a_rise_than_many_together() -> None:
    found = dict(rise_by_width(states(BUSY)))
    mean = np.mean(np.log(list(BUSY.values())))
    assert found == {
        width: pytest.approx(np.log(times) / mean, abs=0.06) for width, times in BUSY.items()
    }
    assert found[1] < 1 < found[8] < found[32]


def test_next_to_little_traffic_all_widths_are_taken_alike() -> None:
    quiet = {1: 1.02, 8: 0.99, 32: 1.05}
    assert rise_by_width(states(quiet)) == tuple(
        (width, pytest.approx(1.0, abs=0.05)) for width in (1, 8, 32)
    )
    # What a quiet look says after a busy one is noise, and changes little.
    busy = [power for _, power in rise_by_width(states(BUSY))]
    both = [power for _, power in rise_by_width(states(BUSY, quiet))]
    assert both == pytest.approx(busy, abs=0.05)


def test_where_nobody_streamed_nothing_is_known() -> None:
    assert rise_by_width([]) == rise_by_width(states({}, {})) == ()
    assert rise_by_load(states({}), None) == ()


def test_lines_take_their_width_s_share_of_a_rise(hierarchy: Hierarchy) -> None:
    widths = np.array([1.0, 2.0, 32.0])
    idle = hierarchy.line_cycles(widths)
    assert hierarchy.line_cycles(widths, 1.5) == pytest.approx(1.5 * idle)
    known = hierarchy.model_copy(update={"rise_by_width": ((1.0, 0.5), (32.0, 1.5))})
    assert known.line_cycles(widths) == pytest.approx(idle)
    between = 0.5 + np.log(2) / np.log(32)
    assert known.line_cycles(widths, 1.5) / idle == pytest.approx(
        1.5 ** np.array([0.5, between, 1.5])
    )
    # More than were measured together take what the most did.
    assert known.line_cycles(np.array([np.inf]), 1.5) == pytest.approx(idle[-1:] * 1.5**1.5)
