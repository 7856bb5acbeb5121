"""A search from question to answer: stopped, killed, resumed, and with every method."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.search.conftest import LINK, MadeUp, Sessions

from planecast.cli.tables.search import search_sheet
from planecast.errors import InputError, RunError
from planecast.results import Estimate, Manifest
from planecast.results.search import SearchAnswer
from planecast.scenario import Scenario
from planecast.search.asked import ALL_DISTURBED
from planecast.search.cycle_crosscheck import check_cycles, check_words
from planecast.search.journal import Journal
from planecast.search.precision import ONE_REPETITION
from planecast.search.question import Question
from planecast.search.run import search
from planecast.search.session import PreemptedError, Session
from planecast.search.tester import Ceiling, Opinion
from planecast.search.trial import Trial

METHODS = ("mlr", "rfc2544", "back-to-back", "loss-curve", "latency", "soak", "mrr")


def _question(method: str = "rfc2544", **keys: object) -> Question:
    values: dict[str, object] = {
        "method": method,
        "engine": "simulate",
        "scenario": Scenario(name="made-up"),
        "repetitions": 2,
        "trial_seconds": 0.1,
        "soak_seconds": 2.0,
        "step_trials": 2,
    }
    return Question.model_validate(values | keys)


def _answer(
    path: Path, question: Question, tester: MadeUp, manifest: Manifest, **keys: float
) -> SearchAnswer:
    with Journal(path, sync=False) as journal:
        session = Session(tester, journal, question.trial_seconds, **keys)
        return search(question, session, manifest)


@pytest.mark.parametrize("method", METHODS)
def test_every_method_answers(tmp_path: Path, manifest: Manifest, method: str) -> None:
    answer = _answer(tmp_path / "t", _question(method), MadeUp(buffer=1000), manifest)
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
    answer = _answer(tmp_path / "t", _question("mlr"), tester, manifest)
    assert tester.asked_after == [answer.trials] * 2
    assert answer.second_opinion["itself"].value == 100


@pytest.mark.parametrize(("counted", "said"), [(100.0, "-2.0 %"), (90.0, "more than 5 % apart")])
def test_its_own_count_is_held_against_ours(
    tmp_path: Path, manifest: Manifest, counted: float, said: str
) -> None:
    tester = MadeUp(counted=counted)
    check = _answer(tmp_path / "t", _question("mlr"), tester, manifest).cycles_check
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


def test_a_generator_that_tires_lowers_the_highest_load(tmp_path: Path, manifest: Manifest) -> None:
    """What it offered at the start it can't later: the repetition begins again below that."""

    class Tired(MadeUp):
        def trial(self, offered_pps: float, seconds: float, number: int) -> Trial:
            self.generator = 12e6 if self.made < 50 else 8e6
            return super().trial(offered_pps, seconds, number)

    answer = _answer(tmp_path / "t", _question("mlr"), Tired(capacity=20e6), manifest)
    rate = answer.rates["NDR"]
    assert rate.capped_by == "generator"
    assert [bounds.low_pps for bounds in rate.bounds] == pytest.approx([7.76e6] * 2, rel=0.01)


def test_the_highest_load_is_found_again_in_each_repetition(
    tmp_path: Path, manifest: Manifest
) -> None:
    """In the second the generator is slow; the third is not held below that."""

    class Changing(MadeUp):
        def start(self, repetition: int) -> None:
            super().start(repetition)
            self.generator = (12e6, 3e6, 12e6)[repetition]

    tester = Changing(capacity=6e6, run_noise=1e-4, trial_noise=1e-3)
    rate = _answer(tmp_path / "t", _question("mlr", repetitions=3), tester, manifest).rates["NDR"]
    assert [bounds.high_pps is None for bounds in rate.bounds] == [False, True, False]
    assert rate.rate_pps.value == pytest.approx(6e6, rel=0.005)
    assert rate.rate_pps.interval is not None


@pytest.mark.parametrize("lost", [{0}, {1}, {0, 2}])
def test_a_repetition_without_a_cpu_costs_its_rate_and_not_the_answer(
    tmp_path: Path, manifest: Manifest, lost: set[int]
) -> None:
    def kept(trial: Trial) -> Trial:
        if tester.starts[-1] not in lost:
            return trial
        return trial.model_copy(update={"unsent": trial.offered, "generator_cpu": 0.5})

    tester = MadeUp(capacity=6e6, change=kept)
    answer = _answer(tmp_path / "t", _question("mlr", repetitions=3), tester, manifest)
    rate = answer.rates["NDR"]
    assert {bounds.repetition for bounds in rate.bounds} == set(range(3 + len(lost))) - lost
    assert rate.rate_pps.value == pytest.approx(6e6, rel=0.005)
    for repetition in lost:
        assert any(
            note.startswith(f"repetition {repetition + 1} has no rate: it lost its CPU")
            for note in answer.notes
        )
    # The journal gives the same answer again.
    again = _answer(tmp_path / "t", _question("mlr", repetitions=3), tester, manifest)
    assert again.rates == answer.rates


@pytest.mark.parametrize("starved", [{1}, {0, 1, 2, 3}])
def test_a_disturbed_repetition_is_left_out(
    tmp_path: Path, manifest: Manifest, starved: set[int]
) -> None:
    """What comes back while it has no CPU is lost, and no loss of the data plane's. Where it is so
    in all of them there is nothing better."""

    class Slowed(MadeUp):
        def trial(self, offered_pps: float, seconds: float, number: int) -> Trial:
            slow = self.starts[-1] in starved
            self.capacity = 1e6 if slow else 6e6
            made = super().trial(offered_pps, seconds, number)
            return made.model_copy(update={"generator_cpu": 0.6 if slow else 0.99})

    answer = _answer(tmp_path / "t", _question("mlr"), Slowed(), manifest)
    rate = answer.rates["NDR"]
    all_of_them = len(starved) > 1
    assert rate.rate_pps.value == pytest.approx(1e6 if all_of_them else 6e6, rel=0.005)
    assert all_of_them or {bounds.repetition for bounds in rate.bounds} == {0, 2}
    said = "repetition 2 is left out: in"
    assert any(note.startswith(said) for note in answer.notes) is not all_of_them
    assert (ALL_DISTURBED in answer.notes) is all_of_them


@pytest.mark.parametrize("apart", [{0}, {1, 2}])
def test_a_repetition_with_its_cpus_apart_is_made_up_for(
    tmp_path: Path, manifest: Manifest, apart: set[int]
) -> None:
    """Also where it came before any that were near."""

    class Moved(MadeUp):
        def trial(self, offered_pps: float, seconds: float, number: int) -> Trial:
            far = self.starts[-1] in apart
            self.capacity = 3e6 if far else 6e6
            made = super().trial(offered_pps, seconds, number)
            return made.model_copy(update={"handoff_ns": 160.0 if far else 26.0})

    answer = _answer(tmp_path / "t", _question("mlr", repetitions=2), Moved(), manifest)
    rate = answer.rates["NDR"]
    assert rate.rate_pps.value == pytest.approx(6e6, rel=0.005)
    assert {bounds.repetition for bounds in rate.bounds}.isdisjoint(apart)
    assert len(rate.bounds) == 2
    assert sum("is left out: in" in note for note in answer.notes) == len(apart)


def test_a_generator_that_never_has_its_cpu_ends_the_search(
    tmp_path: Path, manifest: Manifest
) -> None:
    kept = MadeUp(
        change=lambda trial: trial.model_copy(
            update={"unsent": trial.offered, "generator_cpu": 0.5}
        )
    )
    with pytest.raises(PreemptedError, match="its thread had 50% of it"):
        _answer(tmp_path / "t", _question("mlr"), kept, manifest)
    assert kept.starts == [0, 1]


@pytest.mark.parametrize(("share", "valid"), [(0.03, False), (0.97, True)])
def test_a_data_plane_kept_from_its_cpu_makes_the_answer_invalid(
    tmp_path: Path, manifest: Manifest, share: float, valid: bool
) -> None:
    tester = MadeUp(change=lambda trial: trial.model_copy(update={"dataplane_cpu": share}))
    answer = _answer(tmp_path / "t", _question("mrr"), tester, manifest)
    assert (answer.invalid == "") is valid
    lead = list(search_sheet(answer, tmp_path).lead)
    assert lead == ([] if valid else [answer.invalid])
    if not valid:
        assert answer.invalid.startswith("INVALID: the data plane's thread had 3% of its CPU")


def test_a_generator_kept_from_its_cpu_does_too(tmp_path: Path, manifest: Manifest) -> None:
    """As it came: 0.033 Mpps of a data plane that takes 7, from all repetitions alike."""
    tester = MadeUp(change=lambda trial: trial.model_copy(update={"generator_cpu": 0.58}))
    answer = _answer(tmp_path / "t", _question("mlr"), tester, manifest)
    assert answer.invalid.startswith("INVALID: the generator's thread had 58% of its CPU")
    assert "--generator-cpu" in answer.invalid


@pytest.mark.parametrize("method", ["mrr", "soak"])
def test_time_without_a_cpu_that_is_left_out_makes_none_invalid(
    tmp_path: Path, manifest: Manifest, method: str
) -> None:
    """Both sides have half of their CPUs, and it is known when."""

    def half(trial: Trial) -> Trial:
        quarter = trial.offered // 4
        update = {
            "offered": 2 * quarter,
            "away": trial.offered - 2 * quarter,
            "received": quarter,
            "dataplane_away_s": trial.seconds / 2,
            "silent_s": trial.seconds / 4,
            "silent_lost": quarter,
            "dataplane_cpu": 0.5,
            "generator_cpu": 0.5,
        }
        return trial.model_copy(update=update)

    keys = {"rate_pps": 4e6, "loss_target": 1e-3} if method == "soak" else {"max_pps": 4e6}
    tester = MadeUp(change=half)
    answer = _answer(tmp_path / "t", _question(method, **keys), tester, manifest)
    assert answer.invalid == ""
    said = answer.notes[-1] if answer.soak is None else answer.soak.statement
    assert "75.0% of the t" in said


@pytest.mark.parametrize(("noise", "starts"), [(0.0, 3), (0.1, 6)])
def test_starts_that_differ_are_followed_by_more(
    tmp_path: Path, manifest: Manifest, noise: float, starts: int
) -> None:
    tester = MadeUp(run_noise=noise)
    question = _question(repetitions=3, start_share=1.0, resolution_pps=1e4)
    answer = _answer(tmp_path / "t", question, tester, manifest)
    assert len(answer.rates["throughput"].bounds) == starts
    assert set(range(starts)) <= set(tester.starts)


def test_no_further_start_when_the_time_would_not_suffice(
    tmp_path: Path, manifest: Manifest, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each start takes 10 s by a clock that moves with starts; 35 s are allowed."""
    tester = MadeUp(run_noise=0.1)
    monkeypatch.setattr("time.monotonic", lambda: 10.0 * len(set(tester.starts)))
    question = _question(repetitions=2, start_share=1.0, resolution_pps=1e4)
    answer = _answer(tmp_path / "t", question, tester, manifest, deadline=35.0)
    assert len(answer.rates["throughput"].bounds) == 3


def test_the_time_that_is_over_within_a_further_start_keeps_the_answer(
    tmp_path: Path, manifest: Manifest, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The third start is one more than was asked for, and takes longer than those before it."""
    tester = MadeUp(run_noise=0.1)
    hours = [0.0, 1.0, 2.0, 99.0]
    monkeypatch.setattr("time.monotonic", lambda: hours[len(set(tester.starts))])
    question = _question(repetitions=2, start_share=1.0, resolution_pps=1e4)
    answer = _answer(tmp_path / "t", question, tester, manifest, deadline=35.0)
    assert len(answer.rates["throughput"].bounds) == 2
    assert "the time was over within repetition 3" in answer.notes


def test_a_single_repetition_is_said_to_be_one(tmp_path: Path, manifest: Manifest) -> None:
    answer = _answer(tmp_path / "t", _question(repetitions=1), MadeUp(), manifest)
    assert ONE_REPETITION in answer.notes


def test_the_answer_says_that_the_generator_capped_it(tmp_path: Path, manifest: Manifest) -> None:
    tester = MadeUp(capacity=20e6, generator=5e6)
    answer = _answer(tmp_path / "t", _question("mlr"), tester, manifest)
    assert answer.rates["NDR"].capped_by == "generator"
    assert answer.rates["NDR"].rate_pps.value < 5e6
    assert answer.refused["unsent"] > 0


class _StoppedError(Exception):
    """Somebody pressed Ctrl-C."""


@pytest.mark.parametrize("method", ["mlr", "rfc2544", "back-to-back"])
def test_a_resumed_search_gives_the_same_answer(
    tmp_path: Path, manifest: Manifest, method: str
) -> None:
    question = _question(method)
    noise = {"trial_noise": 0.002, "buffer": 500}
    whole = _answer(tmp_path / "whole", question, MadeUp(**noise), manifest)
    path = tmp_path / "stopped"
    tester = MadeUp(**noise)

    def stop(trial: object) -> object:
        if tester.made > 17:
            raise _StoppedError
        return trial

    tester.change = stop  # type: ignore[assignment]
    if method != "back-to-back":
        with pytest.raises(_StoppedError):
            _answer(path, question, tester, manifest)
        with path.open("a") as file:
            file.write('{"repetition": 0, "intended')  # killed in the middle of a line
    again = MadeUp(**noise)
    resumed = _answer(path, question, again, manifest)
    assert resumed.rates == whole.rates
    assert resumed.trials == whole.trials
    if method != "back-to-back":
        assert again.made == whole.trials - 17


def test_the_time_that_is_over_leaves_a_search_to_resume(
    tmp_path: Path, manifest: Manifest
) -> None:
    with pytest.raises(RunError, match="continue with --resume"):
        _answer(tmp_path / "t", _question(), MadeUp(), manifest, deadline=0.0)


def test_another_searchs_trials_are_refused(tmp_path: Path, manifest: Manifest) -> None:
    path = tmp_path / "t"
    _answer(path, _question(), MadeUp(), manifest)
    with pytest.raises(InputError, match="trials of another search"):
        _answer(path, _question(link_gbps=40.0), MadeUp(), manifest)


def test_a_file_that_is_no_journal_is_refused(tmp_path: Path, manifest: Manifest) -> None:
    path = tmp_path / "t"
    path.write_text("hello\n")
    with pytest.raises(InputError, match="t:1: this line is no trial"):
        _answer(path, _question(), MadeUp(), manifest)


def test_progress_shows_the_interval_closing(tmp_path: Path, manifest: Manifest) -> None:
    said: list[str] = []
    with Journal(tmp_path / "t", sync=False) as journal:
        session = Session(MadeUp(), journal, 0.1, closing=said.append)
        search(_question("mlr"), session, manifest)
    assert any("NDR" in words and "PDR" in words and "Mpps" in words for words in said)
    assert any("repetition 2" in words for words in said)


@pytest.mark.parametrize("method", ["soak", "latency", "back-to-back"])
def test_a_rate_that_nobody_can_offer_is_refused(
    tmp_path: Path, manifest: Manifest, method: str
) -> None:
    tester = MadeUp()
    with pytest.raises(InputError, match=r"500 Mpps is more than the link carries: 10 Gbit/s"):
        _answer(tmp_path / "t", _question(method, rate_pps=500e6), tester, manifest)
    assert tester.made == 0
    tester = MadeUp(generator=4e6)
    with pytest.raises(
        RunError, match=r"14 Mpps can't be offered: the generator sent no more than 3\.88 Mpps"
    ):
        _answer(tmp_path / "t", _question(method, rate_pps=14e6), tester, manifest)


@pytest.mark.parametrize("method", ["soak", "latency"])
def test_nothing_is_offered_above_a_rate_that_is_named(
    tmp_path: Path, manifest: Manifest, method: str
) -> None:
    """A busy machine's generator may reach that rate, and never the link's."""
    question = _question(method, rate_pps=1e6)
    with Journal(tmp_path / "t", sync=False) as journal:
        session = Session(MadeUp(), journal, question.trial_seconds)
        search(question, session, manifest)
        assert max(trial.intended_pps for trial in journal.trials) <= 1e6


def test_progress_moves_with_each_trial_and_never_falls(tmp_path: Path, manifest: Manifest) -> None:
    done: list[tuple[int, float]] = []
    with Journal(tmp_path / "t", sync=False) as journal:
        session = Session(MadeUp(trial_noise=0.01), journal, 0.1)
        session.closing = lambda words: done.append((session.repetition, session.done))
        search(_question("mlr"), session, manifest)
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
