"""The engine: the closed form's answer where both can answer, loss and latency where it can't."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from hdrh.histogram import HdrHistogram

from planecast.engines.measure import measure
from planecast.engines.simulate.engine import simulate
from planecast.engines.solve import solve
from planecast.errors import InputError
from planecast.model.calibration import Calibration
from planecast.results import Manifest, Result
from planecast.scenario import Scenario, load_scenario, with_overrides
from planecast.scenario.study import Budget, load_study

VARIED: tuple[Mapping[str, Any], ...] = (
    {"placement.burst": 256, "placement.rx_ring": 32},
    {"placement.burst": 1},
    {"placement.cpus": "0-3"},
    {"workload.stages": "none"},
    {"traffic.flows": 1 << 20},
)


def at_load(base: Scenario, rate: float, **changes: Any) -> Scenario:
    traffic = {f"traffic.{key}": value for key, value in changes.items()}
    return with_overrides(base, {"traffic.offered_pps": rate} | traffic)


def both(
    scenarios: list[Scenario], calibration: Calibration, manifest: Manifest
) -> list[tuple[Result, Result]]:
    closed = solve(scenarios, calibration, manifest)
    return list(zip(closed, simulate(scenarios, calibration, manifest, threads=1), strict=True))


def test_as_the_closed_form_on_every_shipped_scenario(
    repository: Path, base: Scenario, calibration: Calibration, manifest: Manifest
) -> None:
    every = [load_scenario(path) for path in sorted((repository / "scenarios").glob("*.yaml"))]
    shipped = [scenario for scenario in every if scenario.forwards == "vpe-upstream"]
    assert shipped
    for path in sorted((repository / "studies").glob("vpe-upstream.yaml")):
        study = load_study(path)
        points = (*study.calibrate, *study.hold_out)
        shipped += [with_overrides(study.scenario, dict(point)) for point in points]
    shipped += [with_overrides(base, dict(point)) for point in VARIED]
    for closed, found in both(shipped, calibration, manifest):
        assert found.throughput_pps.value == pytest.approx(closed.throughput_pps.value, rel=0.005)
        assert found.cycles_per_packet.value == pytest.approx(
            closed.cycles_per_packet.value, rel=0.005
        )
        assert list(found.stages) == list(closed.stages)
        assert found.capped_by == closed.capped_by
        assert found.throughput_pps.kind == "simulated"
        assert (found.drops, found.latency_ns) == ({}, {})
        assert found.manifest.engine == "simulate"


def test_below_capacity_all_is_forwarded_and_latency_grows(
    base: Scenario, calibration: Calibration, manifest: Manifest, capacity: float
) -> None:
    loads = (0.1, 0.5, 0.9)
    scenarios = [at_load(base, load * capacity, arrivals="poisson") for load in loads]
    results = simulate(scenarios, calibration, manifest, threads=1)
    for load, result in zip(loads, results, strict=True):
        assert result.throughput_pps.value == pytest.approx(load * capacity, rel=0.01)
        assert (result.drops, result.capped_by) == ({}, "generator")
        shown = [result.latency_ns[name].value for name in ("p50", "p90", "p99", "p99.9", "max")]
        assert shown == sorted(shown)
        histogram = HdrHistogram.decode(result.latency_histogram)
        assert histogram.get_value_at_percentile(99) == result.latency_ns["p99"].value
        assert (result.latency_ns["mean"].half_width_percent or 100) <= 1
    means = [result.latency_ns["mean"].value for result in results]
    assert means == sorted(means)
    costs = [result.cycles_per_packet.value for result in results]
    assert costs == sorted(costs, reverse=True)


def test_beyond_capacity_the_ring_overflows(
    base: Scenario, calibration: Calibration, manifest: Manifest, capacity: float
) -> None:
    scenario = at_load(base, 1.25 * capacity)
    (found,) = simulate([scenario], calibration, manifest, threads=1)
    assert found.capped_by == "core"
    assert found.throughput_pps.value == pytest.approx(capacity, rel=0.005)
    assert list(found.drops) == ["rx_ring"]
    assert found.packets_in is not None
    assert found.packets_out is not None
    in_flight = found.packets_in - found.packets_out - found.drops["rx_ring"]
    assert 0 <= in_flight <= scenario.placement.rx_ring + scenario.placement.burst
    assert found.drops["rx_ring"] / found.packets_in == pytest.approx(0.2, abs=0.005)
    # A full ring's wait, within the bursts that it is filled and emptied by.
    full = scenario.placement.rx_ring / capacity * 1e9
    assert full < found.latency_ns["p50"].value < 1.6 * full


def test_the_interval_of_a_rate_ends_at_what_is_offered(
    base: Scenario, calibration: Calibration, manifest: Manifest, capacity: float
) -> None:
    """Just beyond capacity: cheaper packets would not be more packets."""
    offered = 1.01 * capacity
    (found,) = simulate([at_load(base, offered)], calibration, manifest, threads=1)
    rate = found.throughput_pps
    assert found.capped_by == "core"
    assert rate.low is not None
    assert rate.high is not None
    assert rate.low < 0.99 * rate.value, "the cost may be higher"
    assert rate.value <= rate.high <= 1.001 * offered


def test_the_rate_is_split_over_lcores(
    base: Scenario, calibration: Calibration, manifest: Manifest
) -> None:
    two = with_overrides(base, {"placement.cpus": "0-1", "traffic.offered_pps": "2Mpps"})
    (found,) = simulate([two], calibration, manifest, threads=1)
    assert found.throughput_pps.value == pytest.approx(2e6, rel=0.01)
    (one,) = simulate([at_load(base, 1e6)], calibration, manifest, threads=1)
    assert found.latency_ns["p50"].value == pytest.approx(one.latency_ns["p50"].value, rel=0.02)


def test_the_same_seed_gives_the_same_answer(
    base: Scenario, calibration: Calibration, manifest: Manifest, capacity: float
) -> None:
    scenario = at_load(base, 0.8 * capacity, arrivals="poisson")
    again = [
        simulate([scenario, base], calibration, manifest, seed=seed, threads=threads)
        for seed, threads in ((7, 1), (7, 2), (8, 1))
    ]
    assert again[0] == again[1]
    assert again[0][0] != again[2][0]
    assert again[2][0].manifest.seed == 8


def test_a_precision_that_the_time_does_not_allow_is_said(
    base: Scenario, calibration: Calibration, manifest: Manifest, capacity: float
) -> None:
    scenario = at_load(base, 0.95 * capacity, arrivals="poisson")
    (found,) = simulate(
        [scenario], calibration, manifest, precision=1e-4, packets=1_000_000, threads=1
    )
    assert any("before a precision of 0.01 %" in note for note in found.notes)
    with pytest.raises(InputError, match="precision"):
        simulate([scenario], calibration, manifest, precision=0)


def test_a_packet_a_second_ends(
    base: Scenario, calibration: Calibration, manifest: Manifest
) -> None:
    (found,) = simulate([at_load(base, 1)], calibration, manifest, threads=1)
    assert found.throughput_pps.value == pytest.approx(1, rel=0.01)


def test_measuring_refuses_a_rate(base: Scenario, manifest: Manifest) -> None:
    with pytest.raises(InputError, match=r"^base: traffic\.offered_pps is set.*planecast curve"):
        measure([base, at_load(base, 1e6)], Budget(seconds=1, restarts=1), manifest)


def test_what_is_offered_is_simulated_and_no_note_says_otherwise(
    base: Scenario, calibration: Calibration, manifest: Manifest, capacity: float
) -> None:
    offered = 0.4 * capacity
    (found,) = simulate([at_load(base, offered)], calibration, manifest, threads=1)
    assert found.throughput_pps.value == pytest.approx(offered, rel=0.02)
    assert not any("traffic.offered_pps" in note for note in found.notes)
