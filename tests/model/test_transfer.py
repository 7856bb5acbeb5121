"""Scenarios on other machines, clocks, ways and with busy siblings: monotone, wider, refused."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from planecast.engines.measure.unsupported import refuse_unmeasured
from planecast.engines.solve import solve, solve_many
from planecast.errors import InputError
from planecast.machine.hierarchy import TlbLevel
from planecast.model import transfer
from planecast.model.calibration import Calibration
from planecast.model.prediction import cost_of
from planecast.model.target_platform import Site
from planecast.results import Manifest, Result
from planecast.scenario import Scenario, with_overrides
from planecast.scenario.machine import HOST, microarchitecture_of


@pytest.fixture(autouse=True)
def _skylake_host(monkeypatch: pytest.MonkeyPatch) -> None:
    """Whatever runs the tests, its cores count as Skylake's."""
    monkeypatch.setattr(transfer, "_own_core", lambda _: microarchitecture_of("skylake").values)


def ask(base: Scenario, calibration: Calibration, manifest: Manifest, **point: Any) -> Result:
    changes = {key.replace("__", "."): value for key, value in point.items()}
    (found,) = solve([with_overrides(base, changes)], calibration, manifest)
    return found


def width(result: Result) -> float:
    return result.cycles_per_packet.half_width_percent or 0.0


@settings(
    max_examples=15, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(st.floats(0.8, 5), st.floats(0.8, 5))
def test_a_faster_clock_never_harms_and_helps_less_than_linearly(
    base: Scenario, calibration: Calibration, manifest: Manifest, one: float, other: float
) -> None:
    low, high = sorted((one, other))
    slow, fast = (
        ask(base, calibration, manifest, placement__core_ghz=ghz).throughput_pps.value
        for ghz in (low, high)
    )
    assert slow <= fast * (1 + 1e-9)
    assert fast <= slow * high / low * (1 + 1e-9)


def test_a_miss_of_the_first_level_of_the_tlb_follows_the_core_s_clock(
    calibration: Calibration,
) -> None:
    first = TlbLevel(pages=64, miss_cycles=5, large_share=1)
    machine = calibration.hierarchy.model_copy(update={"first_tlb": first})
    known = calibration.model_copy(update={"hierarchy": machine})
    half = Site(HOST, core_ghz=machine.core_hz / 2e9)
    found = transfer.transferred(known, half).calibration.hierarchy.first_tlb
    assert found is not None
    assert found.miss_cycles == pytest.approx(10)
    assert found.pages == first.pages


def test_large_pages_that_a_host_maps_by_small_ones_are_that_host_s_alone(
    base: Scenario, calibration: Calibration
) -> None:
    def walks(site: Site, pages: str) -> float:
        keys = {"workload.flows": 1 << 20, "traffic.flows": 1 << 20, "placement.page_size": pages}
        moved = transfer.transferred(calibration, site).calibration
        _, cost, _ = cost_of([with_overrides(base, keys)], moved)
        return float(cost.by_cause()["page walks"][0])

    here, there = Site(HOST, core_ghz=3.0), Site("gold-6152", core_ghz=3.0)
    assert walks(here, "2MiB") > 1
    assert walks(there, "2MiB") < 1e-3
    assert min(walks(here, "4KiB"), walks(there, "4KiB")) > 1


def test_a_clock_that_no_core_reaches_is_said(
    base: Scenario, calibration: Calibration, manifest: Manifest
) -> None:
    for ghz, said in ((3.7, False), (3.8, True)):  # a Gold 6152's highest turbo is 3.7 GHz
        found = ask(base, calibration, manifest, machine="gold-6152", placement__core_ghz=ghz)
        assert any("more than the 3.7 GHz" in note for note in found.notes) == said


def test_the_calibrated_clock_changes_nothing_but_what_is_said(
    base: Scenario, calibration: Calibration, manifest: Manifest
) -> None:
    plain = ask(base, calibration, manifest)
    same = ask(base, calibration, manifest, placement__core_ghz=3.5)
    assert same.cycles_per_packet.value == pytest.approx(plain.cycles_per_packet.value)
    assert same.ipc is not None
    assert plain.ipc is not None
    assert same.ipc.value == pytest.approx(plain.ipc.value)


def test_more_ways_never_harm(base: Scenario, calibration: Calibration, manifest: Manifest) -> None:
    rates = [
        ask(
            base, calibration, manifest, machine="gold-6230n", placement__llc_ways=ways
        ).throughput_pps.value
        for ways in range(1, 12)
    ]
    assert rates == sorted(rates)
    assert rates[0] < rates[-1]


def test_an_interval_widens_with_what_is_assumed(
    base: Scenario, calibration: Calibration, manifest: Manifest
) -> None:
    plain = ask(base, calibration, manifest)
    clocked = ask(base, calibration, manifest, placement__core_ghz=2.5)
    away = ask(base, calibration, manifest, machine="e5-2699v4")
    assert width(plain) < width(clocked) < width(away)
    assert any("transfer" in note for note in away.notes)
    assert not plain.notes


def test_a_sibling_costs_less_than_half_the_rate(
    base: Scenario, calibration: Calibration, manifest: Manifest
) -> None:
    alone = ask(base, calibration, manifest).throughput_pps.value
    sibling = ask(base, calibration, manifest, placement__busy_siblings=True).throughput_pps.value
    assert 0.4 * alone < sibling < alone


def test_high_priority_cores_are_faster(
    base: Scenario, calibration: Calibration, manifest: Manifest
) -> None:
    rates = {
        name: ask(
            base, calibration, manifest, machine="gold-6230n", placement__core_priority=name
        ).throughput_pps.value
        for name in ("low", "none", "high")
    }
    assert rates["low"] < rates["none"] < rates["high"] < rates["none"] * 2.7 / 2.3


def test_sites_are_answered_in_the_order_asked(
    base: Scenario, calibration: Calibration, manifest: Manifest
) -> None:
    points = [{}, {"machine": "gold-6152"}, {"placement.core_ghz": 2.0}, {"machine": "gold-6152"}]
    together = solve([with_overrides(base, p) for p in points], calibration, manifest)
    alone = [solve([with_overrides(base, p)], calibration, manifest)[0] for p in points]
    assert [r.cycles_per_packet.value for r in together] == pytest.approx(
        [r.cycles_per_packet.value for r in alone], rel=1e-12
    )
    assert [r.notes for r in together] == [r.notes for r in alone]


def test_columns_are_answered_at_their_base_scenario_s_site(
    base: Scenario, calibration: Calibration, manifest: Manifest
) -> None:
    away = with_overrides(base, {"machine": "gold-6152"})
    many = solve_many(away, {"placement.burst": np.array([32.0])}, calibration)
    (one,) = solve([away], calibration, manifest)
    assert many["cycles_per_packet"][0] == pytest.approx(one.cycles_per_packet.value)


@pytest.mark.parametrize(
    ("point", "said"),
    [
        ({"machine": "gold-6230"}, "did you mean gold-6230n"),
        ({"machine": "gold-6230n", "placement.llc_ways": 12}, "has 11 ways"),
        ({"machine": "gold-6230n", "placement.llc_ways": 0}, "llc_ways"),
        ({"machine": "gold-6152", "placement.core_priority": "high"}, "has no classes"),
        ({"machine": "gold-6230n", "placement.cpus": "0-20"}, "20 cores"),
        ({"placement.core_ghz": -1}, "core_ghz"),
    ],
)
def test_impossible_sites_are_refused(base: Scenario, point: dict[str, Any], said: str) -> None:
    with pytest.raises(InputError, match=said):
        with_overrides(base, point)


@pytest.mark.parametrize(
    ("point", "said"),
    [
        ({"placement.llc_ways": 2}, "how many ways"),
        ({"placement.core_priority": "high"}, "clock classes"),
    ],
)
def test_what_the_host_does_not_report_is_refused(
    base: Scenario, calibration: Calibration, manifest: Manifest, point: dict[str, Any], said: str
) -> None:
    with pytest.raises(InputError, match=said):
        solve([with_overrides(base, point)], calibration, manifest)


@pytest.mark.parametrize(
    "point",
    [{"machine": "gold-6152"}, {"placement.core_ghz": 2.0}, {"placement.busy_siblings": True}],
)
def test_measuring_refuses_other_sites(base: Scenario, point: dict[str, Any]) -> None:
    with pytest.raises(InputError, match="is set, but"):
        refuse_unmeasured([with_overrides(base, point)])


def test_another_socket_s_memory_costs_by_its_share(
    base: Scenario, calibration: Calibration, manifest: Manifest
) -> None:
    far = with_overrides(base, {"traffic.flows": 1 << 20})  # beyond every cache
    found = [
        ask(far, calibration, manifest, machine="gold-6152", placement__remote_memory=share)
        for share in (0.0, 0.3, 1.0)
    ]
    costs = [result.cycles_per_packet.value for result in found]
    assert costs == sorted(costs)
    assert costs[0] < costs[1] < costs[2]
    widths = [width(result) for result in found]
    assert widths == sorted(widths)
    assert not any("another socket's" in note for note in found[0].notes)
    assert any("100 % of the lines from memory are another socket's" in n for n in found[2].notes)
    # On the calibrated host, too, whose sockets nobody knows.
    here = ask(far, calibration, manifest, placement__remote_memory=1.0)
    assert any("at 1.6 times the latency (assumed)" in note for note in here.notes)


def test_what_fits_a_cache_does_not_ask_another_socket(
    base: Scenario, calibration: Calibration, manifest: Manifest
) -> None:
    near = with_overrides(base, {"traffic.flows": 64, "workload.acl_rules": 16})
    near = with_overrides(near, {"traffic.destination_step": "0.0.0.1", "workload.routes": 16})
    local, remote = (
        ask(near, calibration, manifest, placement__remote_memory=share).cycles_per_packet.value
        for share in (0.0, 1.0)
    )
    assert remote == pytest.approx(local, rel=0.02)


def test_the_cores_that_are_transferred_from_are_the_calibrated_hosts(
    calibration: Calibration, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Not those of the machine that answers, which may be another."""
    monkeypatch.undo()
    host = {**calibration.manifest.host, "cpu_id": "AuthenticAMD-25-17"}
    manifest = calibration.manifest.model_copy(update={"host": host})
    theirs = calibration.model_copy(update={"manifest": manifest})
    assert transfer._own_core(theirs) == microarchitecture_of("zen4").values
    unknown = manifest.model_copy(update={"host": {**host, "cpu_id": "AuthenticAMD-1-1"}})
    assert transfer._own_core(calibration.model_copy(update={"manifest": unknown})) is None
