"""Devices that serve a stage, hardware threads, and what takes lcores away."""

from __future__ import annotations

from typing import Any

import pytest
from tests.engines.simulate.conftest import Ask

from planecast.engines.simulate.stage_cost import PipelineCost, stage_costs
from planecast.model.calibration import Calibration
from planecast.scenario import Scenario


@pytest.fixture
def cost(base: Scenario, calibration: Calibration) -> PipelineCost:
    return stage_costs([base], calibration)[0]


def without_acl(cost: PipelineCost, burst: int) -> float:
    """Cycles a packet of all other stages."""
    return sum(stage.per_packet(burst) for stage in cost.stages if stage.name != "acl")


def test_an_lcore_waits_for_a_device_that_it_asks(
    ask: Ask, base: Scenario, calibration: Calibration, cost: PipelineCost
) -> None:
    """A burst of n: the core's own part, then n/pps + latency for the device."""
    burst, pps, latency_ns = base.placement.burst, 20e6, 500.0
    found = ask(accelerator__stage="acl", accelerator__pps=pps, accelerator__latency_ns=latency_ns)
    own_s = burst * without_acl(cost, burst) / calibration.hierarchy.tsc_hz
    theory = burst / (own_s + burst / pps + latency_ns * 1e-9)
    assert found.throughput_pps.value == pytest.approx(theory, rel=0.005)
    (lcore,) = found.lcores.values()
    assert lcore.waiting == pytest.approx((burst / pps + latency_ns * 1e-9) * theory / burst, 0.01)


def test_a_slow_device_is_what_limits(ask: Ask) -> None:
    for mode in ("sync", "lookaside"):
        found = ask(accelerator__stage="acl", accelerator__pps=5e5, accelerator__mode=mode)
        assert found.capped_by == "accelerator"
        assert found.throughput_pps.value <= 5e5 * 1.001
    assert found.throughput_pps.value == pytest.approx(5e5, rel=0.005)
    assert list(found.drops) == ["accelerator"]


def test_a_device_that_is_half_idle_caps_nothing(ask: Ask) -> None:
    """A core that waits for each burst uses a device of about its own speed half of the time."""
    for keys in ({"accelerator__pps": 1e7}, {"accelerator__latency_ns": 20_000.0}):
        found = ask(accelerator__stage="acl", **keys)
        (lcore,) = found.lcores.values()
        assert lcore.waiting > lcore.busy
        assert found.throughput_pps.value < 0.9e7
        assert found.capped_by == "core waiting for accelerator"


def test_look_aside_overlaps_what_waiting_does_not(
    ask: Ask, base: Scenario, calibration: Calibration, cost: PipelineCost
) -> None:
    """With a device fast enough the lcore is the limit: all stages but the one, and its hand-over.

    Only fewer packets a poll of the results could cost more, so the bound is two-sided.
    """
    burst = base.placement.burst
    found = ask(
        accelerator__stage="acl",
        accelerator__mode="lookaside",
        accelerator__latency_ns=2000.0,
        accelerator__core_cycles=10.0,
        accelerator__queue=16384,
    )
    theory = calibration.hierarchy.tsc_hz / (without_acl(cost, burst) + 10)
    assert 0.9 * theory < found.throughput_pps.value < 1.001 * theory
    waiting = ask(
        accelerator__stage="acl", accelerator__latency_ns=2000.0, accelerator__core_cycles=10.0
    )
    assert found.throughput_pps.value > waiting.throughput_pps.value


def test_devices_stand_in_every_chain(ask: Ask) -> None:
    one = ask(accelerator__stage="acl", accelerator__pps=1e6, accelerator__mode="lookaside")
    two = ask(
        accelerator__stage="acl",
        accelerator__pps=1e6,
        accelerator__mode="lookaside",
        placement__cpus="0-3",
        placement__cuts="classify",
    )
    assert two.throughput_pps.value == pytest.approx(2 * one.throughput_pps.value, rel=0.01)
    assert {"device0", "device1"} <= set(two.queues)


@pytest.mark.parametrize("per_second", [2000, 5000, 10000])
@pytest.mark.parametrize("periodic", [True, False])
def test_what_takes_an_lcore_away_takes_its_share(
    ask: Ask, *, periodic: bool, per_second: int
) -> None:
    """Saturated, what is left is 1 - rate * duration, whether at equal distances or at random: one
    that comes while another lasts waits for its end."""
    quiet = ask().throughput_pps.value
    found = ask(
        interference__per_second=per_second,
        interference__duration_us=50,
        interference__periodic=periodic,
    )
    share = found.throughput_pps.value / quiet
    assert share == pytest.approx(1 - per_second * 50e-6, abs=0.02)
    (lcore,) = found.lcores.values()
    assert lcore.disturbed == pytest.approx(1 - share, abs=0.005)


def test_interrupts_show_in_the_tail(ask: Ask) -> None:
    """1,000 a second of 100 µs: a packet in ten meets one, and the median does not."""
    loaded: dict[str, Any] = {"traffic__offered_pps": 5e5, "placement__rx_ring": 16384}
    quiet = ask(**loaded).latency_ns
    found = ask(**loaded, interference__per_second=1000, interference__duration_us=100).latency_ns
    assert found["p50"].value < 1.5 * quiet["p50"].value
    assert found["p99"].value > 50_000
    assert quiet["p99"].value < 10_000


def test_a_precise_run_holds_interruptions_that_seldom_come(ask: Ask) -> None:
    found = ask(
        traffic__offered_pps=2e5, interference__per_second=20, interference__duration_us=300
    )
    (lcore,) = found.lcores.values()
    assert lcore.disturbed == pytest.approx(20 * 300e-6, rel=0.5)
    assert found.latency_ns["max"].value > 100_000
    assert any("interruptions fell into the" in note for note in found.notes)


def test_that_no_interruption_fell_into_a_run_is_said(ask: Ask) -> None:
    """The run ends at its most packets long before the first one."""
    found = ask(traffic__offered_pps=5e6, interference__per_second=1e-3)
    (lcore,) = found.lcores.values()
    assert lcore.disturbed == 0
    assert any("no interruption fell into the 40 s" in note for note in found.notes)


def test_siblings_slow_each_other(ask: Ask) -> None:
    alone = ask(placement__cpus="0-1").throughput_pps.value
    both = ask(placement__cpus="0-1", interference__siblings="0+1", interference__busy_factor=1.6)
    # At the very start one may find the other not yet at work.
    assert both.throughput_pps.value == pytest.approx(alone / 1.6, rel=0.01)
