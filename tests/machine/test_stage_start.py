"""Stage starts: once a burst, for each stage that works on packets and searches nothing in step."""

from __future__ import annotations

import numpy as np
import pytest
from tests.calibrations import Counts, base, counts, hierarchy

from planecast.machine.hierarchy import Hierarchy
from planecast.machine.stage_start import START, StageStarts
from planecast.model.supported import columns_of
from planecast.scenario import Scenario, with_overrides
from planecast.workload.profile import WorkloadProfile

__all__ = ["base", "counts", "hierarchy"]


def test_each_stage_starts_once_a_burst(
    base: Scenario, counts: Counts, hierarchy: Hierarchy
) -> None:
    points = [
        with_overrides(base, {"placement.burst": 4}),
        with_overrides(base, {"placement.burst": 32}),
        with_overrides(base, {"placement.burst": 32, "workload.stages": ("key", "classify")}),
    ]
    profile = WorkloadProfile.of(columns_of(points), counts)
    found = {one.stage: one.cycles for one in StageStarts().terms(profile, hierarchy, {START: 8.0})}
    assert set(found) == {"key", "classify", "actions", "route"}  # not the firewall: it has ends
    once = 8.0 * hierarchy.tsc_per_core_cycle / np.array([4.0, 32.0, 32.0])
    assert found["key"] == pytest.approx(once)
    assert found["route"] == pytest.approx(once * [1.0, 1.0, 0.0])
