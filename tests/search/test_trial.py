"""Each way in which a trial can lie, provoked, and what becomes of it."""

from __future__ import annotations

import pytest
from tests.search.conftest import GOALS, LINK, MadeUp, Sessions, asked

from planecast.errors import RunError
from planecast.search.mlr import search_losses
from planecast.search.rfc2544 import search_throughput
from planecast.search.session import PreemptedError, UnofferedError, capped_at, tries_of
from planecast.search.trial import Trial, fault_of, refuse_impossible

GOAL = asked(step_trials=2).binary


def _changed(**values: object) -> MadeUp:
    return MadeUp(change=lambda trial: trial.model_copy(update=values))


def test_counters_that_are_read_too_early_are_refused(session: Sessions) -> None:
    with pytest.raises(RunError, match="while traffic still ran"):
        session(_changed(drained=False)).trial(1e6)


def test_more_packets_back_than_were_offered_are_refused(session: Sessions) -> None:
    early = MadeUp(change=lambda trial: trial.model_copy(update={"received": trial.offered + 1}))
    with pytest.raises(RunError, match="came back of"):
        session(early).trial(1e6)


def test_a_trial_without_packets_is_refused(session: Sessions) -> None:
    with pytest.raises(RunError, match="no packet was offered"):
        session(_changed(offered=0, received=0)).trial(1e6)


def test_unsent_packets_are_no_loss(session: Sessions) -> None:
    """A generator that lags is not the data plane's fault: the search learns of it."""
    lagging = MadeUp(capacity=20e6, generator=5e6)
    found = session(lagging)
    with pytest.raises(UnofferedError, match="it sent 5 at the most") as caught:
        found.trial(6e6)
    assert caught.value.reached_pps == pytest.approx(5e6)
    assert found.refused == {"unsent": tries_of(1.0)}


def test_unsent_packets_that_nobody_reports_are_found(session: Sessions) -> None:
    silent = MadeUp(generator=5e6, change=lambda trial: trial.model_copy(update={"unsent": 0}))
    with pytest.raises(UnofferedError):
        session(silent).trial(6e6)


def test_a_stretched_duration_is_refused(session: Sessions) -> None:
    """All packets sent, but in twice the time: that was half the load."""
    stretched = MadeUp(change=lambda trial: trial.model_copy(update={"seconds": 2.0}))
    found = session(stretched)
    with pytest.raises(UnofferedError):
        found.trial(4e6)
    assert found.refused == {"stretched": tries_of(1.0)}


def test_a_short_burst_may_be_as_late_as_its_generator(session: Sessions) -> None:
    """A cold start takes 10 us, which is nothing of a trial and most of a burst of 64 packets."""
    short = session(capacity=40e6).burst(64, 5e6)
    late = short.model_copy(update={"seconds": short.intended_seconds + 15e-6})
    assert fault_of(late) is None
    long = short.model_copy(update={"intended_seconds": 1.0, "offered": 5_000_000, "seconds": 1.02})
    assert fault_of(long) == "stretched"


def test_a_trial_that_was_spoilt_is_made_again(session: Sessions) -> None:
    tester = MadeUp()

    def once_late(trial: Trial) -> Trial:
        return trial.model_copy(update={"seconds": 2.0}) if tester.made == 1 else trial

    tester.change = once_late
    found = session(tester)
    assert fault_of(found.trial(1e6)) is None
    assert tester.made == 2
    assert found.refused == {"stretched": 1}


def test_each_repetition_is_a_fresh_start(session: Sessions) -> None:
    tester = MadeUp()
    found = session(tester)
    found.trial(1e6)
    found.begin(1)
    found.trial(1e6)
    assert tester.starts == [0, 1]


def test_a_rate_capped_by_the_link_is_no_limit_of_the_data_plane(session: Sessions) -> None:
    bounds = search_throughput(session(capacity=40e6), LINK, GOAL)
    assert bounds.high_pps is None
    assert bounds.low_pps == LINK.pps


def test_a_rate_capped_by_the_generator_is_found_out_before_the_search(session: Sessions) -> None:
    found = session(capacity=20e6, generator=5e6)
    ceiling = found.ceiling(LINK)
    assert ceiling.by == "generator"
    assert ceiling.pps < 5e6
    assert all(bounds.high_pps is None for bounds in search_losses(found, ceiling, GOALS).values())


def test_a_lost_cpu_is_no_limit_of_the_generator(session: Sessions) -> None:
    """It sends a tenth of whatever is asked: no load below that is any better."""
    lost = MadeUp(change=lambda trial: _sent_in_part(trial, 0.1))
    found = session(lost)
    with pytest.raises(PreemptedError, match="it lost its CPU, and of") as caught:
        found.ceiling(LINK)
    assert "--max-rate" not in str(caught.value)


def test_a_thread_that_was_kept_from_running_reaches_no_limit(session: Sessions) -> None:
    kept = MadeUp(generator=5e6, change=lambda t: t.model_copy(update={"generator_cpu": 0.12}))
    with pytest.raises(PreemptedError, match="its thread had 12% of it at the most"):
        session(kept).ceiling(LINK)
    away = MadeUp(change=lambda t: t.model_copy(update={"away": 3 * t.offered}))
    with pytest.raises(PreemptedError, match=r"no trial at 14\.88 Mpps is of the time that it is"):
        session(away).ceiling(LINK)


def test_a_slower_state_of_the_machine_is_a_limit(session: Sessions) -> None:
    """From 14 to 6 Mpps within the first trials, and then for good."""

    class Far(MadeUp):
        def trial(self, offered_pps: float, seconds: float, number: int) -> Trial:
            self.generator = 14e6 if self.made < 5 else 6e6
            return super().trial(offered_pps, seconds, number)

    ceiling = session(Far(capacity=20e6)).ceiling(LINK)
    assert ceiling.pps == pytest.approx(0.9 * 6e6)


def _sent_in_part(trial: Trial, share: float) -> Trial:
    sent = round(share * trial.offered)
    unsent = trial.unsent + trial.offered - sent
    return trial.model_copy(update={"offered": sent, "received": sent, "unsent": unsent})


def test_a_named_maximum_caps_too() -> None:
    assert capped_at(LINK, 5e6).by == "--max-rate"
    assert capped_at(LINK, 50e6) is LINK


def test_what_is_possible_passes() -> None:
    trial = Trial(
        intended_pps=100, intended_seconds=1, seconds=1, offered=100, received=90, unsent=0
    )
    refuse_impossible(trial)
    assert trial.loss_ratio == pytest.approx(0.1)
    assert fault_of(trial) is None


def test_a_generator_that_had_no_time_at_all_is_no_broken_one(session: Sessions) -> None:
    starved = MadeUp(
        change=lambda trial: trial.model_copy(
            update={"offered": 0, "received": 0, "unsent": trial.offered}
        )
    )
    with pytest.raises(UnofferedError):
        session(starved).trial(1e6)


def _with_lost_time(trial: Trial, share: float) -> Trial:
    """The generator's CPU was away for a share of the trial, and so much less was sent."""
    offered = round((1 - share) * trial.offered)
    received = round((1 - share) * trial.received)
    update = {"offered": offered, "received": received, "away": trial.offered - offered}
    return trial.model_copy(update=update)


def test_time_without_a_cpu_is_no_limit_of_the_generators(session: Sessions) -> None:
    """A tenth of the time its CPU was away: the load was there in the rest."""
    paused = MadeUp(change=lambda trial: _with_lost_time(trial, 0.1))
    trial = session(paused).trial(5e6)
    assert fault_of(trial) is None
    assert trial.offered_pps == pytest.approx(5e6)
    assert trial.received / trial.kept_seconds == pytest.approx(5e6)


def test_a_trial_that_was_mostly_away_is_refused(session: Sessions) -> None:
    away = MadeUp(change=lambda trial: _with_lost_time(trial, 0.6))
    found = session(away)
    with pytest.raises(PreemptedError, match="lost its CPU"):
        found.trial(5e6)
    assert found.refused == {"lost CPU": tries_of(1.0)}
