"""Programs of others: calibrated from counts and traces, without a descriptor of a stage."""

from __future__ import annotations

import numpy as np
import pytest
from tests.calibrations import hierarchy, manifest
from tests.traced_programs import BASE, HELD, POINTS, PROFILE, TRUTH, measured_program, trace

from planecast.engines.solve import solve
from planecast.errors import InputError
from planecast.explain.explain_input import Case
from planecast.explain.run import explain_case
from planecast.machine.hierarchy import Hierarchy
from planecast.model.calibrate import calibrate
from planecast.model.calibration import CURVED, Calibration
from planecast.model.neighbours import neighbours_of
from planecast.model.posterior import parameters_of
from planecast.model.prediction import predict
from planecast.model.stage_cost import stage_cost
from planecast.model.supported import columns_of
from planecast.results import Manifest
from planecast.scenario import with_overrides
from planecast.workload.profile import WorkloadProfile

__all__ = ["hierarchy", "manifest"]


@pytest.fixture(scope="module")
def model(hierarchy: Hierarchy, manifest: Manifest) -> Calibration:
    results = measured_program(POINTS, hierarchy, manifest, noise=0.003)
    return calibrate(results, hierarchy, {"program": PROFILE.counts}, manifest, PROFILE)


def test_points_that_were_held_out_are_predicted(
    model: Calibration, hierarchy: Hierarchy, manifest: Manifest
) -> None:
    truth = measured_program(HELD, hierarchy, manifest)
    answers = solve([one.scenario for one in truth], model, manifest)
    for right, answer in zip(truth, answers, strict=True):
        assert answer.cycles_per_packet.value == pytest.approx(
            right.cycles_per_packet.value, rel=0.02
        )
        low, high = answer.cycles_per_packet.interval or (0, 0)
        assert low < right.cycles_per_packet.value < high
        assert set(answer.stages) == set(PROFILE.stages)
        parts = sum(one.cycles_per_packet.value for one in answer.stages.values())
        assert parts == pytest.approx(answer.cycles_per_packet.value)


def test_few_parameters_and_none_of_mechanisms_that_it_has_not(model: Calibration) -> None:
    machine = [name for name in model.names if not name.startswith("core.cpi:")]
    assert len(machine) <= 11
    assert not any(name.startswith(("lock_step", "buffer_conflicts")) for name in machine)
    assert "tlb.walk" in machine  # its look-up touches pages that a TLB may not hold
    fitted = {one.name: one for one in model.parameters}["core.cpi:lookup"]
    assert fitted.low < TRUTH["core.cpi:lookup"] < fitted.high


def test_it_survives_its_file(model: Calibration, manifest: Manifest) -> None:
    again = Calibration.model_validate_json(model.model_dump_json())
    asked = [with_overrides(BASE, {"traffic.flows": 5000})]
    left, right = (solve(asked, one, manifest)[0].cycles_per_packet for one in (model, again))
    assert left == right


@pytest.mark.parametrize(
    ("point", "reason"),
    [
        ({"dataplane.kind": "testpmd"}, "this calibration is of l3fwd, not of testpmd io"),
        ({"dataplane.chain": 2}, "this can't be modelled: they are several programs"),
    ],
)
def test_what_it_says_nothing_of_is_refused(
    model: Calibration, manifest: Manifest, point: dict[str, object], reason: str
) -> None:
    with pytest.raises(InputError, match=reason):
        solve([with_overrides(BASE, point)], model, manifest)


def test_a_measured_run_is_explained_by_its_stages(
    model: Calibration, hierarchy: Hierarchy, manifest: Manifest
) -> None:
    known = {**manifest.host, "cpu_id": "GenuineIntel-6-143"}  # whose issue width has a source
    there = manifest.model_copy(update={"host": known})
    (result,) = measured_program(POINTS[:1], hierarchy, there, noise=0.003)
    found = explain_case(Case("run", result.scenario, result, calibration=model))
    names = [stage.stage for stage in found.stages]
    assert names[:3] == ["source", "rx", "lookup"]
    assert found.cycles_per_packet is not None
    whole = found.cycles_per_packet.value
    stages = sum(stage.cycles.value for stage in found.stages if stage.cycles)
    assert stages == pytest.approx(whole, rel=1e-6)
    causes = {part.cause: part.cycles.value for part in found.causes}
    assert sum(causes.values()) == pytest.approx(whole, rel=1e-6)
    assert "unattributed" not in causes
    assert abs(causes.get("unexplained", 0.0)) < 0.15 * whole
    assert causes["issue"] > 0
    assert np.isfinite(list(causes.values())).all()


def test_a_neighbour_of_a_program_that_touches_nothing_far(hierarchy: Hierarchy) -> None:
    """As testpmd, which has no tables: the neighbour alone takes cache lines."""
    points = [one.model_copy(update={"trace": trace(3)}) for one in PROFILE.points]
    near = PROFILE.model_copy(update={"points": tuple(points)})
    columns = columns_of([with_overrides(BASE, {"neighbour.walk": "64MiB"})])
    profile = WorkloadProfile.of(columns, {}, near)
    assert profile.regions == ()
    values = {one.name: one.median for one in parameters_of(profile, hierarchy)}
    found = neighbours_of(profile, hierarchy, values)
    assert found is not None
    cost = stage_cost(profile, hierarchy, values, found.others)
    assert np.isfinite(cost.total).all()
    assert cost.total > 0


def test_slopes_are_those_of_the_cost(hierarchy: Hierarchy) -> None:
    scenarios = [with_overrides(BASE, dict(point)) for point in (*POINTS, *HELD)]
    profile = WorkloadProfile.of(columns_of(scenarios), {}, PROFILE)
    names = [one.name for one in parameters_of(profile, hierarchy) if one.name not in CURVED]
    values = {one.name: one.median for one in parameters_of(profile, hierarchy)} | TRUTH
    slopes = stage_cost(profile, hierarchy, values).slopes(names)
    step = 1e-4
    for name, own in zip(names, slopes, strict=True):
        more, less = (
            stage_cost(profile, hierarchy, {**values, name: values[name] * np.exp(way * step)})
            for way in (1, -1)
        )
        assert (more.total - less.total) / (2 * step) == pytest.approx(own, abs=0.02), name


def test_memory_caps_lines_that_may_follow_each_other_at_a_streams_rate(model: Calibration) -> None:
    many = with_overrides(BASE, {"traffic.flows": 100_000})
    quick = tuple(
        one.model_copy(update={"value": 0.01}) if one.name.startswith("overlap.") else one
        for one in model.parameters
    )
    small = tuple(
        one.model_copy(update={"size_bytes": 1 << 20}) if one.shared else one
        for one in model.hierarchy.levels
    )
    slow = tuple(
        one.model_copy(update={"line_cycles": 20 * one.line_cycles})
        for one in model.hierarchy.flights
    )

    def capped(rate: float) -> bool:
        update = {"levels": small, "flights": slow, "stream_lines_per_cycle": rate}
        machine = model.hierarchy.model_copy(update=update)
        asked = model.model_copy(update={"hierarchy": machine, "parameters": quick})
        return bool(predict([many], asked).capped_by_memory[0])

    assert capped(0.0)  # lines at random places: nothing else is known
    assert not capped(0.1)
