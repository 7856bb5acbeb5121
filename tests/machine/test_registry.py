"""Every mechanism says what it is: parameters with priors, a cause, advice, a clock."""

from __future__ import annotations

from tests.calibrations import Counts, base, counts, hierarchy
from tests.traced_programs import BASE, PROFILE

from planecast.machine.hierarchy import Hierarchy, TlbLevel
from planecast.machine.private_caches import FILLED, private_levels
from planecast.machine.registry import MECHANISMS
from planecast.model.supported import columns_of
from planecast.scenario import Scenario
from planecast.workload.profile import WorkloadProfile

__all__ = ["base", "counts", "hierarchy"]


def on_a_guest(hierarchy: Hierarchy) -> Hierarchy:
    """With all that a probe finds there."""
    tlb = TlbLevel(pages=64, miss_cycles=5, large_share=1)
    return hierarchy.model_copy(update={"background": True, "first_tlb": tlb})


def test_mechanisms_are_complete(hierarchy: Hierarchy) -> None:
    shared = on_a_guest(hierarchy)
    names = [one.name for mechanism in MECHANISMS for one in mechanism.parameters(shared)]
    assert len(names) == len(set(names))
    for mechanism in MECHANISMS:
        assert mechanism.cause
        assert mechanism.advice
        assert mechanism.parameters(shared)


def fitted_names(profile: WorkloadProfile, hierarchy: Hierarchy) -> set[str]:
    shared = on_a_guest(hierarchy)
    own = [one for one in MECHANISMS if one.applies(profile)]
    return {p.name for one in own for p in one.parameters(shared)}


def test_a_workload_has_few(hierarchy: Hierarchy, counts: Counts, base: Scenario) -> None:
    names = fitted_names(WorkloadProfile.of(columns_of([base]), counts), hierarchy)
    assert names >= {"lock_step.step", "tlb.walk", "tlb.first_level"}
    assert len(names) <= 14


def test_a_program_of_others_has_few(hierarchy: Hierarchy) -> None:
    names = fitted_names(WorkloadProfile.of(columns_of([BASE]), {}, PROFILE), hierarchy)
    assert names >= {"stores.commit", "branches.mispredicted", "tlb.walk"}
    assert len(names) <= 11


def test_only_a_shared_host_has_a_lifetime(hierarchy: Hierarchy) -> None:
    own = {one.name for mechanism in MECHANISMS for one in mechanism.parameters(hierarchy)}
    assert "last_level.lifetime" not in own


def test_tables_fill_a_share_of_the_last_private_level(hierarchy: Hierarchy) -> None:
    whole, less = (private_levels(hierarchy, {FILLED: share}) for share in (1.0, 0.5))
    assert whole == private_levels(hierarchy, {})  # as calibrations of before have it
    assert len(whole) == len(hierarchy.levels) - 1
    assert less[0] == whole[0]
    assert less[-1] == (whole[-1][0] / 2, whole[-1][1])
