"""Features: which parameters a scenario has, and how they follow traffic and tables."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from planecast.engines.solve.features import BEHIND_KEY, USUAL_CPI
from planecast.engines.solve.regions import facts_of, regions_of

from planecast.engines.solve import features
from planecast.instruments.counts import InstructionCounts
from planecast.machine.hierarchy import Hierarchy
from planecast.scenario import Scenario, with_overrides

Counts = dict[str, InstructionCounts]


def delays(
    scenarios: list[Scenario], hierarchy: Hierarchy, counts: Counts, name: str
) -> list[float]:
    stage = name.partition(".")[0]
    return list(features(scenarios, hierarchy, counts).stages[stage][name])


def test_a_stage_that_does_not_run_has_no_features(
    hierarchy: Hierarchy, counts: Counts, base: Scenario
) -> None:
    table = features([with_overrides(base, {"workload.stages": "acl"})], hierarchy, counts)
    assert all(np.all(column == 0) for column in table.stages["classify"].values())
    assert table.stages["acl"]["acl.cpi"][0] > 0
    assert table.stages["source"]["source.burst"][0] == pytest.approx(1 / 32)


def test_small_bursts_take_the_narrow_search(
    hierarchy: Hierarchy, counts: Counts, base: Scenario
) -> None:
    points = [with_overrides(base, {"placement.burst": burst}) for burst in (8, 32)]
    row = features(points, hierarchy, counts).stages["acl"]
    assert row["acl.narrow"][0] > 0 == row["acl.narrow"][1]
    assert row["acl.cpi"][1] > 0 == row["acl.cpi"][0]


def test_the_sources_stores_are_waited_for_where_no_acl_hides_them(
    hierarchy: Hierarchy, counts: Counts, base: Scenario
) -> None:
    pipelines = ("acl,key,classify", "acl", "key,classify", "none")
    points = [with_overrides(base, {"workload.stages": stages}) for stages in pipelines]
    table = features(points, hierarchy, counts)
    assert table.stages["key"]["source.drain"].tolist() == [0, 0, 1, 0]
    assert table.stages["source"]["source.drain"].tolist() == [0, 0, 0, 1]
    assert table.row(None, ["source.drain"])[:, 0].tolist() == [0, 0, 1, 1]


@given(st.lists(st.integers(1, 1 << 20), min_size=2, max_size=8))
@settings(max_examples=40, deadline=None)
def test_more_flows_never_wait_less(
    hierarchy: Hierarchy, counts: Counts, base: Scenario, flows: list[int]
) -> None:
    points = [with_overrides(base, {"traffic.flows": n}) for n in sorted(flows)]
    for name in ("classify.bf", "actions.bf"):
        found = delays(points, hierarchy, counts, name)
        assert all(b >= a - 1e-6 for a, b in itertools.pairwise(found))


def test_small_pages_cost_walks_and_large_ones_none(
    hierarchy: Hierarchy, counts: Counts, base: Scenario
) -> None:
    points = [with_overrides(base, {"placement.page_size": size}) for size in ("4KiB", "2MiB")]
    small, large = delays(points, hierarchy, counts, "route.bf")
    assert small > large


def test_a_page_that_comes_back_soon_is_in_the_tlb(
    hierarchy: Hierarchy, counts: Counts, base: Scenario
) -> None:
    """Destinations a page apart never come back in time; one flow's line always does."""
    small = with_overrides(base, {"placement.page_size": "4KiB"})
    points = [with_overrides(small, {"traffic.flows": n}) for n in (1, 4096, 1 << 20)]
    large = [with_overrides(point, {"placement.page_size": "2MiB"}) for point in points]

    def walks(name: str) -> list[float]:
        found = delays([*points, *large], hierarchy, counts, name)
        return [a - b for a, b in zip(found[:3], found[3:], strict=True)]

    route, actions = walks("route.bf"), walks("actions.bf")
    assert route[0] == pytest.approx(hierarchy.walk_cycles, rel=0.2)
    assert actions[0] == pytest.approx(0, abs=1e-6)
    assert 0 < actions[1] < actions[2] < 1.01 * hierarchy.walk_cycles


def test_what_passes_while_stores_drain_is_less_in_the_wait(
    hierarchy: Hierarchy, counts: Counts, base: Scenario
) -> None:
    drained = hierarchy.model_copy(update={"drained_meanwhile": 0.4})
    points = [
        with_overrides(base, {"workload.stages": stages, "traffic.flows": 65536})
        for stages in ("acl,key,classify,actions,route", "key,classify,actions,route")
    ]
    before, after = (features(points, machine, counts) for machine in (hierarchy, drained))
    names = before.parameters()
    vector = np.arange(1.0, len(names) + 1)
    for stage in ("classify", "actions", "route"):
        assert np.array_equal(before.row(stage, names), after.row(stage, names))
    whole = [table.row(None, names) @ vector for table in (before, after)]
    assert whole[1][0] == pytest.approx(whole[0][0])  # an ACL's search hides the drain itself
    own = sum(before.row(s, names)[1] @ vector for s in ("classify", "actions", "route"))
    asked = vector[names.index("key.bf")] * before.stages["key"]["key.bf"][1]
    assert whole[0][1] - whole[1][1] == pytest.approx(0.4 * (own + asked))


def test_no_more_passes_meanwhile_than_the_stores_take(
    hierarchy: Hierarchy, counts: Counts, base: Scenario
) -> None:
    """However long later stages wait, the drain is hidden once."""
    stages = "key,classify,actions,route"
    points = [
        with_overrides(base, {"workload.stages": stages, "traffic.flows": n, "workload.flows": n})
        for n in (256, 65536, 1 << 20)
    ]

    def hidden(most: float | None) -> np.ndarray:
        changes = {"drained_meanwhile": 0.8, "drained_most_cycles": most}
        table = features(points, hierarchy.model_copy(update=changes), counts)
        weights = {"cpi": USUAL_CPI, "bf": 1.0}
        names = [f"{stage}.{kind}" for stage in BEHIND_KEY for kind in weights]
        return -table.row("key", names) @ [weights[name.partition(".")[2]] for name in names]

    free = hidden(None)
    assert free[0] < free[1] < free[2]
    most = float(free[1])
    assert hidden(most) == pytest.approx([free[0], most, most])


def test_two_lcores_split_the_flows(base: Scenario) -> None:
    one, two = (with_overrides(base, {"placement.lcores": cpus}) for cpus in ("1", "0-1"))
    found = {r.name: r for r in regions_of(facts_of([one, two]))}
    actions = found["flow actions"]
    assert actions.lines[1] == actions.lines[0] / 2
    assert actions.total_lines[1] == actions.total_lines[0]


def test_destinations_come_round_as_the_step_says(base: Scenario) -> None:
    steps = ("0.4.0.0", "0.0.0.1", "0.3.0.0")
    facts = facts_of([with_overrides(base, {"traffic.destination_step": s}) for s in steps])
    assert list(facts.destinations) == [16384, 1 << 32, 65536]
