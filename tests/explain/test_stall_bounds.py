"""Stages that no model is calibrated for: their stalls are bounded, and add up with the rest."""

from __future__ import annotations

from typing import Any

import pytest

from planecast.explain import Case, explain_case
from planecast.explain.stall_bounds import bounded_stalls, split_stage
from planecast.model.calibration import Calibration
from planecast.model.prediction import cost_of, predict
from planecast.results import Estimate, Result, StageResult
from planecast.scenario import Scenario, with_overrides
from planecast.scenario.workload import FUNCTIONS
from planecast.workload.stages.registry import stages_of


def scenario(kind: str = "vpe-upstream", **keys: object) -> Scenario:
    """Keys with two underscores for the dot."""
    stages = ",".join(FUNCTIONS[kind]) or "none"  # type: ignore[index]
    changes = {"workload.kind": kind, "workload.stages": stages, "workload.flows": 1 << 20}
    dotted = {key.replace("__", "."): value for key, value in keys.items()}
    return with_overrides(Scenario(name="x"), {**changes, **dotted})


@pytest.mark.parametrize("kind", FUNCTIONS)
def test_every_function_whose_stages_are_described_has_stalls(
    calibration: Calibration, kind: str
) -> None:
    try:
        described = bool(stages_of(kind))
    except KeyError:
        described = False
    found = bounded_stalls(scenario(kind), calibration, 300.0)
    assert (found.get("source", {}) != {}) == described
    for stalls in found.values():
        for stall in stalls.values():
            assert stall.kind == "computed"
            assert stall.low == 0 <= stall.value <= (stall.high or 0)


def test_more_flows_wait_for_farther_levels(calibration: Calibration) -> None:
    few = bounded_stalls(scenario(traffic__flows=64), calibration, 300.0)
    many = bounded_stalls(scenario(traffic__flows=1 << 20), calibration, 300.0)
    assert "memory" not in few["actions"]
    assert many["actions"]["memory"].value > 10
    assert sum(s.high or 0 for s in few["actions"].values()) < 10


def test_the_bounds_hold_what_the_calibrated_model_says(calibration: Calibration) -> None:
    """With the machine's own parameters: the model lies below the bound in every place."""
    for flows in (4096, 1 << 20):
        asked = scenario(traffic__flows=flows, placement__page_size="4KiB")
        packet = float(predict([asked], calibration).value[0])
        bounds = bounded_stalls(asked, calibration, packet)
        _, cost, _ = cost_of([asked], calibration)
        for stage, stalls in bounds.items():
            causes = cost.by_cause(stage)
            for cause, stall in stalls.items():
                said = float(causes.get(cause, [0.0])[0])
                assert stall.value == pytest.approx(said, rel=0.02, abs=0.05)
                assert stall.high is not None
                assert said <= stall.high + 0.05


def test_bounds_leave_room_for_a_smaller_l2_and_for_walks_in_large_pages(
    calibration: Calibration,
) -> None:
    """Of both nobody knows more than the priors say: what they may be is within the bounds."""
    bare = calibration.model_copy(update={"parameters": ()})
    few, many = (
        bounded_stalls(scenario(traffic__flows=flows), bare, 300.0) for flows in (1 << 11, 1 << 20)
    )
    small = bounded_stalls(
        scenario(traffic__flows=1 << 20, placement__page_size="4KiB"), bare, 300.0
    )
    # 6.9 times by lone latencies; a smaller L2 lets out 1.7 times as many lines.
    assert (few["actions"]["LLC"].high or 0) > 10 * few["actions"]["LLC"].value > 0
    # A large page has walks of the host's page table alone, a small one of the guest's, too.
    large, both = (one["actions"]["page walks"] for one in (many, small))
    assert 0 < large.value < 0.3 * both.value
    assert 5 * large.value < (large.high or 0) < (both.high or 0)


@pytest.mark.parametrize(
    "keys",
    [
        {"placement__cuts": "key", "placement__cpus": "0-1"},
        {"neighbour__stream": "64MiB", "neighbour__cpu": 0},
        {"machine": "e5-2699v4"},
    ],
)
def test_where_the_caches_are_not_its_own_nothing_is_said(
    calibration: Calibration, keys: dict[str, Any]
) -> None:
    assert bounded_stalls(scenario(**keys), calibration, 300.0) == {}
    assert bounded_stalls(scenario(), calibration, 300.0) != {}


def cycles(value: float, half: float = 0.0) -> Estimate:
    return Estimate(
        value=value, low=value - half, high=value + half, unit="cycles/packet", kind="measured"
    )


def test_a_stage_is_taken_apart_and_adds_up() -> None:
    wait = Estimate(value=10, low=0, high=40, unit="cycles/packet", kind="computed")
    parts = split_stage(cycles(50, 2), 12.0, {"LLC": wait})
    assert {name: part.value for name, part in parts.items()} == {
        "LLC": 10,
        "issue": 12,
        "core": 28,
    }
    assert parts["LLC"].interval == (0, 40)
    assert parts["core"].interval == (0, 40)


def test_waits_take_no_more_than_was_measured() -> None:
    wait = Estimate(value=30, low=0, high=90, unit="cycles/packet", kind="computed")
    parts = split_stage(cycles(20, 2), 15.0, {"LLC": wait, "memory": wait})
    assert sum(part.value for part in parts.values()) == pytest.approx(20)
    assert parts["LLC"].high == 7
    assert parts["core"].value == 0


def test_an_explanation_shows_causes_by_level_and_the_tree(
    measured: Result, calibration: Calibration
) -> None:
    """The calibration is of another function, so its machine is all that helps."""
    other = calibration.model_copy(update={"kind": "ip4"})
    asked = scenario(traffic__flows=1 << 20)
    stages: dict[str, StageResult] = {
        name: StageResult(cycles_per_packet=cycles(80, 3))
        for name in FUNCTIONS[asked.workload.kind]
    }
    stages |= {name: StageResult(cycles_per_packet=cycles(20, 1)) for name in ("source", "tx")}
    whole = cycles(450, 8)
    run = measured.model_copy(
        update={"scenario": asked, "stages": stages, "cycles_per_packet": whole}
    )
    found = explain_case(Case("other", asked, run, calibration=other))
    assert found.modelled is None
    for stage in found.stages:
        assert stage.cycles is not None
        total = sum(part.cycles.value for part in stage.causes)
        assert total == pytest.approx(stage.cycles.value)
    assert sum(part.cycles.value for part in found.causes) == pytest.approx(450)
    assert {"core", "memory"} <= {part.cause for part in found.causes}
    nodes = {node.node: node.share for node in found.nodes}
    share = nodes["memory_bound"]
    assert share is not None
    assert share.interval is not None
    assert share.interval[0] == pytest.approx(0, abs=0.02)
    # Each level may be all of a stage, all of them together no more than the whole.
    (waiting,) = (text for text in found.limits if text.startswith("waiting for lines"))
    assert float(waiting.partition(", ")[2].partition(", ")[2].partition("]")[0]) <= 458
    assert any(text.startswith("stalls are bounds") for text in found.certainty)
    assert any(text.startswith("how much of the stalls shows") for text in found.unknown)
