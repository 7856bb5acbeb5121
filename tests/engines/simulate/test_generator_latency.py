"""What a generator in software adds to the latencies that it measures."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from planecast.engines.simulate import _simulator as sim
from planecast.engines.simulate.generator_latency import (
    TESTER,
    GeneratorLatency,
    with_generator_latency,
)
from planecast.engines.simulate.model import Recording
from planecast.results import Result
from planecast.scenario import Scenario, with_overrides

LOAD = 0.3


@pytest.fixture
def at_load(base: Scenario, capacity: float) -> Scenario:
    # Not in step with the tester's rounds.
    return with_overrides(
        base, {"traffic.offered_pps": LOAD * capacity, "traffic.arrivals": "poisson"}
    )


Simulated = Callable[[GeneratorLatency | None], Result]


@pytest.fixture
def simulated(at_load: Scenario, changed: Callable[..., Result]) -> Simulated:
    def found(tester: GeneratorLatency | None) -> Result:
        def change(model: sim.Model) -> sim.Model:
            ring = at_load.placement.tx_ring
            return model if tester is None else with_generator_latency(model, tester, ring)

        return changed(at_load, change=change, recording=Recording(duration_ns=20e6))

    return found


def test_latency_has_both_calls_and_the_wait_in_it(
    simulated: Simulated,
) -> None:
    alone = simulated(None)
    # Rounds of 200 ns are short compared with what comes: each packet waits for half of one.
    seen = simulated(GeneratorLatency(150, 100, 50))
    added = seen.latency_ns["mean"].value - alone.latency_ns["mean"].value
    assert added == pytest.approx(150 + 100 + 50, rel=0.15)
    assert seen.latency_ns["p50"].value > alone.latency_ns["p50"].value + 200


def test_the_tester_is_no_lcore(
    simulated: Simulated,
) -> None:
    alone = simulated(None)
    seen = simulated(GeneratorLatency(150, 100, 50))
    assert list(seen.lcores) == list(alone.lcores)
    assert TESTER not in " ".join(seen.notes)
    assert seen.throughput_pps.value == pytest.approx(alone.throughput_pps.value, rel=0.01)
    assert seen.cycles_per_packet.value == pytest.approx(alone.cycles_per_packet.value, rel=0.02)


def test_a_slow_tester_loses_packets_on_the_way_back(
    simulated: Simulated,
) -> None:
    seen = simulated(GeneratorLatency(150, 1e5, 1e5))
    assert seen.drops.get("ring")
