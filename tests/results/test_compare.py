"""Comparisons: verdicts only where intervals allow them."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from planecast.results import Result
from planecast.results.compare import compare
from planecast.results.result import CLOCK_AND_MODEL, StageResult

MakeResult = Callable[..., Result]


def verdicts(a: Result, b: Result) -> dict[str, str]:
    return {row.metric: row.verdict for row in compare(a, b, interleaved=True).rows}


def test_apart_and_together(make_result: MakeResult) -> None:
    assert verdicts(make_result(250.0), make_result(200.0)) == {
        "throughput_pps": "B higher",
        "cycles_per_packet": "B lower",
        "acl.cycles_per_packet": "B lower",
    }
    assert set(verdicts(make_result(250.0), make_result(252.0)).values()) == {"undecided"}


def test_same_is_said_only_when_it_is_shown(make_result: MakeResult) -> None:
    def verdict(a: float, b: float, percent: float, margin: float = 0.01) -> str:
        left, right = make_result(a, percent=percent), make_result(b, percent=percent)
        rows = compare(left, right, interleaved=True, margin=margin, name="C").rows
        return next(row.verdict for row in rows if row.metric == "cycles_per_packet")

    assert verdict(200.0, 200.0, 0.1) == "same within 1 %"
    # The same two values, measured badly: nothing is shown.
    assert verdict(200.0, 200.0, 5.0) == "undecided"
    assert verdict(200.0, 200.0, 5.0, margin=0.1) == "same within 10 %"
    # Different beyond doubt, and by less than anybody cares about.
    assert verdict(200.0, 200.8, 0.1) == "same within 1 %"
    assert verdict(200.0, 200.8, 0.1, margin=0.002) == "C higher"
    assert verdict(200.0, 190.0, 0.1) == "C lower"


def test_no_verdict_without_both_intervals(make_result: MakeResult) -> None:
    bare = make_result(100.0, percent=0.0)
    assert set(verdicts(bare, make_result(200.0)).values()) == {""}
    notes = compare(bare, make_result(200.0), interleaved=True).notes
    assert notes == ("no verdict where an interval is missing or has no width",)


def test_runs_that_were_not_interleaved_are_distinguished(make_result: MakeResult) -> None:
    a, b = make_result(), make_result()
    assert compare(a, b, interleaved=True).notes == ()
    (note,) = compare(a, b, interleaved=False).notes
    assert note.startswith("not interleaved in one run")
    # A prediction has no moment, so it can't have had another one.
    notes = compare(a, make_result(kind="computed"), interleaved=False).notes
    assert not any("interleaved" in note for note in notes)


def test_other_scenarios_machines_versions_and_disturbance_are_named(
    make_result: MakeResult,
) -> None:
    a = make_result()
    moved = a.manifest.model_copy(
        update={"host": {"cpu": "Another"}, "versions": {"planecast": "0.1.0", "dpdk": "23.11"}}
    )
    b = make_result(point={"traffic.flows": 8}, manifest=moved, disturbed_share=0.75)
    found = compare(a, b, interleaved=True)
    assert found.differences == {"traffic.flows": ("65536", "8")}
    assert found.notes == (
        "measured or computed on different machines",
        "dpdk differs: 22.11.11 and 23.11",
        "B: 75% of the trials were disturbed",
    )


def test_a_metric_that_one_lacks_has_no_row(make_result: MakeResult) -> None:
    assert "acl.cycles_per_packet" not in verdicts(make_result(), make_result(stages={}))


def test_no_verdict_from_an_interval_without_width(make_result: MakeResult) -> None:
    a, b = make_result(200.0, percent=0), make_result(210.0)
    cost = a.cycles_per_packet.model_copy(update={"low": 200.0, "high": 200.0})
    a = a.model_copy(update={"cycles_per_packet": cost})
    rows = {row.metric: row for row in compare(a, b, interleaved=True).rows}
    row = rows["cycles_per_packet"]
    assert row.verdict == ""
    assert row.ratio is not None
    assert row.ratio.value == pytest.approx(1.05)


def test_stages_of_a_clock_and_of_the_model_say_what_each_is(make_result: MakeResult) -> None:
    measured = make_result()
    cycles = measured.stages["acl"].cycles_per_packet
    assert cycles is not None
    said = StageResult(cycles_per_packet=cycles.model_copy(update={"kind": "computed"}))
    modelled = measured.model_copy(update={"stages": {"acl": said}})
    assert CLOCK_AND_MODEL in compare(measured, modelled, interleaved=True).notes
    assert CLOCK_AND_MODEL not in compare(measured, measured, interleaved=True).notes
    assert CLOCK_AND_MODEL not in compare(modelled, modelled, interleaved=True).notes
