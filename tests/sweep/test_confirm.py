"""The best candidates measured, by an engine that is made up, and ranked by that."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from tests.sweep.conftest import MakeJob

from planecast.errors import InputError, MissingError
from planecast.results import Result
from planecast.scenario import Scenario
from planecast.sweep.confirm import Measure, Measurer, check_here, confirm, unconfirmed
from planecast.sweep.job import Job
from planecast.sweep.optimise import Found, Target, optimise, parse_price

PRICES = [parse_price("placement.burst=1")]
RATE = 1e6


@pytest.fixture
def job(make_job: MakeJob) -> Job:
    return make_job("placement.burst=8,16,32,64", sample="lhs", points=10, engine="simulate")


@pytest.fixture
def found(job: Job) -> Found:
    return optimise(job, PRICES, Target(rate_pps=RATE), 10, lambda *_: None)


def bursts(asked: Sequence[Scenario]) -> list[int]:
    return [scenario.placement.burst for scenario in asked]


def measuring(found: Found, factors: dict[int, float], seen: list[int]) -> Measure:
    """An engine whose intervals are 2 % wide around so much of RATE, by burst."""
    usual = found.best[0].rate
    assert usual is not None

    def measured(scenario: Scenario) -> Result:
        value = RATE * factors[scenario.placement.burst]
        rate = usual.throughput_pps.model_copy(
            update={"value": value, "low": 0.99 * value, "high": 1.01 * value, "kind": "measured"}
        )
        return usual.model_copy(update={"scenario": scenario, "throughput_pps": rate})

    def measure(asked: Sequence[Scenario]) -> list[Result]:
        seen.extend(bursts(asked))
        return [measured(scenario) for scenario in asked]

    return measure


def anything(scenario: Scenario) -> None:
    """Everything can be measured."""


def test_measured_values_rank_honestly(job: Job, found: Found) -> None:
    seen: list[int] = []
    measure = measuring(found, {8: 0.9, 16: 1.0, 32: 1.1}, seen)
    after = confirm(job, found.best, RATE, 3, Measurer(measure, anything))
    assert seen == [8, 16, 32]
    order = [(one.candidate.point["placement.burst"], one.verdict) for one in after.ranked]
    assert order == [(32, "confirmed"), (64, "predicted"), (16, "undecided"), (8, "refuted")]
    assert [one.candidate.point["placement.burst"] for one in after.measured] == [32, 16, 8]
    assert after.not_measured == {}
    # All of them were predicted to do far more than that.
    assert [one.outside for one in after.ranked] == [True, False, True, True]


def test_a_prediction_that_holds_is_not_outside(job: Job, found: Found) -> None:
    rate = found.best[0].rate
    assert rate is not None
    same = rate.throughput_pps.value / RATE
    (first, *_) = confirm(
        job, found.best[:1], RATE, 3, Measurer(measuring(found, {8: same}, []), anything)
    ).ranked
    assert (first.verdict, first.outside) == ("confirmed", False)


def test_cheaper_ones_stay_first_where_all_are_confirmed(job: Job, found: Found) -> None:
    measure = measuring(found, {8: 1.1, 16: 1.5, 32: 2.0}, [])
    after = confirm(job, found.best, RATE, 3, Measurer(measure, anything))
    assert [one.candidate.point["placement.burst"] for one in after.ranked] == [8, 16, 32, 64]


def test_what_cannot_be_measured_is_said_and_the_next_one_is(job: Job, found: Found) -> None:
    def check(scenario: Scenario) -> None:
        if scenario.placement.burst < 16:
            raise MissingError("no such CPU")

    seen: list[int] = []
    measure = measuring(found, {16: 1.1, 32: 1.1}, seen)
    after = confirm(job, found.best, RATE, 2, Measurer(measure, check))
    assert seen == [16, 32]
    assert after.not_measured == {"no such CPU": 1}
    assert [one.verdict for one in after.ranked] == ["confirmed"] * 2 + ["predicted"] * 2


def test_another_machines_components_are_not_measured(make_job: MakeJob) -> None:
    axes = ("machine.core_clock=1,2",)
    job = make_job(*axes, sample="lhs", points=4, engine="simulate")
    prices = [parse_price("machine.core_clock=1")]
    found = optimise(job, prices, Target(rate_pps=RATE), 4, lambda *_: None)
    asked: list[Scenario] = []

    def measure(scenarios: Sequence[Scenario]) -> list[Result]:
        asked.extend(scenarios)
        raise InputError("only once")

    with pytest.raises(InputError, match="only once"):
        confirm(job, found.best, RATE, 3, Measurer(measure, anything))
    assert len(asked) == 1


def test_nothing_is_asked_of_the_engine_where_nothing_can_be(job: Job, found: Found) -> None:
    def check(scenario: Scenario) -> None:
        raise MissingError("the program is not built")

    def measure(scenarios: Sequence[Scenario]) -> list[Result]:
        raise AssertionError

    after = confirm(job, found.best, RATE, 3, Measurer(measure, check))
    assert after.not_measured == {"the program is not built": 4}
    assert [one.candidate for one in after.ranked] == list(found.best)


def test_what_is_measured_is_not_offered_a_rate(make_job: MakeJob, base: Scenario) -> None:
    job = make_job("placement.burst=8", sample="lhs", points=1, engine="simulate")
    traffic = base.traffic.model_copy(update={"offered_pps": 5.0, "arrivals": "poisson"})
    offered = base.model_copy(update={"traffic": traffic})
    job = job.model_copy(update={"plan": job.plan.model_copy(update={"base": offered})})
    found = optimise(job, PRICES, Target(rate_pps=RATE), 1, lambda *_: None)
    asked: list[Scenario] = []

    def measure(scenarios: Sequence[Scenario]) -> list[Result]:
        asked.extend(scenarios)
        return [found.best[0].rate for _ in scenarios if found.best[0].rate]

    confirm(job, found.best, RATE, 1, Measurer(measure, anything))
    assert asked[0].traffic.offered_pps is None
    assert asked[0].traffic.arrivals == "constant"


@pytest.mark.parametrize(("kind", "built"), [("ours", True), ("testpmd", False)])
def test_planecasts_own_program_is_needed_for_its_own_functions_alone(
    monkeypatch: pytest.MonkeyPatch, kind: str, *, built: bool
) -> None:
    def absent(name: str) -> None:
        raise MissingError("it is not built", name)

    monkeypatch.setattr("planecast.sweep.confirm.native_program", absent)
    scenario = Scenario.model_validate({"name": "s", "dataplane": {"kind": kind}})
    if built:
        with pytest.raises(MissingError, match="it is not built"):
            check_here(scenario)
    else:
        check_here(scenario)


def test_every_candidate_has_its_distance(job: Job, found: Found) -> None:
    ranked = unconfirmed(job, found.best).ranked
    assert [one.candidate for one in ranked] == list(found.best)
    assert all(one.nearest is not None for one in ranked)
    unknown = job.model_copy(
        update={"calibration": job.calibration.model_copy(update={"placed": {}})}
    )
    assert all(one.nearest is None for one in unconfirmed(unknown, found.best).ranked)
