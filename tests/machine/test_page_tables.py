"""Page tables: lines that walks load, which compete with a workload's own."""

from __future__ import annotations

import numpy as np
import pytest
from tests.calibrations import Counts, Point, base, counts, hierarchy

from planecast.machine.caches import Others, serve
from planecast.machine.hierarchy import Hierarchy
from planecast.machine.page_tables import NEAR_LINES, PageTable, page_tables
from planecast.machine.tlb import LARGE, Tlb, walks_of
from planecast.model.stage_cost import near_terms
from planecast.model.supported import columns_of
from planecast.scenario import Scenario, with_overrides
from planecast.workload.profile import WorkloadProfile

__all__ = ["base", "counts", "hierarchy"]

MANY: Point = {"placement.page_size": "4KiB", "traffic.flows": 1 << 20}
VALUES = {
    "core.cpi": 0.3,
    "core.burst": 1.0,
    "core.stage_start": 10.0,
    "overlap.prefetched": 1.0,
    "overlap.loaded": 1.0,
    "tlb.walk": 10.0,
    LARGE: 0.5,
    "lock_step.step": 20.0,
    "lock_step.scalar_step": 10.0,
    "lock_step.divergence": 0.2,
}


def profile_of(base: Scenario, counts: Counts, *points: Point) -> WorkloadProfile:
    return WorkloadProfile.of(columns_of([with_overrides(base, one) for one in points]), counts)


def tables_of(profile: WorkloadProfile, machine: Hierarchy, large: float) -> dict[str, PageTable]:
    found = page_tables(profile, machine, {LARGE: large})
    return {one.region.name.removeprefix("page table of "): one for one in found}


def test_a_line_translates_eight_pages_of_the_guests_and_of_the_hosts(
    base: Scenario, counts: Counts, hierarchy: Hierarchy
) -> None:
    profile = profile_of(base, counts, MANY, {**MANY, "placement.page_size": "2MiB"})
    walks = dict(
        zip([one.name for one in profile.pages], walks_of(profile, hierarchy), strict=True)
    )
    pages = {one.name: one.lines for one in profile.pages}
    found = tables_of(profile, hierarchy, 0.5)
    buckets = found["flow buckets"].region
    assert buckets.lines == pytest.approx(pages["flow buckets"] / 8 * np.array([1.3, 0.3]))
    # Each walk at random comes to a line of each kind, but for those that are near.
    far = 1 - NEAR_LINES / buckets.lines
    assert buckets.touches == pytest.approx(
        walks["flow buckets"] * np.array([1.3, 0.3]) * far, rel=1e-6
    )
    # One in order comes to a line once for the eight pages that it translates.
    route = found["route table"].region
    far = 1 - NEAR_LINES / route.lines
    assert route.touches == pytest.approx(
        walks["route table"] / 8 * np.array([1.3, 0.3]) * far, rel=1e-6
    )
    # They take room as at the usual share of walks, and are waited for as at the fitted one.
    assert found["flow buckets"].own == pytest.approx([1 / 1.5, 0.0])
    assert found["flow buckets"].waited == pytest.approx([1.5 / 1.3, 0.5 / 0.3])


def test_what_takes_no_walks_has_none(base: Scenario, counts: Counts, hierarchy: Hierarchy) -> None:
    few = profile_of(base, counts, {"placement.page_size": "4KiB", "traffic.flows": 16})
    reaching = hierarchy.model_copy(update={"tlb_pages": 1e7})
    assert tables_of(few, reaching, 1.0) == {}
    large = profile_of(base, counts, {**MANY, "placement.page_size": "2MiB"})
    assert tables_of(large, hierarchy, 0.0) == {}  # a host that gives its guests large pages


def walks_cycles(profile: WorkloadProfile, machine: Hierarchy) -> np.ndarray:
    """Cycles of page walks that caches and memory serve, of all stages."""
    near = near_terms(profile, machine, VALUES)
    size = profile.sizes.columns.size
    found = serve(profile, machine, VALUES, np.full(size, 200.0), Others.none(size), near=near)
    return np.sum([term.cycles for term in found.terms if term.cause == Tlb.cause], axis=0)


def test_their_lines_cost_more_where_walkers_are_few(
    base: Scenario, counts: Counts, hierarchy: Hierarchy
) -> None:
    profile = profile_of(base, counts, MANY, {**MANY, "workload.acl_rules": 16384})
    one, two, six = (
        walks_cycles(profile, hierarchy.model_copy(update={"walks_at_once": n}))
        for n in (1.0, 2.0, 6.0)
    )
    assert np.all(one > two)
    assert np.all(two > six)
    assert np.all(six > 0)


def test_they_push_tables_out_of_a_private_cache(
    base: Scenario, counts: Counts, hierarchy: Hierarchy
) -> None:
    """Lines of the last level and of memory: more of them where there are walks."""
    profile = profile_of(base, counts, MANY)
    reaching = hierarchy.model_copy(update={"tlb_pages": 1e9})
    lines = []
    for machine in (hierarchy, reaching):
        near = near_terms(profile, machine, VALUES)
        found = serve(profile, machine, VALUES, np.array([200.0]), Others.none(1), near=near)
        lines.append(float(found.memory_lines[0] + found.last_level_lines[0]))
    assert lines[0] > lines[1]
