"""What one rate says of other clocks, threads, cores and machines."""

from __future__ import annotations

import os
from dataclasses import fields
from itertools import pairwise
from pathlib import Path

import pytest

from planecast.errors import InputError
from planecast.model.published_rate import (
    PRIORS,
    Guess,
    PublishedRate,
    instructions_from_rate,
    predict_from_rate,
)
from planecast.reproduce.rate_priors import fixed_of, priors_without
from planecast.scenario import Scenario, with_overrides
from planecast.scenario.machine import machine_of

DATA = Path(os.environ.get("PLANECAST_SHARED_DATA", "../shared/data"))
ROW = with_overrides(Scenario(name="row"), {"machine": "e5-2699v3"})
KNOWN = PublishedRate(11.2e6, ROW)
TWO_THREADS = {"placement.lcores": 2, "placement.busy_siblings": True}


def rates(*changes: dict[str, object], of: PublishedRate = KNOWN) -> list[float]:
    points = [with_overrides(of.scenario, change) for change in changes]
    cycles = predict_from_rate(of, points).value
    return [
        machine_of(point.machine).values.base_ghz.value * 1e9 * point.placement.lcores / one
        for point, one in zip(points, cycles.tolist(), strict=True)
    ]


def test_the_row_itself_comes_out() -> None:
    assert rates({}) == pytest.approx([11.2e6])
    assert predict_from_rate(KNOWN, [ROW]).deviation[0] == pytest.approx(0.01)


def test_cores_add_up() -> None:
    assert rates({"placement.lcores": 4}) == pytest.approx([44.8e6])


def test_a_clock_gives_less_than_itself_and_more_than_nothing() -> None:
    found = rates(*({"placement.core_ghz": ghz} for ghz in (1.2, 2.3, 3.0)))
    assert all(after > before for before, after in pairwise(found))
    assert found[2] < 11.2e6 * 3.0 / 2.3
    assert found[0] > 11.2e6 * 1.2 / 2.3


def test_two_threads_of_a_core_do_more_than_one_and_less_than_two() -> None:
    (found,) = rates(TWO_THREADS)
    assert 11.2e6 < found < 2 * 11.2e6


def test_there_and_back_is_the_same() -> None:
    there = with_overrides(ROW, {"machine": "gold-6152", **TWO_THREADS})
    (rate,) = rates({"machine": "gold-6152", **TWO_THREADS})
    (back,) = rates(
        {"machine": "e5-2699v3", "placement.lcores": 1, "placement.busy_siblings": False},
        of=PublishedRate(rate, there),
    )
    assert back == pytest.approx(11.2e6, rel=0.01)  # the time that follows no clock is a prior


def test_newer_cores_take_fewer_cycles_and_are_known_less_well() -> None:
    machines = ("e5-2699v3", "gold-6152", "platinum-8358", "platinum-8480")
    clock = {"placement.core_ghz": 2.0}
    points = [with_overrides(ROW, {**clock, "machine": name}) for name in machines]
    found = predict_from_rate(KNOWN, points)
    cycles = [
        float(value) * 2.0 / machine_of(name).values.base_ghz.value
        for name, value in zip(machines, found.value, strict=True)
    ]
    assert all(after < before for before, after in pairwise(cycles))
    assert all(after > before for before, after in pairwise(found.deviation.tolist()))


def test_instructions_are_a_prior_that_no_core_exceeds() -> None:
    count, deviation = instructions_from_rate(KNOWN)
    cycles = 2.3e9 / 11.2e6
    assert 0 < count < 4 * cycles
    assert deviation == pytest.approx(PRIORS.retired.spread, rel=0.05)


@pytest.mark.parametrize(
    "change",
    [
        {"traffic.flows": 17},
        {"workload.acl_rules": 16},
        {"placement.llc_ways": 4},
        {"placement.burst": 8},
        {"nic.link_gbps": 40},
    ],
)
def test_what_a_rate_says_nothing_about_is_refused(change: dict[str, object]) -> None:
    (key,) = change
    with pytest.raises(InputError, match="a published rate"):
        predict_from_rate(KNOWN, [with_overrides(ROW, {"machine": "gold-6152", key: change[key]})])


def test_time_that_follows_no_clock_comes_back() -> None:
    odds, slow, fast = 0.2, 2.2, 3.2
    cycles = (1 + odds * fast / 2.2) / (1 + odds * slow / 2.2)
    assert fixed_of(slow, fast, cycles) == pytest.approx(odds)


@pytest.mark.skipif(not DATA.is_dir(), reason="no measurements of others")
def test_the_priors_are_those_of_all_published_rows(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PLANECAST_SHARED_DATA", str(DATA))
    found = priors_without("")
    for field in fields(found):
        ours, theirs = getattr(PRIORS, field.name), getattr(found, field.name)
        if isinstance(theirs, Guess):
            assert (ours.median, ours.spread) == pytest.approx(
                (theirs.median, theirs.spread), rel=0.06
            ), field.name
        else:
            assert ours == pytest.approx(theirs, rel=0.06), field.name
