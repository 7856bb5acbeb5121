"""Loads simulated in trials: pauses and states that are made up do what they must."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from tests.calibrations import base, calibration, counts, hierarchy, manifest
from tests.engines.simulate.conftest import capacity

from planecast.engines.measure.load_estimate import LoadEstimator
from planecast.engines.measure.load_pauses import BothPauses
from planecast.engines.measure.load_sweep import MeasuredLoad, MeasuredLoads
from planecast.engines.measure.load_trials import IDLE, OVERLOAD, SINGLE, Columns
from planecast.engines.simulate.port import Port
from planecast.instruments.pauses import Pauses
from planecast.model.calibration import Calibration
from planecast.results import Estimate, Manifest, Result
from planecast.scenario import Scenario, with_overrides
from planecast.study.replayed_loads import FEWEST, ReplayedLoads, States, replayed_loads

__all__ = ["base", "calibration", "capacity", "counts", "hierarchy", "manifest"]

LOADS = (0.5, 0.8, 1.1)
SECONDS = 0.001
ROUNDS = 40
NONE = np.array([])


def estimate(value: float, unit: str) -> Estimate:
    return Estimate(value=value, samples=ROUNDS, unit=unit, kind="measured")


def columns_of(capacity: float) -> Columns:
    """All points in every round; the machine is at its capacity but for each eighth round, in which
    it is at three quarters and its canaries say so."""
    points = [IDLE, OVERLOAD, SINGLE, *range(len(LOADS))]
    point = np.tile(points, ROUNDS).astype(float)
    slow = np.repeat(np.arange(ROUNDS) % 8 == 0, len(points))
    forwarded = capacity * SECONDS * np.where(slow, 0.75, 1)
    canary = np.where(slow, 3.9, 2.5)
    return {
        "point": point,
        "round": np.repeat(np.arange(ROUNDS), len(points)).astype(float),
        "whole": np.ones(point.size),
        "seconds": np.full(point.size, SECONDS),
        "offered": np.full(point.size, 2 * capacity * SECONDS),
        "forwarded": forwarded,
        "unsent": np.zeros(point.size),
        "canary_compute_before": canary,
        "canary_compute_after": canary,
    }


@pytest.fixture
def port(capacity: float, calibration: Calibration) -> Port:
    packet = calibration.hierarchy.tsc_hz / capacity * 1.3
    return Port(packet_cycles=packet, single_cycles=4 * packet, poll_cycles=70)


@pytest.fixture
def measured(
    base: Scenario, calibration: Calibration, port: Port, manifest: Manifest
) -> MeasuredLoads:
    capacity = calibration.hierarchy.tsc_hz / port.packet_cycles
    loads = [
        MeasuredLoad(
            point=number,
            result=Result(
                scenario=with_overrides(base, {"traffic.offered_pps": load * capacity}),
                throughput_pps=estimate(load * capacity, "pps"),
                cycles_per_packet=estimate(port.packet_cycles, "cycles/packet"),
                manifest=manifest,
            ),
            loss=estimate(0, "share"),
            unsent=0,
            mean_burst=2.0,
            usual_burst=1.5,
            send_call_ns=150,
            receive_call_ns=100,
            receive_wait_ns=300,
            trials=ROUNDS,
        )
        for number, load in enumerate(LOADS)
    ]
    return MeasuredLoads(
        loads=loads,
        capacity_pps=estimate(capacity, "pps"),
        poll_cycles=estimate(port.poll_cycles, "cycles"),
        single_cycles=estimate(port.single_cycles, "cycles/packet"),
        knee=None,
        disturbed_share=0.125,
        trial_seconds=SECONDS,
        tsc_hz=calibration.hierarchy.tsc_hz,
        estimator=LoadEstimator.of(columns_of(capacity)),
        notes=[],
    )


def pauses(lcore_us: float = 0, generator_us: float = 0) -> BothPauses:
    """A pause every 100 us on either CPU, 50 us apart."""

    def of(cpu: int, length_us: float, first_us: float) -> list[Pauses]:
        if length_us == 0:
            return [Pauses(cpu, 0.01, NONE, NONE)]
        starts = (np.arange(100) * 100 + first_us) * 1e-6
        return [Pauses(cpu, 0.01, starts, np.full(100, length_us * 1e-6))]

    return BothPauses(of(1, lcore_us, 0), of(0, generator_us, 50))


@pytest.fixture
def replay(
    measured: MeasuredLoads, calibration: Calibration, manifest: Manifest, port: Port
) -> object:
    def replayed(lcore_us: float = 0, generator_us: float = 0) -> ReplayedLoads:
        both = pauses(lcore_us, generator_us)
        return replayed_loads(measured, both, port, calibration, manifest)

    return replayed


def p99(found: ReplayedLoads, load: int) -> float:
    return found.results[load].latency_ns["p99"].value


def sent(found: ReplayedLoads, load: int) -> float:
    """Packets of a trial."""
    return (found.results[load].packets_in or 0) / found.losses[load].samples


def test_pauses_lose_below_the_capacity_and_are_in_p99(replay: object) -> None:
    calm, paused = replay(), replay(lcore_us=40)  # type: ignore[operator]
    assert [loss.value for loss in calm.losses[:2]] == [0, 0]
    assert calm.knee is not None
    assert paused.knee is None or paused.knee.value < calm.knee.value
    assert p99(paused, 0) > p99(calm, 0) + 15_000
    assert calm.losses[2].value == pytest.approx(1 - 1 / 1.1, abs=0.03)


def test_rounds_in_which_the_cpus_were_apart_are_no_states(measured: MeasuredLoads) -> None:
    columns = dict(measured.estimator.columns)
    apart = columns["round"] % 2 == 1
    columns["forwarded"] = np.where(apart, columns["forwarded"] * 0.6, columns["forwarded"])
    columns["moved"] = apart.astype(float)
    found = States.of(replace(measured, estimator=LoadEstimator.of(columns)), 0.0)
    assert len(found.speeds) == ROUNDS // 2
    assert found.speeds.min() == pytest.approx(0.75)


def test_a_generator_that_pauses_sends_late_and_receives_late(replay: object) -> None:
    calm, paused = replay(), replay(generator_us=20)  # type: ignore[operator]
    assert p99(paused, 0) > p99(calm, 0) + 5_000
    # What is late by more than it catches up is given up: no load, and no loss.
    assert sent(paused, 0) < 0.97 * sent(calm, 0)
    assert paused.disturbed_share == 1


def test_the_rule_for_trials_is_the_measurement_s(replay: object) -> None:
    found = replay()  # type: ignore[operator]
    assert found.disturbed_share == pytest.approx(0.125, abs=0.01)
    assert {loss.kind for loss in found.losses} == {"simulated"}
    assert [loss.samples for loss in found.losses] == [FEWEST] * 3


def test_the_same_again_is_the_same(replay: object) -> None:
    assert replay(20, 10) == replay(20, 10)  # type: ignore[operator]
