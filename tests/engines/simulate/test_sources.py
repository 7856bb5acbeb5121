"""Arrivals, frame sizes and new flows, from a scenario to what comes out."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from tests.engines.simulate.conftest import Ask
from tests.engines.simulate.test_capture import pcap, udp

from planecast.engines.simulate.stage_cost import stage_costs
from planecast.model.calibration import Calibration
from planecast.scenario import Scenario, with_overrides


def test_batches_at_random_wait_as_the_formula_says(
    ask: Ask, base: Scenario, calibration: Calibration
) -> None:
    """M^[X]/D/1 with constant batches of b: the mean time in the system is

    s + ρs/(2(1 − ρ)) + (b − 1)s/(2(1 − ρ)), in a system that serves one packet at a time; a poll
    of bursts of one is that, but for the empty poll that an arrival may find under way.
    """
    batch, load = 8, 0.6
    one = with_overrides(base, {"placement.burst": 1, "placement.rx_ring": 16384})
    (cost,) = stage_costs([one], calibration)
    per_packet = cost.per_packet(1)
    rate = load * calibration.hierarchy.tsc_hz / per_packet
    found = ask(
        placement__burst=1,
        placement__rx_ring=16384,
        traffic__offered_pps=rate,
        traffic__arrivals="on_off",
        traffic__burst_packets=batch,
        traffic__burst_gaps="poisson",
    )
    time_ns = per_packet / calibration.hierarchy.tsc_hz * 1e9
    theory = time_ns * (1 + (load + batch - 1) / (2 * (1 - load)))
    mean = found.latency_ns["mean"]
    polls_ns = max(cost.stages[0].empty_cycles, 20) / calibration.hierarchy.tsc_hz * 1e9
    assert mean.low is not None
    assert mean.high is not None
    assert mean.low - 0.01 * theory < theory + polls_ns
    assert mean.high + 0.01 * theory > theory
    assert found.throughput_pps.value == pytest.approx(rate, rel=0.02)


def test_bursts_larger_than_the_ring_lose_what_has_no_room(ask: Ask, capacity: float) -> None:
    """All at once, b packets find an idle core: a ring of r takes r, b − r are lost."""
    ring, batch = 64, 96
    found = ask(
        placement__rx_ring=ring,
        traffic__offered_pps=0.1 * capacity,
        traffic__arrivals="on_off",
        traffic__burst_packets=batch,
    )
    assert found.packets_in is not None
    assert found.drops["rx_ring"] / found.packets_in == pytest.approx(1 - ring / batch, abs=0.01)
    assert found.capped_by == "ring"
    spread = ask(
        placement__rx_ring=ring,
        traffic__offered_pps=0.1 * capacity,
        traffic__arrivals="on_off",
        traffic__burst_packets=batch,
        traffic__burst_pps=0.5 * capacity,
    )
    assert spread.drops == {}


def test_a_mix_comes_in_its_shares(ask: Ask) -> None:
    """At the line rate of 1 Gbit/s a mix of two has 1e9 / (8 · mean) packets a second."""
    found = ask(traffic__frame_mix="64:3,1518:1", nic__link_gbps=1)
    mean = (3 * 84 + 1538) / 4
    assert found.throughput_pps.value == pytest.approx(1e9 / (8 * mean), rel=0.01)
    assert found.capped_by == "link"


def test_a_mix_beyond_the_calibrated_sizes_is_reported(ask: Ask) -> None:
    found = ask(traffic__frame_mix="64:1,9000:1")
    assert any("traffic.frame_bytes=9000 lies outside" in note for note in found.notes)


def test_new_flows_take_their_cycles(ask: Ask, calibration: Calibration) -> None:
    """The lcore is busier by new flows a second times cycles a flow, a share of its clock."""
    rate, opened, cycles = 2e6, 1e6, 400.0
    plain = ask(traffic__offered_pps=rate)
    found = ask(
        traffic__offered_pps=rate,
        traffic__new_flows_pps=opened,
        workload__new_flow_cycles=cycles,
    )
    (one,), (other,) = plain.lcores.values(), found.lcores.values()
    # Longer service makes larger bursts, and their cost a burst is shared: bounds on both sides.
    more = opened * cycles / calibration.hierarchy.tsc_hz
    assert 0.5 * more < other.busy - one.busy < 1.05 * more


def test_a_capture_is_played_again_and_again(ask: Ask, tmp_path: Path) -> None:
    frames = [(1000 * n, udp(0x0A000001 + n, 0xC6120001, (1024, 80))) for n in range(512)]
    path = tmp_path / "c.pcap"
    path.write_bytes(pcap(frames))
    point: dict[str, Any] = {"traffic__arrivals": "pcap", "traffic__pcap": str(path)}
    found = ask(**point)
    assert found.throughput_pps.value == pytest.approx(1e6, rel=0.01)
    assert (found.drops, found.capped_by) == ({}, "generator")
    assert found.latency_ns["p50"].value > 0
    faster = ask(traffic__offered_pps=2e6, **point)
    assert faster.throughput_pps.value == pytest.approx(2e6, rel=0.01)
    two = ask(placement__cpus="0-1", **point)
    shares = [lcore.busy for lcore in two.lcores.values()]
    assert min(shares) > 0.5 * max(shares)
