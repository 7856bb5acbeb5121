"""Repetitions of a search: a new ceiling each, left out, made up for, invalid, and more of them."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.search.conftest import MadeUp, asked, searched

from planecast.cli.tables.search import search_sheet
from planecast.results import Manifest
from planecast.search.asked import ALL_DISTURBED
from planecast.search.session import PreemptedError
from planecast.search.trial import Trial


def test_a_generator_that_tires_lowers_the_highest_load(tmp_path: Path, manifest: Manifest) -> None:
    """What it offered at the start it can't later: the repetition begins again below that."""

    class Tired(MadeUp):
        def trial(self, offered_pps: float, seconds: float, number: int) -> Trial:
            self.generator = 12e6 if self.made < 50 else 8e6
            return super().trial(offered_pps, seconds, number)

    answer = searched(tmp_path / "t", asked("mlr"), Tired(capacity=20e6), manifest)
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
    rate = searched(tmp_path / "t", asked("mlr", repetitions=3), tester, manifest).rates["NDR"]
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
    answer = searched(tmp_path / "t", asked("mlr", repetitions=3), tester, manifest)
    rate = answer.rates["NDR"]
    assert {bounds.repetition for bounds in rate.bounds} == set(range(3 + len(lost))) - lost
    assert rate.rate_pps.value == pytest.approx(6e6, rel=0.005)
    for repetition in lost:
        assert any(
            note.startswith(f"repetition {repetition + 1} has no rate: it lost its CPU")
            for note in answer.notes
        )
    # The journal gives the same answer again.
    again = searched(tmp_path / "t", asked("mlr", repetitions=3), tester, manifest)
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

    answer = searched(tmp_path / "t", asked("mlr"), Slowed(), manifest)
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

    answer = searched(tmp_path / "t", asked("mlr", repetitions=2), Moved(), manifest)
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
        searched(tmp_path / "t", asked("mlr"), kept, manifest)
    assert kept.starts == [0, 1]


@pytest.mark.parametrize(("share", "valid"), [(0.03, False), (0.97, True)])
def test_a_data_plane_kept_from_its_cpu_makes_the_answer_invalid(
    tmp_path: Path, manifest: Manifest, share: float, valid: bool
) -> None:
    tester = MadeUp(change=lambda trial: trial.model_copy(update={"dataplane_cpu": share}))
    answer = searched(tmp_path / "t", asked("mrr"), tester, manifest)
    assert (answer.invalid == "") is valid
    lead = list(search_sheet(answer, tmp_path).lead)
    assert lead == ([] if valid else [answer.invalid])
    if not valid:
        assert answer.invalid.startswith("INVALID: the data plane's thread had 3% of its CPU")


def test_a_generator_kept_from_its_cpu_does_too(tmp_path: Path, manifest: Manifest) -> None:
    """As it came: 0.033 Mpps of a data plane that takes 7, from all repetitions alike."""
    tester = MadeUp(change=lambda trial: trial.model_copy(update={"generator_cpu": 0.58}))
    answer = searched(tmp_path / "t", asked("mlr"), tester, manifest)
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
    answer = searched(tmp_path / "t", asked(method, **keys), tester, manifest)
    assert answer.invalid == ""
    said = answer.notes[-1] if answer.soak is None else answer.soak.statement
    assert "75.0% of the t" in said


@pytest.mark.parametrize(("noise", "starts"), [(0.0, 3), (0.1, 6)])
def test_starts_that_differ_are_followed_by_more(
    tmp_path: Path, manifest: Manifest, noise: float, starts: int
) -> None:
    tester = MadeUp(run_noise=noise)
    question = asked(repetitions=3, start_share=1.0, resolution_pps=1e4)
    answer = searched(tmp_path / "t", question, tester, manifest)
    assert len(answer.rates["throughput"].bounds) == starts
    assert set(range(starts)) <= set(tester.starts)


def test_no_further_start_when_the_time_would_not_suffice(
    tmp_path: Path, manifest: Manifest, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each start takes 10 s by a clock that moves with starts; 35 s are allowed."""
    tester = MadeUp(run_noise=0.1)
    monkeypatch.setattr("time.monotonic", lambda: 10.0 * len(set(tester.starts)))
    question = asked(repetitions=2, start_share=1.0, resolution_pps=1e4)
    answer = searched(tmp_path / "t", question, tester, manifest, deadline=35.0)
    assert len(answer.rates["throughput"].bounds) == 3


def test_the_time_that_is_over_within_a_further_start_keeps_the_answer(
    tmp_path: Path, manifest: Manifest, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The third start is one more than was asked for, and takes longer than those before it."""
    tester = MadeUp(run_noise=0.1)
    hours = [0.0, 1.0, 2.0, 99.0]
    monkeypatch.setattr("time.monotonic", lambda: hours[len(set(tester.starts))])
    question = asked(repetitions=2, start_share=1.0, resolution_pps=1e4)
    answer = searched(tmp_path / "t", question, tester, manifest, deadline=35.0)
    assert len(answer.rates["throughput"].bounds) == 2
    assert "the time was over within repetition 3" in answer.notes
