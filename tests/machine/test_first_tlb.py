"""First level of the TLB: who waits for it, from which burst on, what a probe shows of it."""

from __future__ import annotations

import numpy as np
import pytest
from tests.calibrations import Counts, base, counts, counts_of_function, hierarchy

from planecast.instruments.machine_probe import PagePoint
from planecast.machine.first_tlb import EXPOSED, WAIT, FirstTlb, pages_between
from planecast.machine.hierarchy import Hierarchy, TlbLevel
from planecast.model.supported import columns_of
from planecast.results.estimate import Estimate
from planecast.scenario import Scenario, with_overrides
from planecast.workload.profile import WorkloadProfile
from planecast.workload.stages.acl import FIELD_BYTES

__all__ = ["base", "counts", "hierarchy"]

BURSTS = (4, 16, 64, 256)
GUEST = TlbLevel(pages=64, miss_cycles=5, large_share=1)


def profile_of(base: Scenario, counts: Counts, **keys: object) -> WorkloadProfile:
    named = {key.replace("__", "."): value for key, value in keys.items()}
    scenarios = [with_overrides(base, {**named, "placement.burst": n}) for n in BURSTS]
    return WorkloadProfile.of(columns_of(scenarios), counts)


def waits(
    profile: WorkloadProfile, hierarchy: Hierarchy, tlb: TlbLevel | None, stage: str = "key"
) -> np.ndarray:
    machine = hierarchy.model_copy(update={"first_tlb": tlb})
    terms = FirstTlb().terms(profile, machine, {WAIT: 2.0})
    assert {term.stage for term in terms} <= {"key", "acl"}
    own = [term.cycles for term in terms if term.stage == stage]
    return sum(own, np.zeros(len(BURSTS)))


def test_a_reader_waits_in_long_bursts(
    base: Scenario, counts: Counts, hierarchy: Hierarchy
) -> None:
    found = waits(profile_of(base, counts), hierarchy, GUEST)
    assert np.all(np.diff(found) > 0)
    each = 2.0 * hierarchy.tsc_per_core_cycle
    assert found[0] < 0.01 * each  # a few pages: all are held
    assert found[-1] == pytest.approx(each, rel=0.05)  # and a miss a packet at most


def test_nobody_waits_where_nothing_is_missed(
    base: Scenario, counts: Counts, hierarchy: Hierarchy
) -> None:
    whole = profile_of(base, counts)
    large = GUEST.model_copy(update={"large_share": 0})
    assert not waits(whole, hierarchy, large).any()  # large pages that are such
    assert not waits(whole, hierarchy, None).any()  # not measured
    assert not waits(profile_of(base, counts, workload__stages="none"), hierarchy, GUEST).any()
    small = profile_of(base, counts, placement__page_size="4KiB")
    assert waits(small, hierarchy, large) == pytest.approx(waits(small, hierarchy, GUEST))
    assert FirstTlb().parameters(hierarchy) == ()


def test_a_search_waits_once_a_burst_in_each_step_next_to_other_stages(
    base: Scenario, counts: Counts, hierarchy: Hierarchy
) -> None:
    whole = profile_of(base, counts)
    found = waits(whole, hierarchy, GUEST, "acl") * np.array(BURSTS)
    assert np.all(np.diff(found) > 0)
    assert found[-1] == pytest.approx(FIELD_BYTES * GUEST.miss_cycles, rel=0.01)
    alone = profile_of(base, counts, workload__stages="acl")
    assert np.all(waits(alone, hierarchy, GUEST, "acl") * np.array(BURSTS) < found)
    assert not waits(whole, hierarchy, GUEST.model_copy(update={"large_share": 0}), "acl").any()
    none = profile_of(base, counts, workload__stages="key,classify,actions,route")
    assert not waits(none, hierarchy, GUEST, "acl").any()


def test_a_burst_comes_to_the_pages_of_its_buffers_and_of_what_its_reader_asks_for(
    base: Scenario, counts: Counts
) -> None:
    """2368 bytes a buffer, and half of one page a packet for each of three tables."""
    whole = pages_between(profile_of(base, counts), "key")
    assert whole[2] == pytest.approx(64 * (2368 / 4096 + 1.5), rel=0.05)
    few = pages_between(profile_of(base, counts, traffic__flows=1), "key")
    assert np.all(few <= whole)
    kind = {"workload.kind": "l2bridge", "workload.stages": "learn,forward"}
    bridge = with_overrides(Scenario(name="bridge"), kind)
    own = pages_between(profile_of(bridge, counts_of_function("l2bridge")), "learn")
    assert own[1] == pytest.approx(16 * (2368 / 4096 + 1.0), rel=0.1)


def chase(pages: int, small: float, huge: float | None) -> PagePoint:
    def cycles(value: float) -> Estimate:
        return Estimate(value=value, unit="cycles", kind="measured")

    return PagePoint(
        pages=pages,
        small_cycles=cycles(small),
        huge_cycles=None if huge is None else cycles(huge),
    )


@pytest.mark.parametrize(
    ("huge", "share"), [((3.0, 3.0, 8.0, 8.0), 1.0), ((3.0, 3.0, 3.0, 3.1), 0.02), (None, 0.0)]
)
def test_a_probe_shows_it_as_a_step_over_few_pages(
    huge: tuple[float, ...] | None, share: float
) -> None:
    points = [
        chase(n, small, None if huge is None else huge[i])
        for i, (n, small) in enumerate(((16, 3.0), (64, 3.1), (128, 8.0), (256, 8.0)))
    ]
    far = chase(4096, 60.0, 40.0)  # beyond the second level
    tlb = TlbLevel.of([*points, far])
    assert tlb is not None
    assert (tlb.pages, tlb.miss_cycles) == (64, 5.0)
    assert tlb.large_share == pytest.approx(share)
    assert TlbLevel.of([]) is None
    assert TlbLevel.of([chase(n, 3.0, 3.0) for n in (16, 256)]) is None


def test_the_prior_is_a_share_of_what_was_measured(hierarchy: Hierarchy) -> None:
    (prior,) = FirstTlb().parameters(hierarchy.model_copy(update={"first_tlb": GUEST}))
    assert prior.median * hierarchy.tsc_per_core_cycle == pytest.approx(5 * EXPOSED)
