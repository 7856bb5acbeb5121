"""Two explanations: what moved, and that nothing else is said to have."""

from __future__ import annotations

import pytest

from planecast.errors import InputError
from planecast.explain import Case, Explanation, compare_explanations, explain_case
from planecast.explain.against import ALL
from planecast.model.calibration import Calibration
from planecast.results import Result
from planecast.scenario import with_overrides


def explained(result: Result, calibration: Calibration | None, label: str) -> Explanation:
    return explain_case(Case(label, result.scenario, result, calibration=calibration))


def slower(result: Result, stage: str, factor: float) -> Result:
    """The result with one stage slower."""
    cost = result.stages[stage].cycles_per_packet
    assert cost is not None
    grown = cost.scaled(factor, cost.unit)
    extra = grown.value - cost.value
    whole = result.cycles_per_packet
    assert whole.interval is not None
    moved = {"value": whole.value + extra, "low": whole.interval[0] + extra}
    return result.model_copy(
        update={
            "stages": result.stages
            | {stage: result.stages[stage].model_copy(update={"cycles_per_packet": grown})},
            "cycles_per_packet": whole.model_copy(
                update=moved | {"high": whole.interval[1] + extra}
            ),
        }
    )


def test_only_the_stage_that_changed_moved(measured: Result, calibration: Calibration) -> None:
    a = explained(measured, calibration, "a")
    b = explained(slower(measured, "route", 3.0), calibration, "b")
    found = compare_explanations(a, b)
    assert [c.stage for c in found.changes if not c.cause and c.moved] == [ALL, "route"]
    assert "by stage, beyond the intervals: route +" in " ".join(found.findings)
    assert found.settings == {}


def test_steps_add_up(measured: Result, calibration: Calibration) -> None:
    scenario = with_overrides(measured.scenario, {"placement.burst": 8})
    b = slower(measured, "acl", 1.7).model_copy(update={"scenario": scenario})
    found = compare_explanations(
        explained(measured, calibration, "a"), explained(b, calibration, "b")
    )
    (whole,) = found.of(ALL, causes=False)
    for changes in (
        found.of(ALL, causes=True),
        [found.of(stage, causes=False)[0] for stage in found.stages],
    ):
        assert sum(c.change.value for c in changes) == pytest.approx(whole.change.value)
    assert found.settings == {"placement.burst": ("32", "8")}
    bursts = next(c for c in found.of(ALL, causes=True) if c.cause == "bursts")
    assert 0 < bursts.a.value < bursts.b.value


def test_the_same_run_moved_nowhere(measured: Result, calibration: Calibration) -> None:
    one = explained(measured, calibration, "a")
    found = compare_explanations(one, one)
    assert not any(change.moved for change in found.changes)
    assert "within the intervals" in found.findings[0]


def test_without_cycles_there_is_nothing_to_compare(measured: Result) -> None:
    counted = explain_case(Case("profile", measured.scenario))
    with pytest.raises(InputError, match="no cycles to compare"):
        compare_explanations(explained(measured, None, "a"), counted)


def test_what_one_calibration_says_of_both_is_not_doubted_twice(
    measured: Result, calibration: Calibration
) -> None:
    scenario = with_overrides(measured.scenario, {"traffic.flows": 256})
    fewer = measured.model_copy(update={"scenario": scenario})
    a, b = (explained(one, calibration, "a") for one in (measured, fewer))
    apart, shared = compare_explanations(a, b), compare_explanations(a, b, calibration)
    for one, other in zip(apart.changes, shared.changes, strict=True):
        assert (one.stage, one.cause, one.change.value) == (
            other.stage,
            other.cause,
            pytest.approx(other.change.value),
        )
    core = next(c for c in shared.of(ALL, causes=True) if c.cause == "core")
    assert core.change.value == pytest.approx(0)
    assert core.change.high == pytest.approx(0)  # the instructions are the same ones
    waits = [c for c in shared.of(ALL, causes=True) if c.cause == "memory"]
    assert all(c.moved for c in waits)
