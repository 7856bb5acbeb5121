"""Searches on data planes whose capacity and noise are known."""

from __future__ import annotations

import statistics
from dataclasses import replace

import pytest
from MLRsearch import MeasurementResult
from tests.search.conftest import GOALS, LINK, MadeUp, Sessions, asked

from planecast.errors import RunError
from planecast.results.search import Bounds
from planecast.search import loads, mlr
from planecast.search.bursts import burst_answer, longest_burst
from planecast.search.combine import equal_rates, found_rate, rate_estimate
from planecast.search.mlr import search_losses
from planecast.search.rfc2544 import search_throughput
from planecast.search.tester import Ceiling
from planecast.search.trial import Trial

NOISE = {"trial_noise": 0.003, "disturbed": 0.1}


@pytest.mark.parametrize("start_share", [0.1, 1.0])
def test_rfc2544_from_both_starting_conditions(session: Sessions, start_share: float) -> None:
    found = session(capacity=6.04e6)
    bounds = search_throughput(found, LINK, asked(step_trials=8, start_share=start_share).binary)
    first = found.journal.trials[0]
    assert first.intended_pps == pytest.approx(start_share * LINK.pps)
    assert bounds.low_pps <= 6.04e6 * 1.0001
    assert bounds.high_pps is not None
    assert bounds.high_pps >= 6.04e6
    assert bounds.high_pps - bounds.low_pps <= 0.1e6


def test_a_step_ends_as_soon_as_it_is_decided(session: Sessions) -> None:
    found = session(capacity=1e6)
    search_throughput(found, LINK, asked(step_trials=8, start_share=1.0, resolution_pps=8e6).binary)
    # One trial refutes all of the link, one its half; then the bounds are close enough.
    assert found.trials_here == 2


def test_mlrsearch_gets_offered_and_lost_alone(
    session: Sessions, monkeypatch: pytest.MonkeyPatch
) -> None:
    passed: set[str] = set()

    def recorded(**fields: object) -> object:
        passed.update(fields)
        return MeasurementResult(**fields)

    monkeypatch.setattr("planecast.search.mlr.MeasurementResult", recorded)
    bounds = search_losses(session(capacity=6e6), LINK, GOALS)
    counts = {"offered_count", "loss_count"}
    assert passed == {"intended_duration", "intended_load"} | counts
    ndr, pdr = bounds["NDR"], bounds["PDR"]
    for found, truth in ((ndr, 6e6), (pdr, 6e6 / 0.995)):
        assert found.high_pps is not None
        assert found.low_pps <= truth * 1.000001
        assert found.high_pps >= truth * 0.999999
        assert found.high_pps / found.low_pps <= 1.0051
    # Three bounds of eleven trials: the upper one of NDR may be the lower one of PDR.
    assert ndr.trials >= 33


@pytest.mark.parametrize("pps", [1.0, 100.0, 1e4, 14.88e6, 14.88e9])
def test_mlrsearch_takes_any_ceiling(pps: float) -> None:
    """Of a fast link the least load lies below what a data plane takes."""
    goals = [mlr._goal(goal, 0.02) for goal in GOALS.values()]
    config = mlr._config(goals, replace(LINK, pps=pps))
    assert config.max_load == pps
    assert 0 < config.min_load <= min(1e-3 * pps, 1e5)


def _interval_of(session: Sessions, seed: int, capacity: float) -> tuple[float, bool]:
    """Error and coverage of one search: four starts of a data plane that differ, too."""
    tester = MadeUp(capacity=capacity, seed=seed, run_noise=0.003, **NOISE)
    found = session(tester)
    bounds = []
    for repetition in range(4):
        found.begin(repetition)
        bounds.append(search_losses(found, LINK, GOALS)["NDR"])
    rate = rate_estimate(bounds, "simulated")
    assert tester.starts == [0, 1, 2, 3]
    return rate.value / capacity - 1, rate.covers(capacity)


def test_twenty_searches_are_unbiased_and_cover_the_truth(session: Sessions) -> None:
    found = [_interval_of(session, seed, 6e6) for seed in range(20)]
    assert abs(statistics.mean(error for error, _ in found)) < 0.005
    assert sum(covered for _, covered in found) >= 18


def test_starts_that_differ_more_than_trials_widen_the_interval(session: Sessions) -> None:
    """Trials within one process agree perfectly, and are all 2 % off: only repetitions show."""
    errors = []
    for seed in range(10):
        found = session(MadeUp(seed=seed, run_noise=0.02))
        bounds = []
        for repetition in range(5):
            found.begin(repetition)
            bounds.append(search_throughput(found, LINK, asked(step_trials=1).binary))
        rate = rate_estimate(bounds, "simulated")
        alone = rate_estimate(bounds[:1], "simulated")
        errors.append((rate.covers(6e6), alone.covers(6e6)))
    assert sum(together for together, _ in errors) >= 9
    assert sum(alone for _, alone in errors) <= 5


def _starts(*mpps: float) -> list[Bounds]:
    return [
        Bounds(repetition=i, low_pps=(rate - 0.05) * 1e6, high_pps=(rate + 0.05) * 1e6, trials=9)
        for i, rate in enumerate(mpps)
    ]


def test_a_disturbed_start_does_not_move_a_measured_rate() -> None:
    """Seven of eight starts within 4 %, as Open vSwitch had them next to a busy guest."""
    quiet = (11.6, 11.98, 11.98, 12.01, 12.13, 12.2, 12.43)
    with_it = rate_estimate(_starts(8.48, *quiet), "measured")
    without = rate_estimate(_starts(*quiet), "measured")
    assert with_it.value == pytest.approx(without.value, rel=0.005)
    assert with_it.covers(without.value)
    assert (with_it.half_width_percent or 100) < 5
    # Few starts, and simulated ones, which nothing disturbs: their mean.
    assert rate_estimate(_starts(8, 12, 12), "measured").value == pytest.approx(32e6 / 3)
    assert rate_estimate(_starts(8, 12, 12, 12), "simulated").value == pytest.approx(11e6)


def test_back_to_back_finds_the_buffer(session: Sessions) -> None:
    """1,000 packets of buffer, emptied at 6 of the 14.88 Mpps that come in."""
    length = longest_burst(session(capacity=6e6, buffer=1000), LINK)
    longest = 1000 / (1 - 6 / 14.88)
    assert length == pytest.approx(longest, rel=0.01)
    answer = burst_answer([length, length], LINK, 6e6, "simulated")
    assert answer.corrected_s == pytest.approx(1000 / 14.88e6, rel=0.02)


@pytest.mark.parametrize(("buffer", "longest"), [(0, 1), (1, 2), (40, 67), (200_000, 335_103)])
def test_bursts_of_any_length_are_found(session: Sessions, buffer: int, longest: int) -> None:
    length = longest_burst(session(capacity=6e6, buffer=buffer), LINK)
    assert length == pytest.approx(longest, rel=0.006, abs=1)


def test_no_burst_is_longer_than_it_takes(session: Sessions) -> None:
    """Of bursts that take seconds a generator on a shared machine sends hardly any whole."""
    lengths: list[int] = []

    class Watched(MadeUp):
        def burst(self, packets: int, offered_pps: float, number: int) -> Trial:
            lengths.append(packets)
            return super().burst(packets, offered_pps, number)

    longest_burst(session(Watched(capacity=6e6, buffer=1000)), LINK)
    assert max(lengths) <= 2 * 1000 / (1 - 6 / 14.88)


def test_back_to_back_needs_a_data_plane_that_is_slower(session: Sessions) -> None:
    with pytest.raises(RunError, match="capped by link"):
        longest_burst(session(capacity=20e6), LINK)


def test_the_loss_curve_ends_after_two_clean_loads(session: Sessions) -> None:
    found = loads.loss_curve(session(capacity=6e6), LINK, 0.1, 2)
    shares = [round(load.share, 3) for load in found]
    assert shares == [1.0, 0.9, 0.8, 0.7, 0.6, 0.5, 0.4, 0.3]
    answers = loads.load_answers([found], "simulated")
    assert answers[0].loss.value == pytest.approx(1 - 6 / 14.88, abs=1e-4)
    assert answers[-1].loss.value == 0


def test_latency_is_asked_at_shares_of_the_rate(session: Sessions) -> None:
    found = [loads.at_shares(session(capacity=6e6), 6e6, loads.LATENCY_SHARES, 8)]
    answers = loads.load_answers(found, "simulated")
    assert [answer.offered_pps for answer in answers] == pytest.approx([0.6e6, 3e6, 5.4e6])
    assert answers[0].latency_ns["p99"].value == 2000
    assert answers[0].latency_ns["p99"].interval is not None


def test_a_soak_states_its_confidence(session: Sessions) -> None:
    clean = loads.soak_answer(loads.soak(session(), 5e6, 20), 5e6, 1e-7)
    assert clean.upper == pytest.approx(3.0 / 1e8, rel=0.01)
    assert clean.met
    short = loads.soak_answer(loads.soak(session(), 5e6, 2), 5e6, 1e-7)
    assert not short.met
    assert "takes 29,957," in short.statement
    lossy = loads.soak_answer(loads.soak(session(disturbed=0.3), 5.9e6, 30), 5.9e6, 1e-7)
    assert lossy.lost > 0
    assert lossy.upper > lossy.lost / lossy.offered


def _without_a_cpu(every: int) -> MadeUp:
    """Of each so many trials one loses a tenth, because the data plane's CPU was away so long."""
    count = iter(range(1_000_000))

    def change(trial: Trial) -> Trial:
        if next(count) % every:
            return trial
        received = round(0.9 * trial.received)
        update = {"received": received, "dataplane_away_s": 0.1 * trial.seconds, "lost_cpu": True}
        return trial.model_copy(update=update)

    return MadeUp(change=change)


def test_a_soak_leaves_out_the_time_without_a_cpu_and_says_so(session: Sessions) -> None:
    trials = loads.soak(session(_without_a_cpu(5)), 5e6, 40)
    soak = loads.soak_answer(trials, 5e6, 1e-7)
    assert soak.met
    assert soak.left_out == pytest.approx(0.2)
    assert (soak.left_out_lost, soak.lost) == (8 * 500_000, 0)
    assert "20.0% of the time is left out" in soak.statement
    assert "with 4,000,000 packets lost in it" in soak.statement
    with pytest.raises(RunError, match="no time is left"):
        loads.soak_answer(loads.soak(session(_without_a_cpu(1)), 5e6, 10), 5e6, 1e-7)


def test_mrr_is_of_the_time_with_a_cpu(session: Sessions) -> None:
    found = session(_without_a_cpu(2))
    assert loads.mrr(found, Ceiling(5e6, "generator", ""), 4).low_pps == pytest.approx(5e6)
    assert loads.lost_time(found.believed) == pytest.approx(0.05)


def _next_to_another(share: float = 0.5) -> MadeUp:
    """Another program has both CPUs for a share of each trial, one after the other: less is
    offered, and what is offered while nothing comes back is lost."""

    def change(trial: Trial) -> Trial:
        offered = round((1 - share) * trial.offered)
        kept = 1 - share / (1 - share) / 2
        lost = round((1 - kept) * offered)
        update = {
            "offered": offered,
            "away": trial.offered - offered,
            "received": min(trial.received, offered - lost),
            "silent_s": (1 - kept) * (1 - share) * trial.seconds,
            "silent_lost": lost,
            "generator_cpu": 1 - share,
            "dataplane_cpu": 1 - share,
        }
        return trial.model_copy(update=update)

    return MadeUp(change=change)


@pytest.mark.parametrize("share", [0.2, 0.5, 0.6])
def test_next_to_a_program_that_takes_both_cpus_there_is_an_answer(
    session: Sessions, share: float
) -> None:
    """Of the time that is left, and with the share of the time that is not."""
    found = session(_next_to_another(share))
    found.leaves_out = True
    soak = loads.soak_answer(loads.soak(found, 5e6, 40), 5e6, 1e-7)
    assert (soak.lost, soak.left_out) == (0, pytest.approx(1.5 * share))
    assert f"{1.5 * share:.1%} of the time is left out" in soak.statement
    rate = loads.mrr(found, Ceiling(5e6, "generator", ""), 4)
    assert (rate.low_pps, rate.high_pps) == (pytest.approx(5e6), None)
    assert loads.lost_time(found.believed) == pytest.approx(1.5 * share)
    throughput = search_throughput(
        found, Ceiling(5e6, "generator", ""), asked(step_trials=8).binary
    )
    assert throughput.low_pps == 5e6


def test_without_any_time_left_there_is_none(session: Sessions) -> None:
    found = session(_next_to_another(2 / 3))  # half of the rest is the data plane's
    found.leaves_out = True
    with pytest.raises(RunError, match="no time is left"):
        loads.mrr(found, Ceiling(5e6, "generator", ""), 4)


def test_a_trial_without_a_packet_is_time_left_out(session: Sessions) -> None:
    def nothing(trial: Trial) -> Trial:
        update = {"offered": 0, "received": 0, "away": trial.offered}
        return trial.model_copy(update=update)

    found = session(MadeUp(change=nothing))
    found.leaves_out = True
    assert found.trial(5e6).kept_seconds == 0
    with pytest.raises(RunError, match="no time is left"):
        loads.soak_answer(loads.soak(found, 5e6, 4), 5e6, 1e-7)


def test_mrr_is_capped_by_what_feeds_it_or_by_the_data_plane(session: Sessions) -> None:
    assert loads.mrr(session(capacity=6e6), LINK, 3).high_pps is not None
    assert loads.mrr(session(capacity=60e6), LINK, 3).high_pps is None


def _bounds(low: float, high: float | None) -> Bounds:
    return Bounds(repetition=0, low_pps=low, high_pps=high, trials=9)


def test_a_capped_rate_has_no_interval_and_says_so() -> None:
    rate = found_rate([_bounds(LINK.pps, None)], 0.0, [LINK], "measured")
    assert rate.capped_by == "link"
    assert rate.rate_pps.interval is None
    assert "capped by link, not by the data plane" in rate.why


def _generator(pps: float) -> Ceiling:
    return Ceiling(pps, "generator", f"the generator sent no more than {pps / 1e6:g} Mpps")


def test_different_ceilings_are_never_averaged() -> None:
    """The rate is one that was offered, below the ceiling that it is said to be capped by."""
    ceilings = [_generator(4e6), _generator(11e6)]
    found = [_bounds(ceiling.pps, None) for ceiling in ceilings]
    rate = found_rate(found, 0.0, ceilings, "measured")
    assert (rate.rate_pps.value, rate.rate_pps.interval) == (11e6, None)
    assert "sent no more than 11 Mpps; in another repetition 4" in rate.why


@pytest.mark.parametrize(("capped_pps", "by"), [(1e6, "data plane"), (8e6, "generator")])
def test_a_repetition_that_was_capped_below_the_others_is_left_out(
    capped_pps: float, by: str
) -> None:
    """Capped below what the others found it says nothing; above it, that starts are faster."""
    found = [_bounds(6.0e6, 6.02e6), _bounds(capped_pps, None), _bounds(6.01e6, 6.03e6)]
    ceilings = [_generator(9e6), _generator(capped_pps), _generator(9e6)]
    rate = found_rate(found, 0.0, ceilings, "measured")
    assert rate.rate_pps.value == pytest.approx(6.015e6 if by == "data plane" else 6.02e6)
    assert (rate.rate_pps.interval is not None, rate.capped_by) == (by == "data plane", by)
    assert "1 of 3 repetitions met the goal at the highest load that they had" in rate.why
    assert f"had, {capped_pps / 1e6:g} Mpps, capped by generator" in rate.why
    assert "no more than" not in rate.why  # a ceiling below the rate would contradict it
    assert ("starts took from 6.01 to at least 8 Mpps" in rate.why) is (by == "generator")


def test_starts_that_are_capped_for_pdr_alone_leave_it_above_ndr() -> None:
    """Fast starts, near the ceiling, reach it where some loss is allowed."""
    ceilings = [_generator(14e6)] * 4
    fast, slow = 2 * [_bounds(13.8e6, 13.9e6)], [_bounds(9.0e6, 9.1e6), _bounds(9.4e6, 9.5e6)]
    ndr = found_rate([*fast, *slow], 0.0, ceilings, "measured")
    capped = [_bounds(14e6, None), _bounds(14e6, None)]
    pdr = found_rate([*capped, *slow], 0.005, ceilings, "measured")
    assert ndr.rate_pps.value <= pdr.rate_pps.value


def test_equal_ndr_and_pdr_are_explained() -> None:
    rates = {
        "NDR": found_rate([_bounds(6.00e6, 6.03e6)], 0.0, [LINK], "measured"),
        "PDR": found_rate([_bounds(6.01e6, 6.04e6)], 0.005, [LINK], "measured"),
    }
    assert "can't be distinguished" in equal_rates(rates)[0]
    assert rates["NDR"].capped_by == "data plane"


def test_what_the_calibration_leaves_open_is_in_the_interval() -> None:
    bounds = [Bounds(repetition=n, low_pps=9.99e6, high_pps=10.01e6, trials=5) for n in range(4)]
    alone = rate_estimate(bounds, "simulated")
    rested = rate_estimate(bounds, "simulated", 0.4)
    assert (alone.value, alone.half_width_percent) == (rested.value, pytest.approx(0.1))
    assert rested.half_width_percent == pytest.approx(40.0, abs=0.01)
