"""Random scenarios: an answer that obeys its laws, or a sentence."""

from __future__ import annotations

import math
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from planecast.engines.simulate.engine import simulate
from planecast.engines.simulate.limits import limits_of
from planecast.errors import InputError, RunError
from planecast.model.calibration import Calibration
from planecast.results import Manifest, Result
from planecast.scenario import Scenario, with_overrides

RATES = st.floats(1e3, 5e7)
KEYS: dict[str, st.SearchStrategy[Any]] = {
    "traffic.offered_pps": RATES,
    "traffic.arrivals": st.sampled_from(["constant", "poisson", "on_off"]),
    "traffic.burst_packets": st.integers(1, 1000),
    "traffic.burst_pps": st.one_of(st.none(), st.floats(5e7, 1e9)),
    "traffic.burst_gaps": st.sampled_from(["constant", "poisson"]),
    "traffic.frame_mix": st.sampled_from(["none", "imix", "64:1,9000:1"]),
    "traffic.flows": st.integers(1, 65536),
    "traffic.new_flows_pps": st.floats(0, 1e9),
    "workload.new_flow_cycles": st.floats(0, 1e4),
    "workload.stages": st.sampled_from(["none", "acl", "acl,key,classify,actions,route"]),
    "workload.meter_rate": st.sampled_from([1, 100_000, 1_250_000_000]),
    "workload.meter_burst": st.sampled_from([1, 64, 1_000_000]),
    "traffic.dropped": st.sampled_from(["none", "acl:0.1", "acl:1"]),
    "traffic.drop_cycles": st.floats(0, 1000),
    "placement.lcores": st.sampled_from([1, 2, 4, 6]),
    "placement.burst": st.integers(1, 256),
    "placement.rx_ring": st.sampled_from([32, 128, 1024]),
    "placement.tx_ring": st.sampled_from([32, 512]),
    "placement.cuts": st.sampled_from(["none", "acl", "key,tx", "classify"]),
    "placement.handoff_ring": st.sampled_from([32, 256]),
    "placement.ring_wait": st.booleans(),
    "placement.handoff_ns": st.one_of(st.none(), st.floats(0, 1e4)),
    "nic.ports": st.sampled_from([None, 1, 2]),
    "nic.link_gbps": st.one_of(st.none(), st.floats(0.1, 400)),
    "nic.rx_pps": st.one_of(st.none(), RATES),
    "nic.tx_pps": st.one_of(st.none(), RATES),
    "nic.port_rx_pps": st.one_of(st.none(), RATES),
    "nic.pcie": st.sampled_from(["none", "gen2x8", "gen3x8"]),
    "nic.fifo_packets": st.integers(1, 2048),
    "nic.tx_buffer": st.sampled_from([0, 1, 32]),
    "accelerator.stage": st.sampled_from(["none", "acl", "route"]),
    "accelerator.mode": st.sampled_from(["sync", "lookaside"]),
    "accelerator.pps": st.one_of(st.none(), RATES),
    "accelerator.engines": st.integers(1, 16),
    "accelerator.latency_ns": st.floats(0, 1e5),
    "accelerator.queue": st.integers(1, 4096),
    "interference.per_second": st.floats(0, 1e4),
    "interference.duration_us": st.floats(0, 100),
    "interference.spread": st.floats(0, 3),
    "interference.periodic": st.booleans(),
    "interference.siblings": st.sampled_from(["none", "0+1"]),
    "neighbour.walk": st.sampled_from([None, 4 << 20, 1 << 30]),
    "neighbour.rate": st.sampled_from([0.0, 1.0, 1e8]),
    "neighbour.cores": st.integers(1, 64),
}


@given(st.fixed_dictionaries({}, optional=KEYS))
@settings(max_examples=40, derandomize=True, suppress_health_check=[HealthCheck.too_slow])
def test_laws_hold_or_a_sentence_says_why_not(
    base: Scenario, calibration: Calibration, manifest: Manifest, point: dict[str, Any]
) -> None:
    try:
        scenario = with_overrides(base, point)
    except InputError as error:
        assert str(error).startswith("--set")  # noqa: PT017  either outcome is right
        return
    try:
        (found,) = simulate([scenario], calibration, manifest, packets=20_000, threads=1)
    except RunError as error:
        # So few packets may all be lost before a card that takes one in a thousand.
        assert "ended before a packet came" in str(error)  # noqa: PT017
        return
    check(scenario, found)


def check(scenario: Scenario, found: Result) -> None:
    assert found.packets_in is not None
    assert found.packets_out is not None
    places = sum(queue.capacity for queue in found.queues.values())
    cards = scenario.nic.fifo_packets + scenario.nic.tx_buffer
    in_lcores = (scenario.placement.burst + cards) * scenario.placement.lcores
    inside = found.packets_in - found.packets_out - sum(found.drops.values())
    # What is on the wire or in the card's latency is inside too: rates here make it few packets.
    assert 0 <= inside <= places + in_lcores + 1000
    for limit in limits_of(scenario).values():
        # Three times the half-width: sizes are random, and few packets get through some limits.
        spread = found.throughput_pps.value - (found.throughput_pps.low or 0.0)
        assert found.throughput_pps.value <= 1.01 * limit + 3 * spread
    every = [found.throughput_pps, found.cycles_per_packet, *found.latency_ns.values()]
    assert all(math.isfinite(one.value) and one.value >= 0 for one in every)
    for lcore in found.lcores.values():
        shares = (lcore.busy, lcore.polling, lcore.waiting, lcore.disturbed)
        assert sum(shares) == pytest.approx(1, abs=1e-6)
    assert found.capped_by is not None
    if not found.drops and scenario.traffic.offered_pps:
        reached = [name for name in limits_of(scenario) if name == found.capped_by]
        assert reached or found.capped_by == "generator"
