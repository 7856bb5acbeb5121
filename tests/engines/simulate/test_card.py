"""The card: link, packet rates, PCIe, RSS, sending; each against its closed form."""

from __future__ import annotations

from typing import Any

import pytest
from tests.engines.simulate.conftest import Ask

from planecast.engines.simulate.limits import limits_of
from planecast.scenario import Scenario, with_overrides


def test_line_rates_as_everybody_knows_them(base: Scenario) -> None:
    for frame, mpps in ((64, 14.880952), (1518, 0.812744)):
        point = {"nic.link_gbps": 10, "traffic.frame_bytes": frame}
        assert limits_of(with_overrides(base, point))["link"] == pytest.approx(mpps * 1e6)


@pytest.mark.parametrize(
    ("point", "part"),
    [
        ({"nic__link_gbps": 1.0}, "link"),
        ({"nic__link_gbps": 1.0, "traffic__frame_bytes": 1518}, "link"),
        ({"nic__rx_pps": 1.5e6}, "NIC"),
        ({"nic__tx_pps": 1.5e6}, "NIC"),
        ({"nic__port_rx_pps": 1.5e6}, "port"),
        ({"nic__port_tx_pps": 1.5e6}, "port"),
        ({"nic__pcie": "gen2x8", "traffic__frame_bytes": 9000}, "PCIe"),
        ({"nic__pcie": "gen3x8", "traffic__frame_bytes": 9000, "nic__link_gbps": 100}, "PCIe"),
    ],
)
def test_what_is_forwarded_is_what_the_part_lets_through(
    base: Scenario, ask: Ask, point: dict[str, Any], part: str
) -> None:
    changes = {key.replace("__", "."): value for key, value in point.items()}
    limit = limits_of(with_overrides(base, changes))[part]
    found = ask(**point)
    assert found.throughput_pps.value == pytest.approx(limit, rel=0.005)
    assert found.throughput_pps.value <= limit * 1.001
    assert found.capped_by == part


def test_a_card_that_limits_nothing_changes_nothing(ask: Ask, capacity: float) -> None:
    found = ask(nic__ports=1)
    assert found.throughput_pps.value == pytest.approx(capacity, rel=0.005)
    assert found.capped_by == "core"


def test_frames_take_their_time_on_both_wires(ask: Ask) -> None:
    """At a low load a packet's latency is that of memory, its frame sent, and the card's own."""
    low: dict[str, Any] = {"traffic__offered_pps": 1e5, "traffic__frame_bytes": 1518}
    memory = ask(**low).latency_ns["p50"].value
    wire = ask(**low, nic__link_gbps=10.0).latency_ns["p50"].value
    sent_ns = 1538 * 8 / 10
    assert wire - memory == pytest.approx(sent_ns, abs=0.05 * sent_ns)
    slow = ask(**low, nic__link_gbps=10.0, nic__rx_latency_ns=300.0, nic__tx_latency_ns=200.0)
    assert slow.latency_ns["p50"].value - wire == pytest.approx(500, abs=0.05 * sent_ns)


def test_packets_that_are_collected_wait_for_the_others_or_the_timer(ask: Ask) -> None:
    """16 at 100,000 a second would take 150 µs; the timer of 50 µs flushes them before."""
    point: dict[str, Any] = {"traffic__offered_pps": 1e5, "nic__link_gbps": 10.0}
    by_timer = ask(**point, nic__tx_buffer=16, nic__tx_drain_us=50.0).latency_ns
    assert 20_000 < by_timer["mean"].value < 35_000
    assert by_timer["max"].value < 60_000
    by_count = ask(**point, nic__tx_buffer=16, nic__tx_drain_us=1e6).latency_ns
    assert by_count["mean"].value == pytest.approx(75_000, rel=0.02)


def test_an_overloaded_card_drops_and_says_so(ask: Ask) -> None:
    found = ask(nic__rx_pps=1e6, traffic__offered_pps=2e6)
    assert list(found.drops) == ["nic"]
    assert found.packets_in is not None
    assert found.drops["nic"] / found.packets_in == pytest.approx(0.5, abs=0.01)
    assert found.capped_by == "NIC"


def test_rss_shares_flows_out_over_queues(ask: Ask, capacity: float) -> None:
    """Many flows share evenly, one flow loads one lcore."""
    many = ask(nic__ports=1, placement__cpus="0-3", traffic__offered_pps=capacity)
    shares = [lcore.busy for lcore in many.lcores.values()]
    assert max(shares) < 1.15 * min(shares)
    assert set(many.queues) >= {f"port0.rx{queue}" for queue in range(4)}
    one = ask(nic__ports=1, placement__cpus="0-3", traffic__offered_pps=capacity, traffic__flows=1)
    busy = sorted(lcore.busy for lcore in one.lcores.values())
    assert busy[2] == 0
    assert busy[3] > 0.9


def test_two_ports_have_a_wire_each(ask: Ask) -> None:
    found = ask(nic__ports=2, nic__link_gbps=0.5, placement__cpus="0-3")
    assert found.throughput_pps.value == pytest.approx(2 * 0.5e9 / (8 * 84), rel=0.005)
    assert found.capped_by == "link"
