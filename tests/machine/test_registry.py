"""Every mechanism says what it is: parameters with priors, a cause, advice, a clock."""

from __future__ import annotations

from tests.calibrations import hierarchy
from tests.traced_programs import BASE, PROFILE

from planecast.machine.hierarchy import Hierarchy
from planecast.machine.private_caches import FILLED, private_levels
from planecast.machine.registry import MECHANISMS
from planecast.model.supported import columns_of
from planecast.workload.profile import WorkloadProfile

__all__ = ["hierarchy"]


def test_mechanisms_are_complete(hierarchy: Hierarchy) -> None:
    shared = hierarchy.model_copy(update={"background": True})
    names = [one.name for mechanism in MECHANISMS for one in mechanism.parameters(shared)]
    assert len(names) == len(set(names))
    assert len(names) < 15
    for mechanism in MECHANISMS:
        assert mechanism.cause
        assert mechanism.advice
        assert mechanism.domain in ("core", "uncore", "memory", "none")
        assert mechanism.parameters(shared)


def test_a_program_of_others_has_few(hierarchy: Hierarchy) -> None:
    profile = WorkloadProfile.of(columns_of([BASE]), {}, PROFILE)
    own = [one for one in MECHANISMS if one.applies(profile)]
    names = {p.name for one in own for p in one.parameters(hierarchy)}
    assert names >= {"branches.mispredicted", "tlb.walk"}
    assert len(names) <= 10


def test_only_a_shared_host_has_a_lifetime(hierarchy: Hierarchy) -> None:
    own = {one.name for mechanism in MECHANISMS for one in mechanism.parameters(hierarchy)}
    assert "last_level.lifetime" not in own


def test_tables_fill_a_share_of_the_last_private_level(hierarchy: Hierarchy) -> None:
    whole, less = (private_levels(hierarchy, {FILLED: share}) for share in (1.0, 0.5))
    assert whole == private_levels(hierarchy, {})  # as calibrations of before have it
    assert len(whole) == len(hierarchy.levels) - 1
    assert less[0] == whole[0]
    assert less[-1] == (whole[-1][0] / 2, whole[-1][1])
