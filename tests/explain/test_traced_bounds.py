"""Stalls of a program that was traced: between nothing and every far load waited for alone."""

from __future__ import annotations

from pathlib import Path

import pytest

from planecast.explain import Case, explain_case
from planecast.explain.explain_inputs import case_of, with_profile
from planecast.explain.traced_bounds import TRACED, TRACED_SCENARIO, traced_of, traced_stalls
from planecast.machine.hierarchy import Hierarchy
from planecast.model.calibration import Calibration
from planecast.results import RunDirectory
from planecast.scenario import Scenario, with_overrides
from planecast.workload.traced.profile import (
    DistanceBin,
    TouchHistogram,
    TracedProfile,
    TracedStage,
)

ROUTER = Scenario.model_validate({"name": "router", "dataplane": {"kind": "l3fwd"}})
NEAR = DistanceBin(0, 1, 20.0)


def traced(far: DistanceBin) -> TracedProfile:
    """Two stages: one touches what is near alone, one some lines that are far."""

    def stage(*bins: DistanceBin) -> TracedStage:
        return TracedStage(
            instructions_per_packet=60.0,
            prefetches_per_packet=0.0,
            loads=TouchHistogram(references_per_packet=30.0, bins=bins),
            stores=TouchHistogram(references_per_packet=10.0, bins=(NEAR,)),
        )

    stages = {"rx": stage(NEAR), "route": stage(NEAR, far)}
    return TracedProfile(
        program="l3fwd",
        tracer="a tracer",
        instruction_set="all",
        packets=1024,
        burst=32,
        lines=1 << 20,
        stages=stages,
    )


def lines_of(hierarchy: Hierarchy, level: int) -> int:
    return int(hierarchy.levels[level].size_bytes / 64)


def test_a_level_serves_what_no_nearer_one_holds(hierarchy: Hierarchy) -> None:
    beyond = lines_of(hierarchy, 0) + 1
    found = traced_stalls(traced(DistanceBin(beyond, beyond + 1, 2.0)), hierarchy, None)
    second = hierarchy.levels[1]
    assert found["rx"] == {}
    stall = found["route"][second.name]
    assert found["route"].keys() == {second.name}
    assert stall.interval == (0.0, pytest.approx(2 * second.latency_cycles))
    assert stall.value == pytest.approx(2 * second.line_cycles)


def test_memory_serves_what_no_cache_holds(hierarchy: Hierarchy) -> None:
    beyond = lines_of(hierarchy, -1) + 1
    found = traced_stalls(traced(DistanceBin(beyond, beyond + 1, 0.5)), hierarchy, None)
    assert found["route"].keys() == {"memory"}
    assert found["route"]["memory"].high == pytest.approx(0.5 * hierarchy.memory_latency_cycles)


def test_a_traced_run_is_explained_and_found_by_its_scenario(
    tmp_path: Path, calibration: Calibration
) -> None:
    beyond = lines_of(calibration.hierarchy, 0) + 1
    trace = traced(DistanceBin(beyond, beyond + 1, 2.0))
    with RunDirectory.create(tmp_path, "profile", "router") as run:
        run.write_json(TRACED, trace)
        run.write_json(TRACED_SCENARIO, ROUTER)
    assert traced_of(ROUTER, tmp_path) == (trace, run.path.name)
    assert traced_of(with_overrides(ROUTER, {"traffic.flows": 7}), tmp_path) is None
    host = {**calibration.manifest.host, "cpu_id": "GenuineIntel-6-143"}
    known = calibration.manifest.model_copy(update={"host": host})
    here = calibration.model_copy(update={"manifest": known})
    own = case_of(RunDirectory(run.path), None, here)
    found = explain_case(own)
    assert [stage.stage for stage in found.stages] == ["rx", "route"]
    level = calibration.hierarchy.levels[1].name
    assert {part.cause for part in found.causes} >= {"issue", level}
    assert any("a trace's distances" in note for note in found.notes)
    assert not any("takes" in text for text in found.limits)  # nothing was timed
    assert any("nothing was timed" in text for text in found.certainty)
    again = with_profile(Case("profile", ROUTER, calibration=here), tmp_path)
    assert (again.traced, again.traced_by) == (trace, run.path.name)
