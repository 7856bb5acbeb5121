"""Stages that store faster than a core commits stores."""

from __future__ import annotations

import pytest
from tests.calibrations import hierarchy
from tests.traced_programs import BASE, FRAME, PROFILE, TRUTH

from planecast.machine.hierarchy import Hierarchy
from planecast.machine.store_buffer import COMMIT, ENTRIES
from planecast.model.posterior import parameters_of
from planecast.model.stage_cost import StageCost, stage_cost
from planecast.model.supported import columns_of
from planecast.scenario import with_overrides
from planecast.workload.profile import WorkloadProfile

__all__ = ["hierarchy"]


def source_cost(hierarchy: Hierarchy, frame: int, **more: float) -> StageCost:
    asked = with_overrides(BASE, {FRAME: frame})
    profile = WorkloadProfile.of(columns_of([asked]), {}, PROFILE)
    values = {one.name: one.median for one in parameters_of(profile, hierarchy)} | TRUTH | more
    return stage_cost(profile, hierarchy, values)


def source_cycles(
    hierarchy: Hierarchy, frame: int, burst: int, **more: float
) -> tuple[float, float]:
    """TSC cycles a packet of the source, stores and instructions together; and the stores."""
    asked = with_overrides(BASE, {FRAME: frame, "placement.burst": burst})
    profile = WorkloadProfile.of(columns_of([asked]), {}, PROFILE)
    values = {one.name: one.median for one in parameters_of(profile, hierarchy)} | TRUTH | more
    cost = stage_cost(profile, hierarchy, values)
    return float(cost.by_cause("source")["instructions"][0]), float(profile.stores["source"][0])


def test_few_stores_wait_for_nothing(hierarchy: Hierarchy) -> None:
    """The buffer holds all ten of each of six packets: what is left is exactly none."""
    burst = 6
    found, stores = source_cycles(hierarchy, 64, burst)
    assert stores == 4 + 6
    assert stores * burst <= ENTRIES
    asked = with_overrides(BASE, {FRAME: 64, "placement.burst": burst})
    profile = WorkloadProfile.of(columns_of([asked]), {}, PROFILE)
    own = profile.instructions["source"] - profile.of_bursts["source"]
    clock = hierarchy.tsc_hz / hierarchy.core_hz
    assert found == pytest.approx(own[0] * TRUTH["core.cpi"] * clock, rel=1e-9)


@pytest.mark.parametrize("commit", [0.5, 1.0])
@pytest.mark.parametrize("burst", [8, 32])
def test_many_take_their_commit_each_but_for_those_that_the_buffer_holds(
    hierarchy: Hierarchy, burst: int, commit: float
) -> None:
    found, stores = source_cycles(hierarchy, 2052, burst, **{COMMIT: commit})
    assert stores == 4 * 2048 / 64 + 6
    clock = hierarchy.tsc_hz / hierarchy.core_hz
    assert found == pytest.approx((stores - ENTRIES / burst) * commit * clock)


@pytest.mark.parametrize("commit", [0.3, 0.45, 0.5, 0.55, 0.8])
def test_slopes_lead_from_one_limit_to_the_other(hierarchy: Hierarchy, commit: float) -> None:
    """Where neither is far the longer, both parameters matter: a fit finds its way."""
    step = 1e-4
    at, more = (
        source_cost(hierarchy, 1518, **{COMMIT: commit * factor}) for factor in (1.0, 1 + step)
    )
    slope = float(at.slopes([COMMIT], "source")[0, 0])
    assert slope == pytest.approx((more.total[0] - at.total[0]) / step, rel=0.01, abs=1e-6)
    assert slope > 0
