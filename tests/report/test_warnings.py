"""Warnings and notes."""

from __future__ import annotations

from collections.abc import Callable

from planecast.report.warnings import listed, notes_of, result_warnings, validation_warnings
from planecast.results import Estimate, Result
from planecast.results.validation import Validation
from planecast.scenario import with_overrides


def test_a_good_validation_has_none(validation: Validation) -> None:
    labels = [point.label for point in validation.points]
    assert list(validation_warnings(validation)) == []
    assert list(result_warnings(labels, [p.measured for p in validation.points])) == []


def test_each_trouble_has_its_name(results: list[Result]) -> None:
    bare = results[0].cycles_per_packet.model_copy(update={"low": None, "high": None})
    changed = [
        results[0].model_copy(update={"packets_out": 7}),
        results[1].model_copy(update={"disturbed_share": 0.6}),
        results[2].model_copy(update={"cycles_per_packet": bare}),
    ]
    found = {warned.name: warned.what for warned in result_warnings(["a", "b", "c"], changed)}
    assert list(found) == ["packets-unaccounted", "machine-disturbed", "interval-missing"]
    assert found["packets-unaccounted"].endswith(": a.")
    assert found["machine-disturbed"].endswith(": b.")
    assert found["interval-missing"].endswith(": c.")


def test_what_is_inside_when_a_simulation_ends_is_not_lost(results: list[Result]) -> None:
    rate = results[0].throughput_pps.model_copy(update={"kind": "simulated"})
    ended = results[0].model_copy(update={"packets_out": 7, "throughput_pps": rate})
    assert list(result_warnings(["a"], [ended])) == []


def test_what_a_program_of_others_has_gathered_is_not_lost(results: list[Result]) -> None:
    other = with_overrides(results[0].scenario, {"dataplane.kind": "l3fwd"})
    counted = results[0].model_copy(update={"packets_in": 2_293_760, "drops": {}})
    theirs = counted.model_copy(update={"scenario": other})

    def warned(result: Result, out: int) -> int:
        return len(list(result_warnings(["a"], [result.model_copy(update={"packets_out": out})])))

    assert warned(theirs, 2_293_184) == 0
    assert warned(theirs, 2_200_000) == 1
    assert warned(theirs, 2_293_860) == 0  # of those gathered in the visit before
    assert warned(theirs, 2_400_000) == 1
    assert warned(counted, 2_293_184) == 1


def test_intervals_that_cover_too_little(make_validation: Callable[..., Validation]) -> None:
    (warned,) = validation_warnings(make_validation(coverage_percent=62.5))
    assert warned.name == "coverage-low"
    assert warned.what.startswith("62 % of the held-out points")


def test_a_machine_that_moved(make_validation: Callable[..., Validation]) -> None:
    def again(value: float) -> Estimate:
        ends = {"low": value - 0.01, "high": value + 0.01}
        return Estimate(value=value, **ends, samples=9, unit="ratio", kind="computed")

    assert list(validation_warnings(make_validation(repeatability=again(1.005)))) == []
    (warned,) = validation_warnings(make_validation(repeatability=again(0.97)))
    assert warned.name == "machine-moved"
    assert "in the same blocks, gave −3.0 % the second time" in warned.what


def test_a_note_is_said_once(results: list[Result]) -> None:
    labels = ["a", "b", "c", "d", "e"]
    assert notes_of(labels, results) == ["pages of 4 KiB: no hugepages were free (all 5)"]
    assert notes_of(["a"], results[:1]) == ["pages of 4 KiB: no hugepages were free"]
    assert listed(labels[:4], 9) == "a; b; c and 1 other"
    assert listed(labels[:2], 9) == "a; b"
