"""Dimensions: an answer in seconds and packets doesn't know how fast a counter ticks, and cycles of
two machines are never mixed."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from tests.calibrations import POINTS as MEASURED
from tests.calibrations import measured

from planecast.engines.simulate.engine import simulate
from planecast.engines.solve import solve
from planecast.model.calibrate import calibrate
from planecast.model.calibration import Calibration
from planecast.results import Manifest
from planecast.scenario import Scenario, with_overrides

POINTS: tuple[dict[str, Any], ...] = (
    {},
    {"traffic.flows": 1 << 20, "placement.page_size": "2MiB"},
    {"placement.cpus": "0-1", "placement.burst": 8},
    {"machine": "gold-6230n", "placement.busy_siblings": True, "placement.llc_ways": 4},
    {"placement.core_ghz": 2.0, "placement.remote_memory": 0.5, "traffic.flows": 1 << 20},
    {"neighbour.stream": 256 << 20, "traffic.flows": 1 << 20},
)


def ticking(calibration: Calibration, times: float) -> Calibration:
    """The same machine, calibrated by a time-stamp counter that ticks so many times as fast:
    no parameter has its unit."""
    machine = calibration.hierarchy

    def slower(noun: Any, *keys: str) -> Any:
        return noun.model_copy(update={key: getattr(noun, key) * times for key in keys})

    levels = tuple(slower(one, "latency_cycles", "line_cycles") for one in machine.levels)
    flights = tuple(slower(one, "line_cycles") for one in machine.flights)
    faster = slower(machine, "tsc_hz", "memory_latency_cycles", "walk_cycles")
    return calibration.model_copy(
        update={
            "hierarchy": faster.model_copy(update={"levels": levels, "flights": flights}),
        }
    )


@pytest.mark.parametrize("point", POINTS, ids=lambda point: " ".join(point) or "base")
def test_a_counter_that_ticks_otherwise_changes_no_rate(
    base: Scenario,
    calibration: Calibration,
    manifest: Manifest,
    point: dict[str, Any],
) -> None:
    scenario, times = with_overrides(base, point), 3.0
    (one,) = solve([scenario], calibration, manifest)
    (other,) = solve([scenario], ticking(calibration, times), manifest)
    assert other.throughput_pps.value == pytest.approx(one.throughput_pps.value, rel=1e-4)
    assert other.throughput_pps.low == pytest.approx(one.throughput_pps.low, rel=1e-3)
    assert other.ipc is not None
    assert one.ipc is not None
    assert other.ipc.value == pytest.approx(one.ipc.value, rel=1e-4)
    assert other.cycles_per_packet.value == pytest.approx(
        times * one.cycles_per_packet.value, rel=1e-4
    )


def test_nor_does_it_in_the_simulator(
    base: Scenario, calibration: Calibration, manifest: Manifest
) -> None:
    scenario = with_overrides(base, {"traffic.offered_pps": 2e6, "traffic.arrivals": "poisson"})
    (one,) = simulate([scenario], calibration, manifest, threads=1)
    (other,) = simulate([scenario], ticking(calibration, 3.0), manifest, threads=1)
    assert other.throughput_pps.value == pytest.approx(one.throughput_pps.value, rel=1e-6)
    for name, latency in one.latency_ns.items():
        assert other.latency_ns[name].value == pytest.approx(latency.value, rel=0.01)


def test_intervals_shrink_with_data(
    base: Scenario, calibration: Calibration, manifest: Manifest
) -> None:
    """Three times as many points, each with noise of its own."""
    counts, machine = dict(calibration.instructions), calibration.hierarchy
    results = measured(MEASURED * 3, base, machine, counts, manifest, noise=0.01)
    more = calibrate(results, machine, counts, manifest)

    informed = [i for i, one in enumerate(calibration.parameters) if one.informed > 0.92]
    assert len(informed) > 3

    def width(model: Calibration) -> float:
        return float(np.sqrt(np.diag(model.matrix)[informed]).sum())

    assert width(more) < 0.8 * width(calibration)
