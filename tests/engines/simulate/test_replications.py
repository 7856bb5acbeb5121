"""Percentiles with intervals, from replications."""

from __future__ import annotations

from planecast.engines.simulate.engine import simulate
from planecast.model.calibration import Calibration
from planecast.results import Manifest
from planecast.scenario import Scenario, with_overrides

LOADED = {"traffic.offered_pps": 5e6, "traffic.arrivals": "poisson"}


def test_percentiles_have_an_interval(
    base: Scenario, calibration: Calibration, manifest: Manifest
) -> None:
    scenario = with_overrides(base, LOADED)
    (alone,) = simulate([scenario], calibration, manifest, threads=1)
    assert alone.latency_ns["p99"].interval is None
    two = simulate(
        [scenario, base], calibration, manifest, threads=2, replications=8, packets=200_000
    )
    found = two[0].latency_ns["p99"]
    assert found.interval is not None
    assert found.samples == 8
    low, high = found.interval
    assert low < found.value < high
    # A much longer run is the truth that eight short ones should be near.
    assert abs(found.value - alone.latency_ns["p99"].value) < 3 * (high - low)
    assert any("of 8 runs" in note for note in two[0].notes)
    assert two[1].latency_ns == {}


def test_more_runs_make_it_narrower(
    base: Scenario, calibration: Calibration, manifest: Manifest
) -> None:
    scenario = with_overrides(base, LOADED)
    widths = []
    for runs in (4, 64):
        (found,) = simulate(
            [scenario], calibration, manifest, threads=1, replications=runs, packets=30_000
        )
        low, high = found.latency_ns["p99"].interval or (0.0, 0.0)
        widths.append(high - low)
    assert 0 < widths[1] < widths[0]
