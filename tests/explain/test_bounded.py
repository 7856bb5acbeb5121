"""Functions that no model is calibrated for: their waits are bounded, and add up with the rest."""

from __future__ import annotations

import pytest

from planecast.model.calibration import Calibration
from planecast.explain import Case, explain_case
from planecast.explain.bounded import bounded_waits, taken_apart
from planecast.results import Estimate, Result, StageResult
from planecast.scenario import Scenario, with_overrides
from planecast.scenario.workload import FUNCTIONS


def scenario(kind: str, **keys: object) -> Scenario:
    """Keys with two underscores for the dot."""
    changes = {"workload.kind": kind, "workload.stages": ",".join(FUNCTIONS[kind]) or "none"}
    dotted = {key.replace("__", "."): value for key, value in keys.items()}
    return with_overrides(Scenario(name="x"), {**changes, **dotted})


def test_more_flows_wait_for_farther_levels(calibration: Calibration) -> None:
    few = bounded_waits(scenario("l2bridge", traffic__flows=64), calibration)
    many = bounded_waits(scenario("l2bridge", traffic__flows=65536), calibration)
    assert sum(w.high or 0 for w in few["learn"].values()) < 1
    assert sum(w.high or 0 for w in many["learn"].values()) > 10
    for wait in many["learn"].values():
        assert wait.kind == "computed"
        assert wait.interval is not None
        assert wait.low == 0 <= wait.value <= (wait.high or 0)


@pytest.mark.parametrize(
    "keys",
    [
        {"placement__cuts": "check", "placement__lcores": "0-1"},
        {"neighbour__stream": "64MiB", "neighbour__cpu": 0},
    ],
)
def test_where_the_caches_are_not_its_own_nothing_is_said(
    calibration: Calibration, keys: dict[str, object]
) -> None:
    assert bounded_waits(scenario("ip4", **keys), calibration) == {}
    assert bounded_waits(scenario("ip4"), calibration) != {}


def cycles(value: float, half: float = 0.0) -> Estimate:
    return Estimate(
        value=value, low=value - half, high=value + half, unit="cycles/packet", kind="measured"
    )


def test_a_stage_is_taken_apart_and_adds_up() -> None:
    wait = Estimate(value=10, low=0, high=40, unit="cycles/packet", kind="computed")
    parts = taken_apart(cycles(50, 2), 12.0, {"LLC": wait})
    assert {name: part.value for name, part in parts.items()} == {
        "LLC": 10,
        "issue": 12,
        "core": 28,
    }
    assert parts["LLC"].interval == (0, 40)
    assert parts["core"].interval == (0, 40)


def test_waits_take_no_more_than_was_measured() -> None:
    wait = Estimate(value=30, low=0, high=90, unit="cycles/packet", kind="computed")
    parts = taken_apart(cycles(20, 2), 15.0, {"LLC": wait, "memory": wait})
    assert sum(part.value for part in parts.values()) == pytest.approx(20)
    assert parts["LLC"].high == 7
    assert parts["core"].value == 0


def test_an_explanation_tells_causes_by_level_and_the_tree(
    measured: Result, calibration: Calibration
) -> None:
    asked = scenario("l2bridge", traffic__flows=65536)
    stages = {name: StageResult(cycles_per_packet=cycles(40, 3)) for name in ("learn", "forward")}
    stages |= {name: StageResult(cycles_per_packet=cycles(12, 1)) for name in ("source", "tx")}
    whole = cycles(110, 8)
    run = measured.model_copy(
        update={"scenario": asked, "stages": stages, "cycles_per_packet": whole}
    )
    found = explain_case(Case("bridge", asked, run, None, calibration))
    assert found.modelled is None
    for stage in found.stages:
        assert stage.cycles is not None
        total = sum(part.cycles.value for part in stage.causes)
        assert total == pytest.approx(stage.cycles.value)
    assert sum(part.cycles.value for part in found.causes) == pytest.approx(110)
    assert {"core", "LLC"} <= {part.cause for part in found.causes}
    nodes = {node.node: node.share for node in found.nodes}
    share = nodes["memory_bound"]
    assert share is not None
    assert share.interval is not None
    assert share.interval[0] == pytest.approx(0, abs=0.02)
    # Each level may be all of a stage, all of them together no more than the whole.
    (waiting,) = (text for text in found.limits if text.startswith("waiting for lines"))
    assert float(waiting.partition(", ")[2].partition(", ")[2].partition("]")[0]) <= 118
    assert any(text.startswith("waits are bounds") for text in found.certainty)
    assert any(text.startswith("how much of the waits shows") for text in found.unknown)
