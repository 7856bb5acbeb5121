"""Histograms as HdrHistogram's own decoder reads them."""

from __future__ import annotations

import pytest
from hdrh.histogram import HdrHistogram
from hypothesis import given, settings
from hypothesis import strategies as st

from planecast.engines.simulate import _simulator as sim
from planecast.engines.simulate.histogram import encoded


def latencies(times_ns: list[float], packet_ns: float, digits: int) -> sim.Histogram:
    """Of packets that come at these times and are served one after another."""
    stage = sim.Stage(name="work", packet_cycles=sim.Distribution(mean=packet_ns))
    task = sim.Task(name="t", input=sim.Input(name="p"), burst=1, stages=[stage])
    arrivals = sim.Arrivals(kind=sim.ArrivalKind.timestamps, times_ns=times_ns)
    model = sim.Model(
        sources=[sim.Source(port="p", arrivals=arrivals)],
        ports=[sim.Port(name="p")],
        cores=[sim.Core(name="c", clock_hz=1e9, tasks=[task])],
        run=sim.Run(duration_ns=1e12, histogram_digits=digits),
    )
    return sim.simulate(model).latency


@given(
    st.lists(st.floats(0, 1e6), max_size=200).map(sorted),
    st.floats(1, 1e6),
    st.integers(1, 3),
)
@settings(max_examples=30, deadline=None)
def test_decodes_to_the_same_counts(times_ns: list[float], packet_ns: float, digits: int) -> None:
    ours = latencies([*times_ns, 1e6], packet_ns, digits)
    theirs = HdrHistogram.decode(encoded(ours))
    assert theirs.get_total_count() == ours.total == len(times_ns) + 1
    assert theirs.significant_figures == digits
    for bar in ours.bars():
        assert theirs.get_count_at_value(bar.low) == bar.count
        assert theirs.get_highest_equivalent_value(bar.low) == bar.high
    for percent in (50, 99, 100):
        assert theirs.get_value_at_percentile(percent) == ours.percentile(percent)


def test_no_packet_at_all() -> None:
    model = sim.Model(
        sources=[sim.Source(port="p", arrivals=sim.Arrivals(rate_pps=1, offset_ns=1e6))],
        ports=[sim.Port(name="p")],
        cores=[sim.Core(name="c", tasks=[sim.Task(name="t", input=sim.Input(name="p"))])],
        run=sim.Run(duration_ns=1e5),
    )
    text = encoded(sim.simulate(model).latency)
    assert HdrHistogram.decode(text).get_total_count() == 0


def test_a_person_can_decode_it_by_its_header() -> None:
    assert encoded(latencies([0.0], 100, 3)).startswith("HISTFAAA")
    with pytest.raises(ValueError, match="digits"):
        latencies([0.0], 100, 9)
