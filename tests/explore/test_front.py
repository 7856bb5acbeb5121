"""The Pareto front: no point on it is beaten, and all others are."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.explore.conftest import Ask

from planecast.explore.front import pareto
from planecast.explore.session import Session
from planecast.results import RunDirectory
from planecast.sweep import Job, Plan, Workers, parse_axis, run_sweep

numbers = st.integers(0, 6).map(float)


@given(st.lists(st.tuples(numbers, numbers), max_size=40))
def test_the_front_is_what_nothing_beats(points: list[tuple[float, float]]) -> None:
    cost = np.array([one for one, _ in points], dtype=np.float64)
    rate = np.array([one for _, one in points], dtype=np.float64)
    front = pareto(cost, rate).tolist()
    for i, (own_cost, own_rate) in enumerate(points):
        beaten = any(
            c <= own_cost and r >= own_rate and (c, r) != (own_cost, own_rate) for c, r in points
        )
        alike = [j for j in front if points[j] == points[i]]
        assert len(alike) == (0 if beaten else 1)
    assert np.all(np.diff(cost[front]) > 0)
    assert np.all(np.diff(rate[front]) > 0)


def test_more_lcores_cost_more_and_forward_more(ask: Ask) -> None:
    prices = {"placement.lcores": 10, "placement.burst": 0}
    found = ask("front", changes={}, prices=prices)
    costs = [one["cost"] for one in found["front"]]
    assert costs[0] == 10
    assert costs == sorted(costs)
    first = found["front"][0]
    alone = ask("answer", changes=first["values"])["throughput"]
    assert first["throughput_pps"]["value"] == pytest.approx(alone["value"])
    assert first["throughput_pps"]["low"] == pytest.approx(alone["low"])


def test_what_has_no_price_is_refused(ask: Ask) -> None:
    found = ask("front", changes={}, prices={"placement.page_size": 3})
    assert "no price" in found["refused"]
    assert "choose one to four" in ask("front", changes={}, prices={})["refused"]
    assert "unknown key" in ask("front", changes={}, prices={"nic.speed": 1})["refused"]
    assert "no sweep" in ask("front", changes={}, prices={}, recorded=True)["refused"]


def test_a_recorded_sweep_has_the_same_front(ask: Ask, session: Session) -> None:
    chosen = session.chosen("vpe-upstream")
    axes = [parse_axis("placement.lcores=1,2,4"), parse_axis("placement.burst=4,16,64")]
    job = Job(
        plan=Plan.of(session.base, axes, "grid", None, 1),
        calibration=chosen.model,
        engine="solve",
        precision=0.1,
        batch=4,
        manifest=chosen.model.manifest,
    )
    with RunDirectory.create(session.root, "sweep", "test") as run:
        run_sweep(job, run, Workers(1), lambda *_: None)
    session.sweep = run
    found = ask("front", prices={"placement.lcores": 1}, recorded=True)
    assert (found["points"], found["answered"]) == (9, 9)
    assert [one["cost"] for one in found["front"]] == [1, 2, 4]
    assert {one["values"]["placement.burst"] for one in found["front"]} == {64}
