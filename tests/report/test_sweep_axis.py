"""Families of results along an axis."""

from __future__ import annotations

from collections.abc import Callable

from planecast.report.sweep_axis import AXES, BURST, FLOWS, FRAME, largest_family
from planecast.results import Result
from planecast.scenario import Scenario

MakeResult = Callable[..., Result]
BASE = Scenario(name="vpe-upstream")


def test_the_family_with_most_values_is_taken_in_order(make_result: MakeResult) -> None:
    points = [
        {"traffic.flows": 4096},
        {"traffic.flows": 256},
        {"traffic.flows": 256, "placement.burst": 8},
        {"traffic.flows": 1024, "placement.burst": 8},
        {"traffic.flows": 65536},
    ]
    family = largest_family(FLOWS, [make_result(point=point) for point in points], BASE)
    assert family is not None
    assert family.members == (1, 0, 4)
    assert family.labels == ("256", "4,096", "65,536")
    assert family.common == "burst=32"
    assert family.remarks == ()


def test_a_larger_table_follows_the_flows_and_is_marked(make_result: MakeResult) -> None:
    points = [
        {"traffic.flows": 65536},
        {"traffic.flows": 262144, "workload.flows": 262144},
        {"traffic.flows": 131072, "workload.flows": 262144},
    ]
    family = largest_family(FLOWS, [make_result(point=point) for point in points], BASE)
    assert family is not None
    assert family.labels == ("65,536", "131,072*", "262,144*")
    assert family.remarks == ("* workload.flows=262144",)
    assert family.common == ""


def test_of_equal_families_the_one_near_the_base_is_taken(make_result: MakeResult) -> None:
    points = [
        {"placement.burst": burst, "traffic.flows": flows}
        for flows in (256, 65536, 1024)
        for burst in (8, 16)
    ]
    family = largest_family(BURST, [make_result(point=point) for point in points], BASE)
    assert family is not None
    assert family.common == "flows=65536"


def test_without_two_values_there_is_no_family(make_result: MakeResult) -> None:
    assert all(largest_family(axis, [], BASE) is None for axis in AXES)
    assert largest_family(FRAME, [make_result(), make_result()], BASE) is None
