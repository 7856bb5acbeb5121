"""Page walks: a prior that has in it what a machine's probe says, and a program's own pages."""

from __future__ import annotations

import math

import numpy as np
import pytest
from tests.calibrations import hierarchy
from tests.traced_programs import BASE, FLOWS, PROFILE

from planecast.machine.hierarchy import Hierarchy
from planecast.machine.tlb import Tlb
from planecast.model.supported import columns_of
from planecast.scenario import with_overrides
from planecast.workload.profile import WorkloadProfile

__all__ = ["hierarchy"]


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
