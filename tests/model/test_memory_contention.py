"""Many lcores on one memory: its latency rises with what they ask, and the cost with it."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from planecast.engines.solve import solve, solve_many
from planecast.errors import InputError
from planecast.machine.memory import Memory
from planecast.model import transfer
from planecast.model.calibration import Calibration
from planecast.model.memory_contention import under_load
from planecast.model.prediction import predict
from planecast.results import Manifest, Result, collect_manifest
from planecast.scenario import Scenario, with_overrides
from planecast.scenario.machine import microarchitecture_of


@pytest.fixture(autouse=True)
def _skylake_host(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(transfer, "_own_core", lambda _: microarchitecture_of("skylake").values)


def manifest() -> Manifest:
    return collect_manifest("solve", 1, "planecast predict")


def ask(base: Scenario, calibration: Calibration, lcores: int, **more: Any) -> Result:
    keys = {"traffic.flows": 1 << 20, "placement.lcores": lcores, **more}
    (found,) = solve([with_overrides(base, keys)], calibration, manifest())
    return found


def test_each_lcore_makes_memory_slower(base: Scenario, calibration: Calibration) -> None:
    keys = {"traffic.flows": 1 << 20, "machine": "gold-6152"}
    asked = [
        with_overrides(base, {**keys, "placement.lcores": lcores}) for lcores in (1, 4, 11, 22)
    ]
    load = predict(asked, calibration).load
    assert load is not None
    assert list(load.factor) == sorted(load.factor)
    assert load.factor[0] < 1.02 < load.factor[-1]
    assert list(load.gbs) == sorted(load.gbs)


def on_cpus(calibration: Calibration, cpus: int) -> Calibration:
    host = {**calibration.manifest.host, "cpus": cpus}
    manifest = calibration.manifest.model_copy(update={"host": host})
    return calibration.model_copy(update={"manifest": manifest})


def test_more_lcores_than_the_host_has_are_refused(
    base: Scenario, calibration: Calibration
) -> None:
    two = on_cpus(calibration, 2)
    with pytest.raises(InputError, match="32 lcores forward, but the calibrated host has 2 CPUs"):
        ask(base, two, 32)
    with pytest.raises(InputError, match="3 lcores forward"):
        solve_many(
            with_overrides(base, {"placement.lcores": 3}), {"placement.burst": np.ones(2)}, two
        )
    assert ask(base, two, 2).throughput_pps.value > 0
    assert ask(base, two, 22, machine="gold-6152").throughput_pps.value > 0


def test_what_is_offered_is_said(base: Scenario, calibration: Calibration) -> None:
    able = ask(base, calibration, 1).throughput_pps.value
    for share, words in ((0.5, "50 % of what can be forwarded"), (2.0, "50 % are lost")):
        found = ask(base, calibration, 1, **{"traffic.offered_pps": share * able})
        assert found.throughput_pps.value == pytest.approx(able)
        assert any("traffic.offered_pps" in note and words in note for note in found.notes)


def test_the_answer_says_so(base: Scenario, calibration: Calibration) -> None:
    many = ask(base, calibration, 22, machine="gold-6152")
    (note,) = [note for note in many.notes if "memory's latency" in note]
    assert "GB/s that all lcores move" in note
    alone = ask(base, calibration, 1, machine="gold-6152")
    assert not any("memory's latency" in note for note in alone.notes)
    # Of this host nobody knows what its memory moves.
    here = ask(base, on_cpus(calibration, 22), 22)
    assert not any("memory's latency" in note for note in here.notes)


def test_columns_are_answered_the_same(base: Scenario, calibration: Calibration) -> None:
    keys = {"machine": "gold-6152", "placement.lcores": 22, "traffic.flows": 1 << 20}
    far = with_overrides(base, keys)
    many = solve_many(far, {"placement.burst": np.array([32.0, 64.0])}, calibration)
    (one,) = solve([far], calibration, manifest())
    assert many["cycles_per_packet"][0] == pytest.approx(one.cycles_per_packet.value, rel=1e-9)


@given(
    st.floats(50, 2000), st.floats(0, 500), st.floats(0, 20), st.integers(1, 64), st.floats(5, 300)
)
def test_cost_and_load_fit(
    idle: float, rise: float, lines: float, lcores: int, peak: float
) -> None:
    memory = Memory(80.0, peak)
    found = under_load(
        np.array([idle]),
        np.array([idle + rise]),
        memory_lines=np.array([lines]),
        pps_cycles=np.array([2e9 * lcores]),
        memory=memory,
    )
    cost = idle + (found.factor[0] - 1) * rise
    assert found.factor[0] >= 1
    assert found.gbs[0] == pytest.approx(lines * 64 * 2 * lcores / cost, rel=1e-9)
    assert memory.latency_ns(float(found.gbs[0])) / 80 == pytest.approx(found.factor[0], rel=1e-3)
