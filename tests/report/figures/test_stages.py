"""Stacks by stage, along an axis and by result."""

from __future__ import annotations

from planecast.report.figures.stage_bars import CYCLES, INSTRUCTIONS
from planecast.report.figures.stages_along import stages_along
from planecast.report.figures.stages_by_result import stages_by_result
from planecast.report.sweep_axis import BURST, FLOWS, Family, largest_family
from planecast.results import Result
from planecast.results.validation import Validation
from planecast.scenario import Scenario

STAGES = ["source", "acl", "key", "classify", "actions", "route", "tx"]


def family_of(validation: Validation, axis: object) -> tuple[Family, dict[str, list[Result]]]:
    groups = {
        "measured": [point.measured for point in validation.points],
        "predicted": [point.predicted for point in validation.points],
    }
    family = largest_family(axis, groups["measured"], Scenario(name="x"))  # type: ignore[arg-type]
    assert family is not None
    return family, groups


def test_a_stack_of_seven_stages_for_measured_and_predicted(validation: Validation) -> None:
    family, groups = family_of(validation, FLOWS)
    figure = stages_along(family, groups)
    assert figure is not None
    bars = [trace for trace in figure.data if trace.type == "bar"]
    assert [(t.name, t.offsetgroup) for t in bars] == [
        (stage, group) for stage in STAGES for group in ("measured", "predicted")
    ]
    assert list(bars[0].x) == [
        *("256", "512", "1,024", "2,048", "4,096", "8,192", "16,384", "32,768", "65,536"),
        *("131,072*", "262,144*"),
    ]
    for trace in bars:
        results = [groups[trace.offsetgroup][member] for member in family.members]
        costs = [result.stages[trace.name].cycles_per_packet for result in results]
        assert list(trace.y) == [cost.value for cost in costs if cost]


def test_totals_carry_their_intervals(validation: Validation) -> None:
    family, groups = family_of(validation, BURST)
    figure = stages_along(family, groups)
    assert figure is not None
    totals = [trace for trace in figure.data if trace.type == "scatter"]
    assert [trace.offsetgroup for trace in totals] == ["measured", "predicted"]
    for trace in totals:
        found = [groups[trace.offsetgroup][m].cycles_per_packet for m in family.members]
        assert list(trace.y) == [total.value for total in found]
        assert list(trace.error_y.array) == [t.high - t.value for t in found if t.high]


def test_a_group_without_stages_is_left_out(validation: Validation) -> None:
    family, groups = family_of(validation, BURST)
    bare = [result.model_copy(update={"stages": {}}) for result in groups["predicted"]]
    figure = stages_along(family, {**groups, "predicted": bare})
    assert figure is not None
    assert {trace.offsetgroup for trace in figure.data} == {"measured"}
    assert stages_along(family, {"measured": bare}) is None


def test_a_stage_that_is_left_out_of_a_run_has_no_bar(validation: Validation) -> None:
    results = [point.measured for point in validation.points[5:7]]
    figure = stages_by_result(["a", "b"], results, INSTRUCTIONS)
    assert figure is not None
    found = {trace.name: list(trace.x) for trace in figure.data}
    assert list(found) == ["source", "acl", "key", "classify", "tx"]
    assert found["key"][0] is None
    count = results[1].stages["key"].instructions_per_packet
    assert count is not None
    assert found["key"][1] == count.value
    assert figure.layout.xaxis.title.text == "instructions/packet, measured"


def test_results_without_the_metric_have_no_row(results: list[Result]) -> None:
    bare = results[0].model_copy(update={"stages": {}})
    figure = stages_by_result(["a", "b"], [bare, results[1]], CYCLES)
    assert figure is not None
    assert list(figure.data[0].y) == ["b"]
    assert stages_by_result(["a"], [bare], CYCLES) is None
