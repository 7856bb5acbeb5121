"""A search from question to answer: stopped, killed, resumed, and with every method."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.search.conftest import LINK, MadeUp, Sessions, asked, searched

from planecast.errors import InputError, RunError
from planecast.results import Estimate, Manifest
from planecast.results.search import SearchAnswer
from planecast.search.cycle_crosscheck import check_cycles, check_words
from planecast.search.journal import Journal
from planecast.search.precision import ONE_REPETITION
from planecast.search.run import search
from planecast.search.session import Session
from planecast.search.tester import Ceiling, Opinion
from planecast.search.trial import Trial

METHODS = ("mlr", "rfc2544", "back-to-back", "loss-curve", "latency", "soak", "mrr")


@pytest.mark.parametrize("method", METHODS)
def test_every_method_answers(tmp_path: Path, manifest: Manifest, method: str) -> None:
    answer = searched(tmp_path / "t", asked(method), MadeUp(buffer=1000), manifest)
    assert SearchAnswer.model_validate_json(answer.model_dump_json()) == answer
    if method == "mlr":
        assert answer.rates["NDR"].rate_pps.value == pytest.approx(6e6, rel=0.005)
        assert len(answer.rates["PDR"].bounds) == 2
    if method == "latency":
        assert len(answer.loads) == 3
    assert ONE_REPETITION not in answer.notes


def test_nothing_is_asked_of_the_data_plane_while_it_is_searched(
    tmp_path: Path, manifest: Manifest
) -> None:
    tester = MadeUp()
    answer = searched(tmp_path / "t", asked("mlr"), tester, manifest)
    assert tester.asked_after == [answer.trials] * 2
    assert answer.second_opinion["itself"].value == 100


@pytest.mark.parametrize(("counted", "said"), [(100.0, "-2.0 %"), (90.0, "more than 5 % apart")])
def test_its_own_count_is_held_against_ours(
    tmp_path: Path, manifest: Manifest, counted: float, said: str
) -> None:
    tester = MadeUp(counted=counted)
    check = searched(tmp_path / "t", asked("mlr"), tester, manifest).cycles_check
    assert check is not None
    assert check.offered_pps == pytest.approx(14.88e6, rel=0.001)  # more than it takes
    assert check.difference_percent["itself"] == pytest.approx(100 * (counted / 102 - 1))
    assert said in check_words(check)


def test_a_part_of_its_cycles_is_not_held_against_all_of_ours(session: Sessions) -> None:
    def said(value: float) -> Estimate:
        return Estimate(value=value, samples=9, unit="cycles/packet", kind="measured")

    class Switch(MadeUp):
        def opinion(self, offered_pps: float, seconds: float) -> Opinion:
            own = {"pmd": said(101), "pmd processing": said(60), "node ip4-lookup": said(20)}
            return Opinion(own, said(100))

    check = check_cycles(session(Switch()), Ceiling(1e7, "generator", "as it is"))
    assert check is not None
    assert list(check.own) == ["pmd"]

    class Chain(MadeUp):
        def opinion(self, offered_pps: float, seconds: float) -> Opinion:
            own = {"program0.program": said(60), "program0.of it rx": said(20)}
            return Opinion({**own, "program1.program": said(40)}, said(100))

    # Each of several programs is a part of what a packet takes.
    assert check_cycles(session(Chain()), Ceiling(1e7, "generator", "as it is")) is None


def test_a_single_repetition_is_said_to_be_one(tmp_path: Path, manifest: Manifest) -> None:
    answer = searched(tmp_path / "t", asked(repetitions=1), MadeUp(), manifest)
    assert ONE_REPETITION in answer.notes


def test_the_answer_says_that_the_generator_capped_it(tmp_path: Path, manifest: Manifest) -> None:
    tester = MadeUp(capacity=20e6, generator=5e6)
    answer = searched(tmp_path / "t", asked("mlr"), tester, manifest)
    assert answer.rates["NDR"].capped_by == "generator"
    assert answer.rates["NDR"].rate_pps.value < 5e6
    assert answer.refused["unsent"] > 0


class _StoppedError(Exception):
    """Somebody pressed Ctrl-C."""


@pytest.mark.parametrize("method", ["mlr", "rfc2544", "back-to-back"])
def test_a_resumed_search_gives_the_same_answer(
    tmp_path: Path, manifest: Manifest, method: str
) -> None:
    question = asked(method)
    noise = {"trial_noise": 0.002, "buffer": 500}
    whole = searched(tmp_path / "whole", question, MadeUp(**noise), manifest)
    path = tmp_path / "stopped"
    tester = MadeUp(**noise)

    def stop(trial: object) -> object:
        if tester.made > 17:
            raise _StoppedError
        return trial

    tester.change = stop  # type: ignore[assignment]
    if method != "back-to-back":
        with pytest.raises(_StoppedError):
            searched(path, question, tester, manifest)
        with path.open("a") as file:
            file.write('{"repetition": 0, "intended')  # killed in the middle of a line
    again = MadeUp(**noise)
    resumed = searched(path, question, again, manifest)
    assert resumed.rates == whole.rates
    assert resumed.trials == whole.trials
    if method != "back-to-back":
        assert again.made == whole.trials - 17


def test_the_time_that_is_over_leaves_a_search_to_resume(
    tmp_path: Path, manifest: Manifest
) -> None:
    with pytest.raises(RunError, match="continue with --resume"):
        searched(tmp_path / "t", asked(), MadeUp(), manifest, deadline=0.0)


def test_another_searchs_trials_are_refused(tmp_path: Path, manifest: Manifest) -> None:
    path = tmp_path / "t"
    searched(path, asked(), MadeUp(), manifest)
    with pytest.raises(InputError, match="trials of another search"):
        searched(path, asked(link_gbps=40.0), MadeUp(), manifest)


def test_a_file_that_is_no_journal_is_refused(tmp_path: Path, manifest: Manifest) -> None:
    path = tmp_path / "t"
    path.write_text("hello\n")
    with pytest.raises(InputError, match="t:1: this line is no trial"):
        searched(path, asked(), MadeUp(), manifest)


def test_progress_shows_the_interval_closing(tmp_path: Path, manifest: Manifest) -> None:
    said: list[str] = []
    with Journal(tmp_path / "t", sync=False) as journal:
        session = Session(MadeUp(), journal, 0.1, closing=said.append)
        search(asked("mlr"), session, manifest)
    assert any("NDR" in words and "PDR" in words and "Mpps" in words for words in said)
    assert any("repetition 2" in words for words in said)


@pytest.mark.parametrize("method", ["soak", "latency", "back-to-back"])
def test_a_rate_that_nobody_can_offer_is_refused(
    tmp_path: Path, manifest: Manifest, method: str
) -> None:
    tester = MadeUp()
    with pytest.raises(InputError, match=r"500 Mpps is more than the link carries: 10 Gbit/s"):
        searched(tmp_path / "t", asked(method, rate_pps=500e6), tester, manifest)
    assert tester.made == 0
    tester = MadeUp(generator=4e6)
    with pytest.raises(
        RunError, match=r"14 Mpps can't be offered: the generator sent no more than 3\.88 Mpps"
    ):
        searched(tmp_path / "t", asked(method, rate_pps=14e6), tester, manifest)


@pytest.mark.parametrize("method", ["soak", "latency"])
def test_nothing_is_offered_above_a_rate_that_is_named(
    tmp_path: Path, manifest: Manifest, method: str
) -> None:
    """A busy machine's generator may reach that rate, and never the link's."""
    question = asked(method, rate_pps=1e6)
    with Journal(tmp_path / "t", sync=False) as journal:
        session = Session(MadeUp(), journal, question.trial_seconds)
        search(question, session, manifest)
        assert max(trial.intended_pps for trial in journal.trials) <= 1e6


def test_progress_moves_with_each_trial_and_never_falls(tmp_path: Path, manifest: Manifest) -> None:
    done: list[tuple[int, float]] = []
    with Journal(tmp_path / "t", sync=False) as journal:
        session = Session(MadeUp(trial_noise=0.01), journal, 0.1)
        session.closing = lambda words: done.append((session.repetition, session.done))
        search(asked("mlr"), session, manifest)
    shares = [share for _, share in done]
    assert shares == sorted(shares)
    first = [share for repetition, share in done if repetition == 0]
    assert first[-1] > first[0] >= 0
    assert all(repetition <= share < repetition + 1 for repetition, share in done)


def test_what_was_reached_once_counts_less_each_time(session: Sessions) -> None:
    """In the first trials the generator was faster than it is ever again."""

    class Tired(MadeUp):
        def trial(self, offered_pps: float, seconds: float, number: int) -> Trial:
            self.generator = 8e6 if self.made < 5 else 4e6
            return super().trial(offered_pps, seconds, number)

    found = session(Tired()).ceiling(LINK)
    assert found.by == "generator"
    assert found.pps == pytest.approx(0.9 * 4e6)
