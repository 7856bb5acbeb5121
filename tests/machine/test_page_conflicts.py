"""Page conflicts: what states show of them, and what tables of routes cost where there are some."""

from __future__ import annotations

from itertools import pairwise
from types import SimpleNamespace
from typing import Any, cast

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from tests.calibrations import Counts, base, counts, hierarchy

from planecast.machine.hierarchy import Hierarchy
from planecast.machine.page_conflicts import page_conflicts
from planecast.model.posterior import parameters_of
from planecast.model.stage_cost import StageCost, stage_cost
from planecast.model.supported import columns_of
from planecast.scenario import Scenario, with_overrides
from planecast.workload.profile import WorkloadProfile
from planecast.workload.regions import PAGE_LINES

__all__ = ["base", "counts", "hierarchy"]


def states(*shares: float | None) -> list[Any]:
    return [cast(Any, SimpleNamespace(conflict_share=lambda one=share: one)) for share in shares]


@pytest.mark.parametrize(
    ("shares", "expected"),
    [
        ((1.2, 0.9, 1.4), PAGE_LINES),
        ((0.0, -0.1, 0.05), 1),
        ((1.1, 0.1, 1.2), PAGE_LINES),  # a neighbour's burst hid it once
        ((1.1, None, None), PAGE_LINES),
        ((None, None), 1),
        ((), 1),
    ],
)
def test_the_median_of_the_states_decides(
    shares: tuple[float | None, ...], expected: float
) -> None:
    assert page_conflicts(states(*shares)) == expected


def cost(
    base: Scenario, counts: Counts, hierarchy: Hierarchy, conflicts: float, **keys: object
) -> StageCost:
    named = {key.replace("__", "."): value for key, value in keys.items()}
    scenarios = [with_overrides(base, {**named, "placement.burst": n}) for n in (8, 32)]
    profile = WorkloadProfile.of(columns_of(scenarios), counts)
    machine = hierarchy.model_copy(update={"llc_page_conflicts": conflicts})
    values = {one.name: one.median for one in parameters_of(profile, machine)}
    return stage_cost(profile, machine, values)


def test_a_route_table_comes_from_memory_where_its_lines_conflict(
    base: Scenario, counts: Counts, hierarchy: Hierarchy
) -> None:
    even = cost(base, counts, hierarchy, 1.0, workload__stages="key,route")
    crowded = cost(base, counts, hierarchy, PAGE_LINES, workload__stages="key,route")
    assert np.all(crowded.served.memory_lines > even.served.memory_lines + 0.5)
    more = {stage: crowded.by_stage()[stage] - even.by_stage()[stage] for stage in even.stages}
    assert np.all(more["route"] > 0)
    assert np.all(more["key"] == 0)


def test_nothing_changes_where_no_lines_lie_apart(
    base: Scenario, counts: Counts, hierarchy: Hierarchy
) -> None:
    keys = {"workload__stages": "key,actions", "traffic__flows": 65536}
    even, crowded = (cost(base, counts, hierarchy, one, **keys) for one in (1.0, PAGE_LINES))
    assert np.array_equal(even.total, crowded.total)


@settings(
    max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(st.integers(1, 1 << 20), st.integers(2, 1 << 16))
def test_the_more_lines_conflict_the_longer_their_stage_takes(
    base: Scenario, counts: Counts, hierarchy: Hierarchy, flows: int, routes: int
) -> None:
    keys = {"traffic__flows": flows, "workload__routes": routes}
    # Other stages may gain: where lines conflict fewer of them are held, which leaves room.
    every = [cost(base, counts, hierarchy, one, **keys) for one in (1.0, 4.0, 16.0, 64.0)]
    for fewer, more in pairwise(one.by_stage()["route"] for one in every):
        assert np.all(more >= fewer * (1 - 1e-6))
