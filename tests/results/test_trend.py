"""Trends: levels, the run where one changed, and what makes a series."""

from __future__ import annotations

from collections.abc import Callable
from random import Random

import pytest

from planecast.results import Result
from planecast.results.basis import Basis
from planecast.results.trend import Metric, Trend, trends

MakeResult = Callable[..., Result]


@pytest.fixture
def series(make_result: MakeResult) -> Callable[..., list[tuple[str, Result]]]:
    """Runs a day apart with these costs in cycles a packet."""

    def make(*costs: float, **point: object) -> list[tuple[str, Result]]:
        found = []
        for day, cycles in enumerate(costs, start=1):
            result = make_result(cycles, point)
            at = result.manifest.model_copy(update={"started_at": f"2026-01-{day:02}T00:00:00Z"})
            found.append((f"run{day}", result.model_copy(update={"manifest": at})))
        return found

    return make


def only(pairs: list[tuple[str, Result]], metric: Metric = "cycles_per_packet") -> Trend:
    (found,) = trends(pairs, metric)
    return found


def test_the_run_where_the_level_changed_is_named(
    series: Callable[..., list[tuple[str, Result]]],
) -> None:
    noise = Random(1)
    costs = [200 + noise.gauss(0, 1) for _ in range(8)] + [
        214 + noise.gauss(0, 1) for _ in range(6)
    ]
    pairs = series(*costs)
    found = only(pairs[::-1])  # in whatever order they are listed
    (change,) = found.changes
    assert (change.run, change.verdict) == ("run9", "regression")
    assert change.change_percent == pytest.approx(7.0, abs=0.6)
    assert [point.run for point in found.points] == [run for run, _ in pairs]
    # In packets a second the same change points the other way, and is as bad.
    (fewer,) = only(pairs, "throughput_pps").changes
    assert (fewer.run, fewer.verdict) == ("run9", "regression")
    assert fewer.change_percent is not None
    assert fewer.change_percent < 0


def test_noise_is_one_level(series: Callable[..., list[tuple[str, Result]]]) -> None:
    noise = Random(2)
    assert only(series(*(200 + noise.gauss(0, 2) for _ in range(20)))).changes == []


def test_other_scenarios_kinds_and_machines_are_other_series(
    series: Callable[..., list[tuple[str, Result]]], make_result: MakeResult
) -> None:
    pairs = series(200.0, 201.0) + series(150.0, 151.0, **{"traffic.flows": 256})
    pairs += [("predicted", make_result(200.0, kind="computed"))]
    there = make_result(200.0)
    elsewhere = there.manifest.model_copy(update={"host": {"cpu": "Another"}})
    pairs += [("elsewhere", there.model_copy(update={"manifest": elsewhere}))]
    found = trends(pairs, "cycles_per_packet")
    assert [len(one.points) for one in found] == [2, 2, 1, 1]
    assert [one.scenario for one in found[:2]] == [
        "vpe-upstream",
        "vpe-upstream flows=256",
    ]


def test_two_calibrations_are_two_series(make_result: MakeResult) -> None:
    basis = Basis(
        run="first", digest="1", made_at="", cpu="Test CPU", this_host=True, choice="named"
    )
    pairs = []
    for name, cycles in (("first", 200.0), ("second", 180.0), ("first", 200.0), ("", 190.0)):
        result = make_result(cycles, kind="computed")
        kept = basis.model_copy(update={"run": name}) if name else None
        manifest = result.manifest.model_copy(update={"calibration": kept})
        pairs.append((f"run{len(pairs)}", result.model_copy(update={"manifest": manifest})))
    pairs.append(("run9", pairs[-1][1]))  # two that don't name theirs are no series either
    found = trends(pairs, "cycles_per_packet")
    assert [(one.calibration, len(one.points)) for one in found] == [
        ("first", 2),
        ("second", 1),
        ("unknown", 1),
        ("unknown", 1),
    ]
    assert not any(one.changes for one in found)


def test_what_lacks_the_metric_is_left_out(
    series: Callable[..., list[tuple[str, Result]]],
) -> None:
    assert trends(series(200.0, 201.0), "ipc") == []
