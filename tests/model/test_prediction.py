"""Predictions: laws that hold at any scenario, and a covariance that comparisons can use."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st
from tests.calibrations import Counts, fitted, fitted_function

from planecast.machine.hierarchy import Hierarchy
from planecast.model.calibration import Calibration
from planecast.model.posterior import parameters_of
from planecast.model.prediction import cost_of, predict
from planecast.model.stage_cost import STEP, stage_cost
from planecast.results import Manifest
from planecast.scenario import Scenario, with_overrides

FAST = settings(
    max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
POINTS = st.fixed_dictionaries(
    {
        "traffic.flows": st.integers(1, 1 << 20),
        "workload.acl_rules": st.integers(1, 1 << 16),
        "workload.routes": st.integers(2, 1 << 16),
        "placement.burst": st.integers(1, 256),
        "placement.page_size": st.sampled_from(["2MiB", "4KiB"]),
        "workload.stages": st.sampled_from(
            ["none", "acl", "key", "key,route", "acl,key,classify,actions,route"]
        ),
    }
)


@FAST
@given(POINTS)
def test_causes_and_stages_add_up_and_nothing_is_negative(
    base: Scenario, calibration: Calibration, point: dict[str, Any]
) -> None:
    scenario = with_overrides(base, point)
    _, cost, _ = cost_of([scenario], calibration)
    total = cost.total[0]
    assert total > 0
    assert sum(one[0] for one in cost.by_stage().values()) == pytest.approx(total)
    assert sum(one[0] for one in cost.by_cause().values()) == pytest.approx(total)
    for cause, cycles in cost.by_cause().items():
        assert cycles[0] >= -1e-9, cause
    found = predict([scenario], calibration)
    low, high = found.interval
    assert 0 < low[0] < found.value[0] < high[0]
    assert sum(one[0] for one, _ in found.stages.values()) == pytest.approx(found.value[0])


@FAST
@given(POINTS, st.sampled_from(["traffic.flows", "workload.acl_rules", "workload.routes"]))
def test_larger_tables_never_help(
    base: Scenario, calibration: Calibration, point: dict[str, Any], key: str
) -> None:
    twice = {**point, key: min(2 * point[key], 1 << (20 if key == "traffic.flows" else 16))}
    few, many = predict(
        [with_overrides(base, point), with_overrides(base, twice)], calibration, by_stage=False
    ).value
    assert many >= few * (1 - 1e-4)


@FAST
@given(POINTS)
@example(
    {
        "traffic.flows": 1,
        "workload.acl_rules": 1,
        "workload.routes": 15528,
        "placement.burst": 32,
        "placement.page_size": "4KiB",
        "workload.stages": "key,route",
    }
)
def test_slopes_are_those_of_finite_differences(
    base: Scenario, calibration: Calibration, point: dict[str, Any]
) -> None:
    scenario = with_overrides(base, point)
    _, cost, _ = cost_of([scenario], calibration, slopes=True)
    # What others bring in while a packet waits couples all; this machine has no others.
    slopes = cost.slopes(calibration.names)[:, 0]
    for name, slope in zip(calibration.names, slopes, strict=True):
        moved = tuple(
            one.model_copy(update={"value": one.value * np.exp(STEP)}) if one.name == name else one
            for one in calibration.parameters
        )
        other = calibration.model_copy(update={"parameters": moved})
        change = (cost_of([scenario], other)[1].total[0] - cost.total[0]) / STEP
        assert slope == pytest.approx(change, rel=0.06, abs=0.02 * cost.total[0]), name


@FAST
@given(POINTS)
def test_near_terms_are_those_that_no_curved_parameter_changes(
    base: Scenario, calibration: Calibration, point: dict[str, Any]
) -> None:
    profile, cost, _ = cost_of([with_overrides(base, point)], calibration)
    assert calibration.curved
    for name in calibration.curved:
        other = {**calibration.values, name: 1.3 * calibration.values[name]}
        stepped = stage_cost(profile, calibration.hierarchy, other)
        assert [term.cycles for term in stepped.near] == [term.cycles for term in cost.near]
        again = stage_cost(profile, calibration.hierarchy, other, near=cost.near)
        assert again.total[0] == stepped.total[0]


def test_a_part_of_which_almost_nothing_is_known_has_an_open_interval(
    base: Scenario, calibration: Calibration
) -> None:
    found = predict([base], calibration)
    usual = found.part_estimate(10.0, 1.0)
    assert usual.low is not None
    assert usual.high is not None
    assert usual.low * usual.high == pytest.approx(100)  # log-normal
    nearly_none = found.part_estimate(0.01, 1.0)
    assert nearly_none.low == 0
    assert nearly_none.high == pytest.approx(0.01 + found.quantile)
    difference = found.part_estimate(0.01, 1.0, signed=True)
    assert difference.low == pytest.approx(0.01 - found.quantile)


@pytest.mark.parametrize(
    "kind", ["l2patch", "macswap", "l2bridge", "ip4", "vpe-downstream", "compute"]
)
def test_every_function_is_predicted(kind: str, hierarchy: Hierarchy, manifest: Manifest) -> None:
    calibration = fitted_function(kind, hierarchy, manifest)
    assert calibration.kind == kind
    scenario = next(iter([calibration])).kind
    assert scenario == kind
    base = with_overrides(
        Scenario(name=kind), {"workload.kind": kind, "workload.stages": _whole(kind)}
    )
    found = predict([base, with_overrides(base, {"placement.burst": 8})], calibration)
    assert (found.value > 0).all()
    assert (found.deviation < 0.5).all()


def _whole(kind: str) -> str:
    from planecast.scenario.workload import FUNCTIONS

    return ",".join(FUNCTIONS[kind]) or "none"  # type: ignore[index]


def test_parameters_have_priors_and_say_what_shows_them(
    base: Scenario, calibration: Calibration, hierarchy: Hierarchy
) -> None:
    profile, _, _ = cost_of([base], calibration)
    for one in parameters_of(profile, hierarchy):
        assert one.median > 0
        assert 0 < one.spread <= 2
        assert one.unit
        assert one.identified_by


def test_an_interval_at_a_jump_spans_what_a_cache_can_change(
    base: Scenario, hierarchy: Hierarchy, counts: Counts, manifest: Manifest
) -> None:
    """Scalar searches of large tries: the longer they take, the fewer of their lines stay."""
    last = hierarchy.levels[-1].model_copy(update={"shape": 4.0})
    shared = hierarchy.model_copy(
        update={"background": True, "levels": (*hierarchy.levels[:-1], last)}
    )
    known = fitted(base, shared, counts, manifest, 0.02)
    # Of all that is not known, how long lines stay.
    lasts = np.array([name == "last_level.lifetime" for name in known.names])
    alone = (known.matrix * np.outer(lasts, lasts)).tolist()
    known = known.model_copy(update={"covariance": tuple(map(tuple, alone))})
    point = {
        "workload.stages": "acl",
        "workload.acl_rules": 16384,
        "placement.burst": 4,
        "traffic.flows": 16384,
    }
    scenario = with_overrides(base, point)

    def lasting(milliseconds: float) -> Calibration:
        parameters = tuple(
            one.model_copy(update={"value": milliseconds})
            if one.name == "last_level.lifetime"
            else one
            for one in known.parameters
        )
        return known.model_copy(update={"parameters": parameters})

    every = [predict([scenario], lasting(ms)) for ms in np.geomspace(2, 30, 60)]
    values = np.array([one.value[0] for one in every])
    assert values.max() / values.min() > 3
    steepest = max(float(np.max(np.abs(np.diff(np.log(values))))), 0.0)
    assert steepest > 10 * np.log(30 / 2) / 59  # a jump, of a cost by the lifetime
    for one in every:
        low, high = one.interval
        assert high[0] / low[0] < 1.2 * (values.max() / values.min()) ** one.quantile
