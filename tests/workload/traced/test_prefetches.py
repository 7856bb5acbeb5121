"""Which loads a prefetch is of, where a program's source says so."""

import pytest
from tests.traced_programs import trace

from planecast.workload.traced.prefetches import prefetched
from planecast.workload.traced.profile import TracedProfile


def traced(**prefetches: float) -> TracedProfile:
    """Stages that execute so many prefetches a packet."""
    own = {name: trace(1000, prefetches=n).stages["lookup"] for name, n in prefetches.items()}
    return trace(1000).model_copy(update={"stages": own})


def test_of_an_unknown_program_they_are_of_their_own_stage() -> None:
    found = traced(lookup=2.0, parse=0.0)
    assert prefetched("command", found, "lookup") == pytest.approx(2.0)
    assert prefetched("command", found, "parse") == pytest.approx(0.0)


def test_open_vswitch_asks_for_packets_ahead_not_for_their_flows() -> None:
    switch = traced(parse=0.5, classify=4.0, megaflow=2.0)
    assert prefetched("ovs", switch, "parse") == pytest.approx(4.5)
    assert prefetched("ovs", switch, "classify") == pytest.approx(0.0)
    assert prefetched("ovs", switch, "megaflow") == pytest.approx(2.0)
