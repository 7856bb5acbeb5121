"""Packets that stages drop: by their cause, at their cost, and with less to do behind them."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

from planecast.engines.simulate.engine import simulate
from planecast.engines.simulate.policer import meters
from planecast.engines.simulate.stage_cost import stage_costs
from planecast.model.calibration import Calibration
from planecast.results import Manifest
from planecast.scenario import Scenario, with_overrides


def test_later_stages_serve_what_is_left(
    base: Scenario, calibration: Calibration, manifest: Manifest
) -> None:
    """Saturated, each stage costs what a burst of those that are left does, a binomial number of a
    full one, and the drops' extra."""
    shares, extra = {"acl": 0.25, "classify": 0.1}, 50.0
    point = {"traffic.dropped": "acl:25%,classify:0.1", "traffic.drop_cycles": extra}
    (found,) = simulate([with_overrides(base, point)], calibration, manifest, threads=1)
    (cost,) = stage_costs([base], calibration)
    burst, left, cycles = base.placement.burst, 1.0, 0.0
    for stage in cost.stages:
        reach = stats.binom.pmf(np.arange(1, burst + 1), burst, left)
        cycles += float(reach @ stage.cycles)
        cycles += extra * burst * left * shares.get(stage.name, 0.0)
        left *= 1 - shares.get(stage.name, 0.0)
    theory = calibration.hierarchy.tsc_hz * burst * left / cycles
    assert found.throughput_pps.value == pytest.approx(theory, rel=0.005)
    assert found.capped_by == "core"
    assert found.packets_in is not None
    assert found.packets_out is not None
    assert found.drops["acl"] / found.packets_in == pytest.approx(0.25, abs=0.005)
    assert found.drops["flow_miss"] / found.packets_in == pytest.approx(0.075, abs=0.005)
    assert set(found.drops) == {"acl", "flow_miss"}
    assert found.packets_out / found.packets_in == pytest.approx(left, abs=0.005)


def test_the_policer_lets_each_flow_its_rate(
    base: Scenario, calibration: Calibration, manifest: Manifest
) -> None:
    """Meters count IP packets: 38 bytes of a frame of 64 with two VLAN tags."""
    flows, each_pps = 16, 1e4
    point = {
        "traffic.flows": flows,
        "traffic.offered_pps": 1e6,
        "workload.meter_rate": int(38 * each_pps),
        "workload.meter_burst": 3800,
    }
    metered = with_overrides(base, point)
    loose = with_overrides(metered, {"workload.meter_rate": 38 * 200_000})
    saturated = with_overrides(metered, {"traffic.offered_pps": None})
    found, all_through, full = simulate([metered, loose, saturated], calibration, manifest)
    assert found.throughput_pps.value == pytest.approx(flows * each_pps, rel=0.02)
    assert set(found.drops) == {"policer"}
    # A meter of twice a flow's mean rate hardly ever runs dry.
    assert sum(all_through.drops.values()) < 1e-3 * (all_through.packets_in or 0)
    # At full load no more gets through, and the lcore is busy with what is dropped.
    assert full.throughput_pps.value == pytest.approx(flows * each_pps, rel=0.02)
    (lcore,) = full.lcores.values()
    assert lcore.busy == pytest.approx(1, abs=0.01)


def test_usual_meters_are_not_simulated(base: Scenario) -> None:
    assert not base.workload.polices
    assert meters(base) == {}
    tight = with_overrides(base, {"workload.meter_burst": 64})
    assert meters(tight)["policer_meters"] == base.traffic.flows


def test_what_a_rule_denies_is_no_overload(
    base: Scenario, calibration: Calibration, manifest: Manifest
) -> None:
    point = {"traffic.dropped": "route:0.5", "traffic.offered_pps": 1e6}
    (found,) = simulate([with_overrides(base, point)], calibration, manifest, threads=1)
    assert found.capped_by == "generator"
    assert list(found.drops) == ["route_miss"]
    link = point | {"nic.link_gbps": 0.5}
    (found,) = simulate([with_overrides(base, link)], calibration, manifest, threads=1)
    assert found.throughput_pps.value == pytest.approx(0.5 * 0.5e9 / (8 * 84), rel=0.01)
    assert found.capped_by == "link"
