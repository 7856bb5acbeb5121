"""Page walks: a prior that has in it what a machine's probe says, and a program's own pages."""

from __future__ import annotations

import math

import numpy as np
import pytest
from tests.calibrations import Counts, base, counts, hierarchy
from tests.traced_programs import BASE, FLOWS, PROFILE

from planecast.machine.hierarchy import Hierarchy
from planecast.machine.tlb import LARGE, WALK, Tlb, first_walks
from planecast.model.supported import columns_of
from planecast.scenario import Scenario, with_overrides
from planecast.workload.profile import WorkloadProfile

__all__ = ["base", "counts", "hierarchy"]


def test_a_walk_that_is_waited_for_alone_is_two_standard_deviations_off(
    hierarchy: Hierarchy,
) -> None:
    together = Tlb().parameters(hierarchy)[0]
    known = hierarchy.model_copy(update={"lone_walk_cycles": 100.0})
    lone = Tlb().parameters(known)[0]
    assert lone.median == together.median
    assert lone.median * math.exp(2 * lone.spread) == pytest.approx(100 * 3.5 / 2.5)
    near = hierarchy.model_copy(update={"lone_walk_cycles": 1.0})
    assert Tlb().parameters(near)[0] == together


@pytest.mark.parametrize(("flows", "walks"), [(10, 0.0), (1000, 0.0), (10_000_000, 2.0)])
def test_a_program_s_walks_are_touches_of_pages_that_the_tlb_misses(
    hierarchy: Hierarchy, flows: int, walks: float
) -> None:
    # Its look-up touches two lines, each 64 lines from the next: of 3,125 pages with most flows.
    small = hierarchy.model_copy(update={"tlb_pages": 1000.0})
    scenarios = [with_overrides(BASE, {FLOWS: flows})]
    profile = WorkloadProfile.of(columns_of(scenarios), {}, PROFILE)
    found = Tlb().walks(profile, small)
    assert sum(found.values()) == pytest.approx(np.array([walks]), abs=0.01)


def test_a_walk_that_nothing_overlaps_takes_as_many_times_as_long_as_walks_go_together(
    base: Scenario, counts: Counts, hierarchy: Hierarchy
) -> None:
    many = {"traffic.flows": 1 << 22, "workload.flows": 1 << 22}
    scenarios = [
        with_overrides(base, {**many, "placement.page_size": size}) for size in ("4KiB", "2MiB")
    ]
    profile = WorkloadProfile.of(columns_of(scenarios), counts)
    machine = hierarchy.model_copy(update={"walks_at_once": 5.0})
    values = {WALK: 10.0, LARGE: 0.25}
    found = dict(
        zip([one.name for one in profile.pages], first_walks(profile, machine, values), strict=True)
    )
    # More than nine of ten buckets lie in a page that the TLB does not hold.
    lone = 5 * 10 * machine.tsc_per_core_cycle
    buckets = found["flow buckets"]
    assert buckets.small == pytest.approx([lone, 0.0], rel=0.1)
    assert buckets.large == pytest.approx([0.0, lone / 4], rel=0.1)
    holding = machine.model_copy(update={"tlb_pages": 1e9})
    for one in first_walks(profile, holding, values):
        assert one.cycles == pytest.approx(np.zeros(2), abs=1e-9)
