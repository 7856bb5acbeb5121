"""A tenant's profile from a run of measure or profile."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.calibrations import base, calibration, counts, hierarchy, manifest
from tests.partition.conftest import described, tenancy

from planecast.engines.solve import solve
from planecast.model.calibration import Calibration
from planecast.partition.assign import naive_cores, shares
from planecast.partition.division import Division, Service
from planecast.partition.predict import Case, predict
from planecast.partition.profile_from_run import split_cost
from planecast.results import Manifest, Result, RunDirectory
from planecast.scenario import Scenario
from planecast.study.profile import Profile as Counted

__all__ = ["base", "calibration", "counts", "hierarchy", "manifest"]

SCENARIO = Scenario(name="vpe")


@pytest.fixture
def runs(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, calibration: Calibration, manifest: Manifest
) -> Path:
    """A runs folder with a calibration in it."""
    monkeypatch.setenv("PLANECAST_RUNS", str(tmp_path))
    with RunDirectory.create(tmp_path, "calibrate", "vpe") as run:
        run.write_result(solve([SCENARIO], calibration, manifest))
        run.write_json("calibration.json", calibration)
    return tmp_path


def measured_run(runs: Path, results: list[Result]) -> str:
    with RunDirectory.create(runs, "measure", "vpe") as run:
        run.write_result(results)
    return run.path.name


def as_measured(result: Result, factor: float) -> Result:
    cost = result.cycles_per_packet.scaled(factor, "cycles/packet")
    return result.model_copy(
        update={"cycles_per_packet": cost.model_copy(update={"kind": "measured"})}
    )


def test_the_parts_add_up_to_what_was_measured(
    calibration: Calibration, manifest: Manifest
) -> None:
    (predicted,) = solve([SCENARIO], calibration, manifest)
    cost = as_measured(predicted, 1.2).cycles_per_packet
    found = split_cost(SCENARIO, calibration, cost)
    h = calibration.hierarchy
    near = found["cycles"] * h.tsc_hz / h.core_hz
    hits = near + found["touches"] * found["exposed"] * h.levels[-1].latency_cycles
    misses = near + found["touches"] * found["exposed"] * h.memory_latency_cycles
    assert hits <= cost.value * 1.01
    assert misses >= cost.value * 0.99
    assert found["touches"] > 0
    assert 0 < found["exposed"] <= 1
    assert found["working_set"] > 1 << 20


def test_more_flows_are_a_larger_working_set(calibration: Calibration) -> None:
    sizes = []
    for flows in (256, 4096, 65536):
        traffic = SCENARIO.traffic.model_copy(update={"flows": flows})
        scenario = SCENARIO.model_copy(update={"traffic": traffic})
        sizes.append(split_cost(scenario, calibration, None)["working_set"])
    assert sizes == sorted(sizes)
    assert sizes[0] < sizes[-1]


def test_a_tenant_may_name_a_run(runs: Path, calibration: Calibration, manifest: Manifest) -> None:
    (predicted,) = solve([SCENARIO], calibration, manifest)
    name = measured_run(runs, [as_measured(predicted, f) for f in (1.0, 2.0)])
    who = tenancy(
        {"name": "a", "cores": 1, "profile": {"run": f"{name}#1"}},
        {"name": "b", "cores": 1, "profile": {"run": f"{name}#2", "uncertainty": 0.5}},
    )
    one, two = (tenant.profile for tenant in who.tenants)
    assert one is not None
    assert two is not None
    assert two.cycles == pytest.approx(2 * one.cycles)
    assert two.uncertainty == 0.5
    machine = described()
    division = Division(
        services=(Service(number=0, l3=0x7FF, bandwidth=100),),
        shares=shares(who, naive_cores(machine, who), lambda tenant: 0),
    )
    (answer,) = predict(machine, who, [Case(division)])
    assert answer.capacity["a"] > answer.capacity["b"]
    # What was computed once stays, though the run may be gone.
    assert type(one).model_validate(one.model_dump()) == one


def test_a_run_of_profile_has_the_models_height(runs: Path, calibration: Calibration) -> None:
    with RunDirectory.create(runs, "profile", "vpe") as run:
        counted = Counted(scenario=SCENARIO, counts=(), touches=None)
        run.write_json("profile.json", counted)
    who = tenancy({"name": "a", "cores": 1, "profile": {"run": run.path.name}})
    profile = who.tenants[0].profile
    assert profile is not None
    assert profile.cycles == pytest.approx(split_cost(SCENARIO, calibration, None)["cycles"])


def test_what_is_no_measured_run_is_reported(
    runs: Path, calibration: Calibration, manifest: Manifest
) -> None:
    (predicted,) = solve([SCENARIO], calibration, manifest)
    for run, fragment in (
        ("nowhere", "there is no such run"),
        (measured_run(runs, [predicted]), "its cost is computed, not measured"),
        (measured_run(runs, [as_measured(predicted, 1.0)] * 2), "the run has 2 results"),
    ):
        with pytest.raises(ValueError, match=fragment):
            tenancy({"name": "a", "cores": 1, "profile": {"run": run}})
