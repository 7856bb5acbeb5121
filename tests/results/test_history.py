"""History: levels, the run where one changed, what makes a series, and how sure a level is."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from random import Random

import pytest
from tests.report.conftest import search_answer

from planecast.results import Result, ResultSet, RunDirectory
from planecast.results.basis import Basis
from planecast.results.history import (
    Observation,
    Series,
    all_observations,
    histories,
    observations,
)
from planecast.results.search import SearchAnswer

__all__ = ["search_answer"]

MakeResult = Callable[..., Result]
MakeSeries = Callable[..., list[Observation]]
CYCLES = "cycles_per_packet"


def dated(result: Result, day: int, **manifest: object) -> Result:
    changes = {"started_at": f"2026-01-{day:02}T00:00:00Z", **manifest}
    return result.model_copy(update={"manifest": result.manifest.model_copy(update=changes)})


@pytest.fixture
def series(make_result: MakeResult) -> MakeSeries:
    """Runs a day apart with these costs in cycles a packet."""

    def make(*costs: float, metric: str = CYCLES, **point: object) -> list[Observation]:
        return [
            one
            for day, cycles in enumerate(costs, start=1)
            for one in observations(
                Path(f"run{day}"), dated(make_result(cycles, point), day), metric
            )
        ]

    return make


def only(found: list[Observation]) -> Series:
    (one,) = histories(found)
    return one


def test_what_a_run_copied_from_another_counts_once(series: MakeSeries) -> None:
    """A calibration that was fitted again holds the points of the former one."""
    measured = series(200, 202, 201)
    copies = [replace(one, run=Path("run9")) for one in measured]
    assert only([*copies, *measured]) == only(measured)
    # Two measurements of one run are two, however alike.
    assert len(only([*measured, measured[-1]]).points) == 4


def test_the_run_where_the_level_changed_is_named(series: MakeSeries) -> None:
    noise = Random(1)
    costs = [200 + noise.gauss(0, 1) for _ in range(8)] + [
        214 + noise.gauss(0, 1) for _ in range(6)
    ]
    runs = series(*costs)
    found = only(runs[::-1])  # in whatever order they are listed
    (change,) = found.regressions
    assert change.points[0].run.name == "run9"
    assert change.change is not None
    assert change.change.interval is not None
    assert change.change.interval[0] < 1.07 < change.change.interval[1]
    assert list(found.points) == runs
    # In packets a second the same change points the other way, and is as bad.
    (fewer,) = only(series(*costs, metric="throughput_pps")).regressions
    assert fewer.points[0].run.name == "run9"
    assert fewer.change_percent is not None
    assert fewer.change_percent < 0


def test_a_change_between_single_runs_is_unconfirmed(series: MakeSeries) -> None:
    found = only(series(100.0, 150.0))
    assert [level.verdict for level in found.levels] == ["", "unconfirmed"]
    assert not found.regressions
    (confirmed,) = only(series(100.0, 150.0, 150.5)).regressions
    assert confirmed.points[0].value.value == 150.0


def test_a_change_within_the_runs_own_intervals_is_none(make_result: MakeResult) -> None:
    def levels(half: float) -> int:
        runs: list[Observation] = []
        for day, cost in enumerate((200.0, 200.0, 280.0), start=1):
            made = make_result(cost)
            ends = {"low": cost / half, "high": cost * half}
            wide = made.cycles_per_packet.model_copy(update=ends)
            changed = dated(made.model_copy(update={"cycles_per_packet": wide}), day)
            runs += observations(Path(f"run{day}"), changed, CYCLES)
        return len(only(runs).levels)

    assert (levels(1.02), levels(1.5)) == (2, 1)


def test_noise_is_one_level(series: MakeSeries) -> None:
    noise = Random(2)
    found = only(series(*(200 + noise.gauss(0, 2) for _ in range(20))))
    assert len(found.levels) == 1
    assert found.now.verdict == ""


def test_a_levels_interval_covers_the_truth(make_result: MakeResult) -> None:
    """Of measured runs without intervals of their own: by how much they differ, about 95 times of
    100."""
    noise = Random(3)
    covered = 0
    for _ in range(200):
        runs: list[Observation] = []
        for day in range(1, 7):
            made = make_result(200 * (1 + noise.gauss(0, 0.01)))
            bare = made.cycles_per_packet.model_copy(update={"low": None, "high": None})
            changed = dated(made.model_copy(update={"cycles_per_packet": bare}), day)
            runs += observations(Path(f"run{day}"), changed, CYCLES)
        found = only(runs)
        assert found.now.value.samples == len(found.now.points)
        covered += len(found.levels) == 1 and found.now.value.covers(200)
    assert 180 <= covered <= 199


def test_runs_that_agree_by_chance_are_no_surer_than_their_own_intervals(
    make_result: MakeResult,
) -> None:
    made = make_result(200.0)
    wide = made.cycles_per_packet.model_copy(update={"low": 190.0, "high": 210.0})
    runs = [
        one
        for day in range(1, 5)
        for one in observations(
            Path(f"run{day}"),
            dated(made.model_copy(update={"cycles_per_packet": wide}), day),
            CYCLES,
        )
    ]
    assert only(runs).now.value.half_width_percent == pytest.approx(5.0 / 2, rel=0.02)


def test_the_models_answers_are_as_unsure_as_one_of_them(make_result: MakeResult) -> None:
    basis = Basis(run="c", digest="1", made_at="", cpu="CPU", this_host=True, choice="named")
    made = make_result(200.0, kind="computed")
    wide = made.cycles_per_packet.model_copy(update={"low": 190.0, "high": 210.0})
    runs = [
        one
        for day in range(1, 5)
        for one in observations(
            Path(f"run{day}"),
            dated(made.model_copy(update={CYCLES: wide}), day, calibration=basis),
            CYCLES,
        )
    ]
    assert only(runs).now.value.half_width_percent == pytest.approx(5.0, rel=0.02)


def test_other_scenarios_kinds_and_hosts_are_other_series(
    series: MakeSeries, make_result: MakeResult
) -> None:
    runs = series(200.0, 201.0) + series(150.0, 151.0, **{"traffic.flows": 256})
    runs += observations(Path("predicted"), make_result(200.0, kind="computed"), CYCLES)
    host = make_result(200.0).manifest.host
    for facts in ({"cpu": "Another"}, host | {"cpus": 96}):
        there = make_result(200.0)
        manifest = there.manifest.model_copy(update={"host": facts})
        moved = there.model_copy(update={"manifest": manifest})
        runs += observations(Path("elsewhere"), moved, CYCLES)
    found = histories(runs)
    assert [len(one.points) for one in found] == [2, 2, 1, 1, 1]
    assert [one.scenario for one in found[:2]] == ["vpe-upstream", "vpe-upstream flows=256"]


def test_two_calibrations_are_two_series(make_result: MakeResult) -> None:
    basis = Basis(
        run="first", digest="1", made_at="", cpu="Test CPU", this_host=True, choice="named"
    )
    runs: list[Observation] = []
    for name, cycles in (
        ("first", 200.0),
        ("second", 180.0),
        ("first", 200.0),
        ("", 190.0),
        ("", 190.0),
    ):
        result = make_result(cycles, kind="computed")
        kept = basis.model_copy(update={"run": name}) if name else None
        manifest = result.manifest.model_copy(update={"calibration": kept})
        changed = result.model_copy(update={"manifest": manifest})
        runs += observations(Path(f"run{len(runs)}"), changed, CYCLES)
    # Two that don't name theirs are no series either.
    assert [(one.calibration, len(one.points)) for one in histories(runs)] == [
        ("first", 2),
        ("second", 1),
        ("unknown", 1),
        ("unknown", 1),
    ]


def test_what_lacks_the_metric_is_left_out(series: MakeSeries) -> None:
    assert series(200.0, 201.0, metric="ipc") == []
    assert series(200.0, metric="NDR") == []


def test_all_runs_of_a_folder(tmp_path: Path, make_result: MakeResult) -> None:
    for day in (1, 2):
        with RunDirectory.create(tmp_path, "measure", f"day{day}") as run:
            run.write_result(ResultSet(results=(dated(make_result(200.0), day),)))
    with RunDirectory.create(tmp_path, "profile", "nothing") as run:
        run.write_json("profile.json", {})
    RunDirectory.create(tmp_path, "measure", "partial").write_result(make_result(200.0))
    (found,) = histories(all_observations(tmp_path))
    assert found.metric.name == "throughput_pps"
    assert len(found.points) == 2


def test_a_rate_that_the_link_capped_is_in_no_series(search_answer: SearchAnswer) -> None:
    """It is a least one: on a faster link it would be higher, and nothing would have changed."""
    name, rate = next(iter(search_answer.rates.items()))
    free = search_answer.model_copy(
        update={"rates": {name: rate.model_copy(update={"capped_by": "data plane"})}}
    )
    assert [one.metric.name for one in observations(Path("run"), free)] == [name]
    capped = search_answer.model_copy(
        update={"rates": {name: rate.model_copy(update={"capped_by": "link"})}}
    )
    assert list(observations(Path("run"), capped)) == []


def test_an_invalid_search_is_no_level(search_answer: SearchAnswer) -> None:
    assert list(observations(Path("run"), search_answer, "NDR"))
    starved = search_answer.model_copy(update={"invalid": "INVALID: a thread had no CPU"})
    assert not list(observations(Path("run"), starved, "NDR"))
