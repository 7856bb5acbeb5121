"""Flow classes: each has its own arrivals, sizes, meters, loss and latency."""

from __future__ import annotations

import pytest
from tests.engines.simulate.conftest import Ask

from planecast.engines.measure.unsupported import refuse_unmeasured
from planecast.engines.simulate.engine import simulate
from planecast.engines.solve import solve
from planecast.errors import InputError
from planecast.model.calibration import Calibration
from planecast.results import Manifest, Result
from planecast.scenario import Scenario, with_overrides

TWO = "voice share=25% frame_bytes=128; bulk share=75% frame_bytes=1518"


def test_classes_add_up_to_all(ask: Ask, capacity: float) -> None:
    found = ask(traffic__classes=TWO, traffic__offered_pps=0.5 * capacity)
    assert list(found.classes) == ["voice", "bulk"]
    assert sum(one.packets_in for one in found.classes.values()) == found.packets_in
    assert sum(one.packets_out for one in found.classes.values()) == found.packets_out
    share = found.classes["voice"].packets_in / (found.packets_in or 1)
    assert share == pytest.approx(0.25, abs=0.02)
    assert any(note.startswith("class voice: ") for note in found.notes)


def test_without_classes_there_are_none(ask: Ask, capacity: float) -> None:
    assert ask(traffic__offered_pps=0.5 * capacity).classes == {}


def test_long_frames_wait_for_their_wire(ask: Ask, capacity: float) -> None:
    found = ask(traffic__classes=TWO, traffic__offered_pps=0.05 * capacity, nic__link_gbps=100.0)
    short, long = (found.classes[name].latency_ns["p50"].value for name in ("voice", "bulk"))
    assert long - short > 60  # at least a wire's time of 1,390 bytes more, once


def test_a_class_with_its_own_rate_has_its_own_arrivals(ask: Ask, capacity: float) -> None:
    rates = (round(0.1 * capacity), round(0.4 * capacity))
    found = ask(traffic__classes=f"a offered_pps={rates[0]}; b offered_pps={rates[1]}")
    for name, rate in zip("ab", rates, strict=True):
        assert found.classes[name].throughput_pps.value == pytest.approx(rate, rel=0.01)


def test_red_packets_end_at_the_policer(ask: Ask, capacity: float) -> None:
    classes = "green share=1 dscp=10; red share=1 dscp=14"
    found = ask(traffic__classes=classes, traffic__offered_pps=0.5 * capacity)
    assert found.classes["red"].loss.value == pytest.approx(1, abs=0.001)
    assert found.classes["green"].loss.value == 0
    assert found.drops == {"policer": found.classes["red"].dropped}


def test_meters_are_the_flows_of_a_class(ask: Ask, capacity: float) -> None:
    found = ask(
        traffic__classes="few share=1 flows=10; many share=1 flows=1000",
        traffic__offered_pps=0.5 * capacity,
        workload__meter_rate=3_800_000,
        workload__meter_burst=1500,
    )
    # 38 bytes of a 64-byte frame count: 100,000 packets a second and flow.
    assert found.classes["few"].throughput_pps.value == pytest.approx(1e6, rel=0.02)
    assert found.classes["many"].loss.value == 0


def test_overload_is_everybodys(ask: Ask, capacity: float) -> None:
    found = ask(
        traffic__classes="a share=1; b share=2",
        traffic__offered_pps=1.25 * capacity,
        traffic__arrivals="poisson",
    )
    for one in found.classes.values():
        assert one.loss.value == pytest.approx(0.2, abs=0.02)


def test_runs_give_classes_their_intervals(
    base: Scenario, calibration: Calibration, manifest: Manifest, capacity: float
) -> None:
    scenario = with_overrides(
        base,
        {
            "traffic.classes": TWO,
            "traffic.offered_pps": 0.8 * capacity,
            "traffic.arrivals": "poisson",
        },
    )
    (found,) = simulate(
        [scenario], calibration, manifest, threads=1, replications=3, packets=50_000
    )
    for one in found.classes.values():
        assert one.latency_ns["p99"].interval is not None
        assert one.loss.interval is not None


def closed(base: Scenario, calibration: Calibration, manifest: Manifest, classes: str) -> Result:
    scenario = with_overrides(base, {"traffic.classes": classes})
    return solve([scenario], calibration, manifest)[0]


def test_the_closed_form_uses_shares_and_flows(
    base: Scenario, calibration: Calibration, manifest: Manifest
) -> None:
    def cycles(classes: str) -> float:
        return closed(base, calibration, manifest, classes).cycles_per_packet.value

    alike = cycles("none")
    # Two halves of the same traffic are the same traffic.
    assert cycles("a share=1; b share=1") == pytest.approx(alike, rel=1e-9)
    # Most packets in few flows: their lines stay near.
    skewed = cycles("hot share=9 flows=64; cold share=1 flows=65472")
    assert cycles("hot flows=64") < skewed < alike


def test_closed_form_and_simulation_agree_with_classes(
    base: Scenario, calibration: Calibration, manifest: Manifest
) -> None:
    classes = "hot share=9 flows=64; cold share=1 flows=4096 frame_bytes=1518"
    scenario = with_overrides(base, {"traffic.classes": classes})
    computed = closed(base, calibration, manifest, classes).throughput_pps.value
    (simulated,) = simulate([scenario], calibration, manifest, threads=1)
    assert simulated.throughput_pps.value == pytest.approx(computed, rel=0.005)


def test_a_measurement_refuses_them(base: Scenario) -> None:
    with pytest.raises(InputError, match=r"traffic\.classes is set, but what is measured is sent"):
        refuse_unmeasured([with_overrides(base, {"traffic.classes": TWO})])
