"""Scenarios as columns: the same answers as the scenarios one by one, whatever is varied."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import pytest

from planecast.engines.solve import solve, solve_many
from planecast.errors import InputError
from planecast.model.calibration import Calibration
from planecast.results import Manifest
from planecast.scenario import Scenario, with_overrides
from planecast.workload.scenario_columns import ScenarioColumns

POINTS: list[dict[str, Any]] = [
    {"traffic.flows": 256, "placement.burst": 8, "placement.lcores": 1},
    {"traffic.flows": 1 << 20, "placement.burst": 32, "placement.lcores": 2},
    {"traffic.flows": 70_000, "placement.burst": 100, "placement.lcores": 4},
    {"traffic.flows": 3_000, "placement.burst": 17, "placement.lcores": 1},
]


def columns(points: list[dict[str, Any]]) -> Mapping[str, Any]:
    return {
        "traffic.flows": np.array([float(point["traffic.flows"]) for point in points]),
        "placement.burst": np.array([float(point["placement.burst"]) for point in points]),
        "placement.lcores": np.array([float(point["placement.lcores"]) for point in points]),
    }


def test_columns_answer_as_scenarios_do(
    base: Scenario, calibration: Calibration, manifest: Manifest
) -> None:
    many = solve_many(base, columns(POINTS), calibration)
    single = solve([with_overrides(base, point) for point in POINTS], calibration, manifest)
    for name in ("throughput_pps", "cycles_per_packet"):
        estimates = [getattr(result, name) for result in single]
        assert many[name] == pytest.approx([e.value for e in estimates], rel=1e-12)
        assert many[f"{name}_low"] == pytest.approx([e.low for e in estimates], rel=1e-9)
        assert many[f"{name}_high"] == pytest.approx([e.high for e in estimates], rel=1e-9)
    assert many["capped_by"].tolist() == [result.capped_by for result in single]
    assert many["extrapolates"].tolist() == [bool(result.notes) for result in single]


def test_parts_answer_as_the_whole(
    base: Scenario, calibration: Calibration, monkeypatch: pytest.MonkeyPatch
) -> None:
    whole = solve_many(base, columns(POINTS), calibration)
    monkeypatch.setattr("planecast.engines.solve.batch.CHUNK", 3)
    parts = solve_many(base, columns(POINTS), calibration)
    assert parts["cycles_per_packet"] == pytest.approx(whole["cycles_per_packet"], rel=1e-12)


def test_columns_of_two_lengths_and_unknown_keys_are_refused(base: Scenario) -> None:
    with pytest.raises(ValueError, match="one length"):
        ScenarioColumns.over(base, {"traffic.flows": np.ones(2), "placement.burst": np.ones(3)})
    with pytest.raises(KeyError):
        ScenarioColumns.over(base, {"traffic.seed": np.ones(2)})


def test_what_the_closed_form_does_not_know_is_refused(
    base: Scenario, calibration: Calibration
) -> None:
    other = with_overrides(base, {"nic.link_gbps": 10})
    with pytest.raises(InputError, match="nic"):
        solve_many(other, columns(POINTS), calibration)
