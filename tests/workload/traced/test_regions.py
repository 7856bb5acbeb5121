"""Regions of a traced program: the law of cache sharing then says what the trace says."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from planecast.machine.cache_sharing import hit_shares
from planecast.workload.regions import Overlap
from planecast.workload.traced.program_profile import Far, What
from planecast.workload.traced.regions import loop_of, traced_regions

LRU = 64.0
"""The largest shape: lines stay for one time to 12 %, as in a cache with LRU of so many ways."""
BURSTS = np.array([32.0])


def far(
    distance: float, touches: float, what: What = What.LOADED, *, prefetched: bool = False
) -> Far:
    return Far("stage", what, prefetched, np.array([touches]), np.array([distance]))


def misses(touched: list[Far], capacity: float) -> float:
    """Touches a packet that a cache of so many lines misses, by the law."""
    regions = traced_regions(touched, BURSTS)
    touches = np.stack([region.touches for region in regions])
    kept = hit_shares(
        np.array([region.cyclic for region in regions]),
        np.stack([region.lines for region in regions]),
        touches,
        np.array([capacity]),
        shape=LRU,
    )
    return float((touches * (1 - kept)).sum())


@given(
    st.lists(
        st.tuples(st.floats(10, 1e5), st.floats(0.05, 3)), min_size=1, max_size=8, unique_by=id
    ),
    st.floats(20, 2e5),
)
def test_a_cache_with_lru_misses_what_the_trace_says(
    touched: list[tuple[float, float]], capacity: float
) -> None:
    every = [far(distance, touches) for distance, touches in touched]
    found = misses(every, capacity)
    whole = sum(touches for _, touches in touched)
    nearer = sum(touches for distance, touches in touched if distance > 1.6 * capacity)
    farther = sum(touches for distance, touches in touched if distance > capacity / 1.6)
    assert nearer - 0.02 * whole <= found <= farther + 0.02 * whole


def test_lines_are_touches_times_the_packets_between() -> None:
    # Every packet touches two lines of a ring of 1,000: 500 packets are between two touches of one.
    (ring,) = traced_regions([far(1000, 2.0)], BURSTS)
    assert ring.lines == pytest.approx(1000)
    # With a table of one touch in addition, whose lines are 4,000 touched lines apart: by the time
    # the ring has come round, 500 packets touched 500 lines of the table as well, so 1,500 in all.
    ring, table = traced_regions([far(1500, 2.0), far(4000, 1.0)], BURSTS)
    assert ring.lines == pytest.approx(1000)
    assert table.lines == pytest.approx(500 + (4000 - 1500))


def test_scenarios_stay_apart() -> None:
    both = Far("stage", What.LOADED, False, np.ones(2), np.array([100.0, 200.0]))
    (found,) = traced_regions([both], np.full(2, 32.0))
    assert found.lines.tolist() == pytest.approx([100.0, 200.0])


def test_how_lines_are_asked_for() -> None:
    touched = [far(9, 1), far(9, 1, What.STORED), far(9, 1, prefetched=True)]
    assert [one.overlap for one in traced_regions(touched, BURSTS)] == [
        Overlap.INDEPENDENT,
        Overlap.STORED,
        Overlap.PREFETCHED,
    ]
    assert traced_regions([], BURSTS) == ()


def test_short_bursts_have_few_lines_in_flight() -> None:
    same = Far("stage", What.LOADED, False, np.ones(5), np.full(5, 1000.0))
    bursts = np.array([1.0, 4.0, 8.0, 32.0, 1e9])
    (found,) = traced_regions([same], bursts)
    # Two lines of a burst are waited for alone, those between sixteen at a time; one at the least.
    assert found.in_flight == pytest.approx([1, 1 / (2 / 4 + 1 / 16), 3.2, 8, 16])


def test_a_graph_node_has_a_whole_burst_in_flight_and_its_maker_more() -> None:
    bursts = np.array([1.0, 4.0, 32.0])
    touched = [
        Far(stage, What.LOADED, False, np.ones(3), np.full(3, 1000.0))
        for stage in ("source", "next_hop")
    ]
    made, node = traced_regions(touched, bursts, loop=loop_of("vpp ip4"))
    assert node.in_flight == pytest.approx([1, 4, 8])
    assert made.in_flight == pytest.approx([8] * 3)
    assert loop_of("l3fwd").waits == 2
