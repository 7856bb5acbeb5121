"""Every network function whose stages are described is explained by a calibration of its own."""

from __future__ import annotations

import pytest
from tests.calibrations import fitted_function

from planecast.engines.solve import solve
from planecast.explain import Case, explain_case
from planecast.explain.model_breakdown import model_change
from planecast.machine.hierarchy import Hierarchy
from planecast.results import Manifest
from planecast.scenario import Scenario, with_overrides
from planecast.scenario.workload import FUNCTIONS
from planecast.workload.stages.registry import stages_of


@pytest.mark.parametrize("kind", FUNCTIONS)
def test_its_causes_add_up_stage_by_stage(
    kind: str, hierarchy: Hierarchy, manifest: Manifest
) -> None:
    try:
        stages_of(kind)
    except KeyError:
        pytest.skip(f"{kind} has a stage without a descriptor")
    model = fitted_function(kind, hierarchy, manifest)
    stages = FUNCTIONS[kind]
    whole = {"workload.kind": kind, "workload.stages": ",".join(stages) or "none"}
    for point in ({}, {"workload.stages": "none"}, {"placement.page_size": "4KiB"}):
        scenario = with_overrides(Scenario(name=kind), {**whole, **point})
        (said,) = solve([scenario], model, manifest)
        found = explain_case(Case("x", scenario, said, calibration=model))
        assert found.modelled is not None
        assert found.modelled.interval == said.cycles_per_packet.interval
        assert {one.stage for one in found.stages} == {
            "source",
            *scenario.workload.stages,
            *("tx", "loop"),
        }
        for stage in found.stages[:-1]:
            parts = {part.cause: part.cycles.value for part in stage.causes}
            assert stage.cycles is not None
            assert sum(parts.values()) == pytest.approx(stage.cycles.value)
            assert parts["issue"] > 0
            assert parts.get("unexplained", 0) == pytest.approx(0, abs=1e-9)
        assert found.advice
    large = with_overrides(Scenario(name=kind), whole)
    small = with_overrides(large, {"placement.burst": 8})
    change = model_change(large, small, model)
    assert change["all", "bursts"].value > 0
    assert change["all", ""].value == pytest.approx(
        sum(one.value for (stage, cause), one in change.items() if stage == "all" and cause)
    )
