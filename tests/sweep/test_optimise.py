"""The cheapest that meets a target: against a search by hand, and the same each time."""

from __future__ import annotations

import pytest
from tests.sweep.conftest import MakeJob

from planecast.engines.solve import solve
from planecast.errors import InputError
from planecast.model.calibration import Calibration
from planecast.results import Manifest
from planecast.scenario import Scenario, with_overrides
from planecast.sweep.optimise import Found, Target, optimise, parse_price

LCORES = parse_price("placement.lcores=1")


def found(make_job: MakeJob, *axes: str, target: Target, trials: int = 100) -> Found:
    job = make_job(*axes, sample="lhs", points=trials, engine="simulate")
    return optimise(job, [LCORES], target, trials, lambda *_: None)


def test_the_cheapest_of_all_is_found(
    make_job: MakeJob,
    base: Scenario,
    calibration: Calibration,
    manifest: Manifest,
) -> None:
    one, two = solve(
        [with_overrides(base, {"placement.lcores": count}) for count in (1, 2)],
        calibration,
        manifest,
    )
    between = (one.throughput_pps.value + two.throughput_pps.value) / 2
    answer = found(
        make_job,
        "placement.lcores=1,2,4",
        "placement.burst=32,64",
        target=Target(rate_pps=between),
    )
    assert answer.tried == answer.possible == 6
    assert [c.cost for c in answer.best] == sorted(c.cost for c in answer.best)
    assert answer.best[0].point["placement.lcores"] == 2
    assert all(c.rate and (c.rate.throughput_pps.low or 0) >= between for c in answer.best)


def test_loss_and_latency_are_simulated_at_the_rate(make_job: MakeJob) -> None:
    axes = ("placement.burst=32,64", "placement.rx_ring=64,256")
    loose = found(make_job, *axes, target=Target(rate_pps=1e6, loss=0.0, latency_ns=1e6))
    assert len(loose.best) == 4
    assert all(c.timed and c.timed.scenario.traffic.offered_pps == 1e6 for c in loose.best)
    tight = found(make_job, *axes, target=Target(rate_pps=1e6, latency_ns=1.0))
    assert not tight.best
    assert tight.nearest.gaps["latency"] > 1


def test_what_can_not_be_asked_is_not_what_misses(make_job: MakeJob) -> None:
    axis = "traffic.flows=64,9000000"
    answer = found(make_job, axis, target=Target(rate_pps=1e3))
    assert (answer.tried, len(answer.best), len(answer.refused)) == (2, 1, 1)
    assert "9000000 flows are active" in answer.refused[0]


def test_many_are_sampled_and_the_same_seed_samples_the_same(make_job: MakeJob) -> None:
    axes = ("machine.core_clock=0.5:2", "placement.burst=8:64")
    prices = [parse_price("machine.core_clock=100")]
    job = make_job(*axes, sample="lhs", points=25)
    target = Target(rate_pps=4e6)
    first, second = (optimise(job, prices, target, 25, lambda *_: None) for _ in range(2))
    assert first.possible is None
    assert first.tried > 15
    assert [c.point for c in first.best] == [c.point for c in second.best]
    costs = [c.cost for c in first.best]
    assert costs == sorted(costs)
    assert costs[0] < 200


def test_prices() -> None:
    assert parse_price("placement.lcores=2.5").of(4) == 10
    by_value = parse_price("machine.llc_size=1:0,2:150")
    assert by_value.of(2.0) == 150
    for text in ("placement.lcores", "placement.lcores=x", "placement.lcores=-1", "=3"):
        with pytest.raises(InputError, match="--cost"):
            parse_price(text)
    with pytest.raises(
        InputError, match=r"unknown key placement.lcors; did you mean placement.lcores"
    ):
        parse_price("placement.lcors=1")
    with pytest.raises(InputError, match=r"machine.llc_size=4 has no price"):
        by_value.of(4.0)
