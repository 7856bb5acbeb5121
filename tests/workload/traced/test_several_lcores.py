"""A program of others on several lcores: what each has for itself, and what all touch together."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.traced_programs import BASE, FLOWS, PROFILE

from planecast.model.supported import columns_of
from planecast.scenario import with_overrides
from planecast.workload.profile import WorkloadProfile
from planecast.workload.traced.coordinates import ROUTES, of_one_lcore
from planecast.workload.traced.program_profile import ProgramProfile

SWITCH = PROFILE.model_copy(update={"subject": "ovs"})


def profile_of(program: ProgramProfile, flows: int, lcores: int) -> WorkloadProfile:
    asked = with_overrides(BASE, {FLOWS: flows, "placement.lcores": lcores})
    return WorkloadProfile.of(columns_of([asked]), {}, program)


def test_flows_are_divided_and_routes_with_them() -> None:
    values = {key: np.array([64.0, 64.0]) for key in (FLOWS, ROUTES)}
    lcores = np.array([1.0, 4.0])
    assert of_one_lcore("l3fwd", values, lcores)[ROUTES].tolist() == [64, 16]
    switch = of_one_lcore("ovs", values, lcores)
    assert switch[FLOWS].tolist() == [64, 16]
    assert switch[ROUTES].tolist() == [64, 64]
    assert of_one_lcore("ovs", values, np.array([128.0, 1.0]))[FLOWS].tolist() == [1, 64]


@given(st.integers(1, 200_000), st.integers(2, 64))
def test_all_lcores_touch_more_than_one_and_no_more_than_all(flows: int, lcores: int) -> None:
    for region in profile_of(PROFILE, flows, lcores).regions:
        assert region.lines <= region.total_lines * (1 + 1e-9)
        assert region.total_lines <= region.lines * lcores * (1 + 1e-9)


@given(st.integers(1, 200_000), st.integers(1, 64))
def test_threads_with_tables_of_their_own_share_no_lines(flows: int, lcores: int) -> None:
    for region in profile_of(SWITCH, flows, lcores).regions:
        assert region.total_lines == pytest.approx(region.lines * lcores)


def test_a_table_that_all_read_is_there_once() -> None:
    """Lines in proportion to flows: divided or not, together they are those of one lcore."""

    def lines(flows: int, lcores: int) -> tuple[float, float]:
        regions = profile_of(PROFILE, flows, lcores).regions
        own = sum(float(region.lines[0]) for region in regions)
        return own, sum(float(region.total_lines[0]) for region in regions)

    lcores = 8
    (whole, alone), (own, together) = lines(100_000, 1), lines(100_000, lcores)
    private, _ = lines(1, 1)
    assert whole == alone
    assert own < whole / 4
    assert together <= whole + (lcores - 1) * private


def test_what_several_keys_decide_is_the_same_on_each_lcore() -> None:
    """Of l3fwd's packets as many meet a deep route on each lcore; a switch's caches hold more."""
    alone, several = (profile_of(PROFILE, 10_000, n).instructions["lookup"] for n in (1, 8))
    assert several == pytest.approx(alone)
    alone, several = (profile_of(SWITCH, 10_000, n).instructions["lookup"] for n in (1, 8))
    assert several < alone
