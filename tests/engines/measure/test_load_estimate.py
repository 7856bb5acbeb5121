"""Low quantiles over rounds, on trials that are made up."""

from __future__ import annotations

import math
import random
from typing import Any

import numpy as np
import pytest
from tests.dataplanes.test_trial import answer

from planecast.engines.measure.load_estimate import MIN_TRIALS, LoadEstimator, undisturbed_trials
from planecast.engines.measure.load_trials import IDLE, OVERLOAD, LoadTable
from planecast.engines.measure.testbed import LoadTrial

CAPACITY = 5e6
SECONDS = 0.02
RATES = [1e6, 2.5e6, 4.5e6, 5.5e6]


def sent_of(offered: int, refused: int = 0, unsent: int = 0, **own: Any) -> dict[str, Any]:
    """What the generator answers when `refused` of `offered` packets found the ring full."""
    total = {
        "asked": offered + unsent,
        "sent": offered - refused,
        "unsent": unsent + refused,
        "refused": refused,
        "received": offered - refused,
        "lost": 0,
        "latency_ns": {"min": 900, "mean": 2100.0, "p50": 2000, "p99": 5000},
    }
    return {
        "seconds": SECONDS,
        "total": total | own,
        "send_call_ns": 80.0,
        "mean_burst": 2.0,
        "receive_call_ns": 90.0,
        "receive_wait_ns": 150.0,
        "spacing_error_ns": {"p99": 300, "max": 4000},
        "gave_up": False,
    }


def trial(rate: float, canary: float = 2.5, extra: int = 0, **own: Any) -> LoadTrial:
    """A trial of a data plane that loses what is above its capacity, and `extra` packets more."""
    offered = round(rate * SECONDS)
    lost = min(offered, max(0, round((rate - CAPACITY) * SECONDS)) + extra)
    return LoadTrial(
        sent_of(offered, lost, **own), answer(offered - lost, canary=(canary, canary)), whole=True
    )


def table_of(rounds: int = 40, disturbed: float = 0.0) -> LoadTable:
    chance = random.Random(3)
    table = LoadTable()
    for round_ in range(rounds):
        table.append(IDLE, round_, 0, answer(0, cycles=52_000, empty_polls=1300))
        for point, rate in [(OVERLOAD, 1.3 * CAPACITY), *enumerate(RATES)]:
            bad = chance.random() < disturbed
            made = trial(rate, 3.9 if bad else 2.5, 2000 if bad else chance.randrange(3))
            table.append(point, round_, 0, made)
    return table


@pytest.mark.parametrize("disturbed", [0.0, 0.5])
def test_disturbed_trials_change_nothing(disturbed: float) -> None:
    estimator = LoadEstimator.of(table_of(disturbed=disturbed).columns())
    assert [estimator.loss(point).value for point in range(3)] == pytest.approx([0, 0, 0], abs=1e-4)
    assert estimator.loss(3).value == pytest.approx(1 - CAPACITY / RATES[3], abs=1e-4)
    knee = estimator.knee(range(4), RATES)
    assert knee is not None
    # From nothing at 4.5 to 1/11 at 5.5 Mpps the line passes a thousandth after 1.1 % of the way.
    assert knee.value == pytest.approx(4.511e6, rel=1e-3)
    assert knee.covers(knee.value)


def test_the_capacity_is_what_overload_forwards() -> None:
    capacity = LoadEstimator.of(table_of().columns()).capacity()
    assert capacity.value == pytest.approx(CAPACITY, rel=1e-4)
    assert capacity.covers(capacity.value)
    assert capacity.samples == 40


def test_an_empty_poll_is_of_the_trials_without_traffic() -> None:
    assert LoadEstimator.of(table_of().columns()).poll_cycles().value == 40


def test_what_disturbs_a_trial() -> None:
    table = LoadTable()
    for _ in range(10):
        table.append(0, 0, 0, trial(1e6))
    table.append(0, 0, 0, trial(1e6, canary=4.0))
    table.append(0, 0, 0, LoadTrial(sent_of(20_000, unsent=400), answer(20_000), whole=True))
    table.append(0, 0, 0, LoadTrial(sent_of(20_000), answer(20_000), whole=False))
    assert undisturbed_trials(table.columns()).tolist() == [True] * 10 + [False] * 3


@pytest.mark.parametrize(("in_time", "count"), [(MIN_TRIALS, MIN_TRIALS), (MIN_TRIALS - 1, 15)])
def test_trials_without_their_load_count_where_there_are_no_others(
    in_time: int, count: int
) -> None:
    table = LoadTable()
    for number in range(15):
        sent = sent_of(20_000, unsent=0 if number < in_time else 400)
        table.append(0, number, 0, LoadTrial(sent, answer(20_000), whole=True))
    estimator = LoadEstimator.of(table.columns())
    assert estimator.of_point(0).sum() == count
    assert estimator.late(0) == (count == 15)


def test_a_slow_machine_counts() -> None:
    """The low quantile is there for that."""
    table = LoadTable()
    for number in range(10):
        table.append(0, number, 0, trial(1e6, canary=2.5 if number < 3 else 4.0 + number))
    estimator = LoadEstimator.of(table.columns())
    assert estimator.of_point(0).sum() == 10
    assert estimator.good.sum() == 3


def test_where_packets_went() -> None:
    table = LoadTable()
    forwarded = answer(1000, out=990, drops={"acl": 10})
    table.append(0, 0, 0, LoadTrial(sent_of(1200, 200, lost=13, received=987), forwarded, True))
    (row,) = table.rows
    assert row["offered"] == 1200
    assert row["sent"] == row["packets"] == 1000
    assert (row["lost_rx_ring"], row["lost_acl"], row["lost_unaccounted"]) == (200, 10, 3)
    assert row["offered"] - row["forwarded"] == 213
    assert row["unsent"] == 0


def test_as_fast_as_it_can_nothing_is_unsent() -> None:
    table = LoadTable()
    table.append(OVERLOAD, 0, 0, trial(6e6, asked=None, unsent=0))
    assert table.rows[0]["unsent"] == 0


def test_rows_without_traffic_have_no_latency() -> None:
    columns = table_of(2).columns()
    idle = columns["point"] == IDLE
    assert np.isnan(columns["p50_ns"][idle]).all()
    assert np.isfinite(columns["p50_ns"][~idle]).all()


def test_a_knee_outside_the_loads_is_none() -> None:
    assert LoadEstimator.of(table_of().columns()).knee(range(3), RATES[:3]) is None


def test_no_trials_are_no_estimate() -> None:
    estimator = LoadEstimator.of(table_of(2).columns())
    with pytest.raises(ValueError, match="no trials"):
        estimator.loss(99)
    assert not math.isnan(estimator.loss(0).value)
