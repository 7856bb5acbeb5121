"""Every network function whose stages are described is swept, bounded and weighed."""

from __future__ import annotations

import pytest
from tests.calibrations import fitted_function

from planecast.engines.solve import solve
from planecast.machine.hierarchy import Hierarchy
from planecast.results import Manifest
from planecast.scenario import Scenario, with_overrides
from planecast.scenario.workload import FUNCTIONS, WITHOUT_FLOWS
from planecast.sweep import Job, Plan, parse_axis
from planecast.sweep.answer import answer
from planecast.sweep.bounds import bounds
from planecast.sweep.sensitivity import default_axes, sensitivity
from planecast.workload.stages.registry import stages_of


@pytest.mark.parametrize("kind", FUNCTIONS)
def test_it_is_answered(kind: str, hierarchy: Hierarchy, manifest: Manifest) -> None:
    try:
        stages_of(kind)
    except KeyError:
        pytest.skip(f"{kind} has a stage without a descriptor")
    model = fitted_function(kind, hierarchy, manifest)
    whole = ",".join(FUNCTIONS[kind]) or "none"
    base = with_overrides(Scenario(name=kind), {"workload.kind": kind, "workload.stages": whole})

    def job(*axes: str) -> Job:
        return Job(
            plan=Plan.of(base, [parse_axis(text) for text in axes], "grid", None, 1),
            calibration=model,
            engine="solve",
            precision=0.1,
            batch=64,
            manifest=manifest,
        )

    crowded = answer(job("traffic.flows=256,1Mi").model_dump_json(), 0)["refused"].tolist()
    assert (crowded[1] is None) == (kind in WITHOUT_FLOWS)
    asked = job("traffic.flows=256,65536", "placement.burst=8,32")
    columns = answer(asked.model_dump_json(), 0)
    points = [with_overrides(base, asked.plan.point(n)) for n in range(4)]
    single = [one.cycles_per_packet for one in solve(points, model, manifest)]
    assert list(columns["refused"]) == [None] * 4
    assert columns["cycles_per_packet"] == pytest.approx([one.value for one in single])
    assert columns["cycles_per_packet_high"] == pytest.approx([one.high for one in single])
    rate = {b.name: b.result.throughput_pps.value for b in bounds(base, model, manifest, {})}
    assert rate["as-it-is"] <= rate["infinite-llc"] <= rate["all-near"] <= rate["ideal-cpi"]
    if whole != "none":
        left_out = answer(job(f"workload.stages=[{whole}],[]").model_dump_json(), 0)
        assert left_out["cycles_per_packet"][0] > left_out["cycles_per_packet"][1]
    axes = [axis.replace(":log", ":2:log") for axis in default_axes(base, model)]
    swings = {one.key: one for one in sensitivity(job(*axes[:1]), 0, lambda *_: None).swings}
    assert 0 < (swings["machine.core_clock"].elasticity or 0) <= 1.001
