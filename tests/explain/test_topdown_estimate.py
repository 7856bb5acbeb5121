"""The top-down tree without counters: what is computed, and what is not made up."""

from __future__ import annotations

import pytest

from planecast.explain import Case, CauseCycles, Explanation, explain_case
from planecast.explain.counters import as_counters, compare_counters, explain_published
from planecast.explain.explain_inputs import with_profile
from planecast.explain.topdown_estimate import computed_tree
from planecast.model.calibration import Calibration
from planecast.results import Estimate, Result, RunDirectory
from planecast.scenario import with_overrides
from planecast.study.profile import Profile
from planecast.workload.counts import InstructionCounts


def cycles(value: float, half: float = 0.0) -> Estimate:
    return Estimate(
        value=value, low=value - half, high=value + half, unit="cycles/packet", kind="computed"
    )


CAUSES = (
    CauseCycles(cause="issue", cycles=cycles(30)),
    CauseCycles(cause="core", cycles=cycles(25, 5)),
    CauseCycles(cause="LLC", cycles=cycles(20, 4)),
    CauseCycles(cause="page walks", cycles=cycles(5, 1)),
    CauseCycles(cause="buffer conflicts", cycles=cycles(15, 3)),
    CauseCycles(cause="unexplained", cycles=cycles(5)),
)


def test_nodes_are_shares_with_intervals() -> None:
    nodes = {node.node: node for node in computed_tree(CAUSES, cycles(100, 10))}
    shares = {n: node.share.value for n, node in nodes.items() if node.share and not node.bound}
    assert shares == {
        "retiring": pytest.approx(0.3),
        "memory_bound": pytest.approx(0.4),
        "l3_bound": pytest.approx(0.2),
        "store_bound": pytest.approx(0.15),
    }
    for node in nodes.values():
        if node.share is not None:
            assert node.share.kind == "computed"
            assert node.share.low is not None
            assert node.share.low <= node.share.value <= (node.share.high or 0)
    assert nodes["memory_bound"].over
    assert not nodes["store_bound"].over
    for name in ("frontend_bound", "bad_speculation", "core_bound"):
        share = nodes[name].share
        assert nodes[name].bound
        assert share is not None
        assert share.value == pytest.approx(0.25 / 3)  # nobody knows more than that they share it
        assert share.low == pytest.approx(0, abs=0.01)
        assert share.high == pytest.approx(0.3, abs=0.01)
    assert nodes["backend_bound"].share is not None
    assert nodes["backend_bound"].share.value == pytest.approx(0.4 + 0.25 / 3)


def test_an_interval_has_both_uncertainties_and_stays_a_share() -> None:
    (node,) = (
        node
        for node in computed_tree((CauseCycles(cause="issue", cycles=cycles(90)),), cycles(100, 20))
        if node.share
    )
    assert node.share is not None
    assert node.share.low == pytest.approx(0.9 - 0.9 * (1 - 100 / 120))
    assert node.share.high == 1.0


def test_of_a_stage_that_may_be_nothing_a_part_may_be_all() -> None:
    nodes = computed_tree((CauseCycles(cause="issue", cycles=cycles(3)),), cycles(5, 5))
    (share,) = (node.share for node in nodes if node.share)
    assert (share.value, share.high) == (pytest.approx(0.6), 1.0)


def test_a_part_beyond_the_whole_is_no_share() -> None:
    parts = (
        CauseCycles(cause="issue", cycles=cycles(3)),
        CauseCycles(cause="LLC", cycles=cycles(9)),
    )
    nodes = {node.node: node for node in computed_tree(parts, cycles(5, 1))}
    assert nodes["l3_bound"].share is None
    assert nodes["memory_bound"].marks == ("the model exceeds what was computed",)


def test_without_model_and_instructions_there_is_no_tree() -> None:
    parts = (CauseCycles(cause="unattributed", cycles=cycles(100)),)
    assert computed_tree(parts, cycles(100)) == ()


def test_a_run_is_next_to_a_published_row(measured: Result, calibration: Calibration) -> None:
    found = explain_case(Case("mine", measured.scenario, measured, calibration=calibration))
    own = as_counters(found)
    moved = compare_counters(own, explain_published("l3fwd noHT"))
    assert [change.node for change in moved.changes] == ["retiring"]
    figures = {figure.metric: figure for figure in moved.figures}
    assert figures["instructions"].b.value == 139
    assert found.ipc is not None
    assert figures["instructions_per_cycle"].a == found.ipc
    hz = calibration.hierarchy.core_hz / calibration.hierarchy.tsc_hz
    assert figures["cycles"].a.value == pytest.approx(measured.cycles_per_packet.value * hz)


ROUTED = {"source": "source", "acl": "check", "key": "next_hop", "route": "rewrite", "tx": "tx"}
"""Stages of ip4, and whose costs they are given."""


def routed(measured: Result) -> Result:
    """Measured costs of a network function that no model knows."""
    changed = {"workload.kind": "ip4", "workload.stages": "check,next_hop,rewrite"}
    return measured.model_copy(
        update={
            "scenario": with_overrides(measured.scenario, changed),
            "stages": {new: measured.stages[old] for old, new in ROUTED.items()},
        }
    )


def explained(case: Case) -> Explanation:
    found = explain_case(case)
    assert found.modelled is None
    return found


def test_a_profile_of_the_same_scenario_shows_instructions(
    measured: Result,
    calibration: Calibration,
    counts: dict[str, InstructionCounts],
    tmp_path_factory: pytest.TempPathFactory,
) -> None:
    root = tmp_path_factory.mktemp("runs")
    other = routed(measured)
    case = Case("x", other.scenario, other, calibration=calibration)
    assert with_profile(case, root) == case
    assert any("planecast profile SCENARIO" in advice.try_this for advice in explained(case).advice)
    whole = max(counts.values(), key=lambda count: len(count.stages))
    renamed = {new: whole.stages[old] for old, new in ROUTED.items()}
    full = whole.model_copy(update={"stages": renamed})
    for scenario in (other.scenario, measured.scenario):
        with RunDirectory.create(root, "profile", "x") as run:
            run.write_json("profile.json", Profile(scenario=scenario, counts=(full,), touches=None))
    counted = with_profile(case, root)
    assert counted.counts == full
    known = with_profile(Case("x", measured.scenario, measured, calibration=calibration), root)
    assert known.counts is None  # the model has its own
    found = explained(counted)
    assert any(
        text.startswith(f"instructions are those of {counted.counted_by}") for text in found.notes
    )
    assert any(node.node == "retiring" and node.share for node in found.nodes)
    assert any("instructions a cycle: it" in advice.why for advice in found.advice)
