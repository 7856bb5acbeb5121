"""A search from its question to its answer: repetition by repetition, on any tester."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeVar

from planecast.errors import InputError, RunError
from planecast.results.manifest import Manifest
from planecast.results.search import Bounds, FoundRate, SearchAnswer
from planecast.search import loads, rfc2544
from planecast.search.bursts import burst_answer, longest_burst
from planecast.search.combine import equal_rates, found_rate, rate_estimate
from planecast.search.cpu_shares import disturbed_repetition, starved
from planecast.search.cycle_crosscheck import check_cycles
from planecast.search.highest_load import highest_load, link_words
from planecast.search.mlr import search_losses
from planecast.search.pauses import with_pauses
from planecast.search.question import Question
from planecast.search.repetitions import (
    handoff_note,
    moved_repetition,
    outlying_notes,
    state_note,
)
from planecast.search.rfc2544 import search_throughput
from planecast.search.session import (
    MARGINS,
    PreemptedError,
    Session,
    TimeOverError,
    UnofferedError,
    at_most,
)
from planecast.search.telemetry import Watched, found_rates, instruments, observe
from planecast.search.tester import Ceiling, Opinion
from planecast.search.trial import Trial

_Found = TypeVar("_Found")

ONE_REPETITION = (
    "one repetition: how much a fresh start of the data plane changes the rate is not known, and "
    "not in the interval"
)

ALL_DISTURBED = (
    "each repetition was disturbed, so none is left out: in half of its trials or more the "
    "generator's or the data plane's thread lost a tenth of its CPU, or a hypervisor moved their "
    "CPUs apart in it; measure while the machine is quieter"
)

NOT_RESTARTED = (
    "what forwards was there already and was not restarted between repetitions: how much a "
    "start changes the rate is not in the interval"
)


@dataclass
class Asked:
    """A question on its way."""

    question: Question
    session: Session
    link: Ceiling
    """The highest load that may be offered, whatever the generator reaches."""
    ceiling: Ceiling
    """The highest load of the repetition that is under way."""
    ceilings: list[Ceiling] = field(default_factory=list)
    """Of each repetition that is done."""
    model_share: float = 0.0
    """What the calibration leaves open of a simulated rate, as a share of it: 95 %."""
    preempted: list[str] = field(default_factory=list)
    """A sentence for each repetition that has no rate, because the generator lost its CPU in it."""

    @staticmethod
    def begun(
        question: Question, session: Session, link: Ceiling, model_share: float = 0.0
    ) -> Asked:
        """In the first repetition in which the generator has its CPU, its highest load found.
        Raises as trials do."""
        asked = Asked(question, session, link, link, model_share=model_share)
        found = next(filter(None, map(asked._begun, range(question.repetitions))))
        asked.ceiling = found
        return asked

    def _begun(self, repetition: int) -> Ceiling | None:
        """The highest load of a repetition that begins; None where the generator lost its CPU."""
        self.session.begin(repetition)
        try:
            return self.session.ceiling(self.link)
        except PreemptedError as error:
            self._give_up(error)
            return None

    def _give_up(self, error: PreemptedError) -> None:
        """Notes that this repetition has no rate; raises `error` when that is so of as many as were
        asked for."""
        self.preempted.append(f"repetition {self.session.repetition + 1} has no rate: {error.what}")
        if len(self.preempted) >= self.question.repetitions:
            raise error

    def repeat(
        self, once: Callable[[], _Found], bounds: Callable[[_Found], Sequence[Bounds]]
    ) -> list[_Found]:
        """Calls `once` for each repetition, whose highest load is found again: what the generator
        reaches may change with the machine's state. Some more are made while starts differ by more
        than the question wants and time is left; `bounds` are those of what one of them found."""
        done: dict[int, tuple[_Found, Ceiling]] = {}
        longest_s = 0.0
        for repetition in range(self.session.repetition, self.question.most_repetitions):
            began = time.monotonic()
            late = began + longest_s > self.session.deadline
            found = [one for number, (one, _) in done.items() if not self._disturbed(number)]
            enough = len(done if late else found) >= self.question.repetitions
            if enough and (late or not self._differ(found, bounds)):
                break
            try:
                if repetition != self.session.repetition:
                    ceiling = self._begun(repetition)
                    if ceiling is None:
                        continue
                    self.ceiling = ceiling
                one = self.offered(once)
            except PreemptedError as error:
                self._give_up(error)
                continue
            except TimeOverError:
                if len(done) < self.question.repetitions:
                    raise
                self.preempted.append(f"the time was over within repetition {repetition + 1}")
                break
            done[repetition] = one, self.ceiling
            longest_s = max(longest_s, time.monotonic() - began)
        whys = {number: self._disturbed(number) for number in done}
        kept = [pair for number, pair in done.items() if not whys[number]]
        # Better than nothing.
        self.preempted += [why for why in whys.values() if why] if kept else [ALL_DISTURBED]
        kept = kept or list(done.values())
        self.ceilings = [ceiling for _, ceiling in kept]
        return [one for one, _ in kept]

    def _disturbed(self, repetition: int) -> str:
        """Why a repetition that is done says nothing of the data plane; empty: it does."""
        trials = self.session.believed
        return disturbed_repetition(trials, repetition) or moved_repetition(trials, repetition)

    def repeat_at(self, once: Callable[[], _Found]) -> list[_Found]:
        """Calls `once` for each repetition, at loads that were named or found before."""
        return [self._at(repetition, once) for repetition in range(self.question.repetitions)]

    def repeat_alike(self, once: Callable[[], _Found]) -> list[_Found]:
        """Calls `once` for each repetition, all with one highest load, for what is a mean over
        repetitions. A load that one of them can't offer begins all of them again, below it."""
        first = self.ceiling
        for margin in MARGINS:
            try:
                return self.repeat_at(once)
            except UnofferedError:
                self.ceiling = at_most(self.session.ceiling(self.link), margin, first)
        return self.repeat_at(once)

    def _differ(
        self, found: Sequence[_Found], bounds: Callable[[_Found], Sequence[Bounds]]
    ) -> bool:
        """Whether starts leave the interval of some rate wider than wanted; capped ones don't."""
        for of_rate in zip(*(bounds(one) for one in found), strict=True):
            met = [one for one in of_rate if one.high_pps is not None]
            estimate = rate_estimate(met, self.session.tester.kind) if len(met) > 1 else None
            if estimate is None or estimate.high is None or estimate.value <= 0:
                continue
            if estimate.high - estimate.value > self.question.interval * estimate.value:
                return True
        return False

    def _at(self, repetition: int, once: Callable[[], _Found]) -> _Found:
        self.session.begin(repetition)
        return once()

    def offered(self, once: Callable[[], _Found]) -> _Found:
        """Begins a repetition again when a load of it could not be offered: its highest load is
        found again, and is a margin below the one that it had."""
        first = self.ceiling
        for margin in MARGINS:
            try:
                return once()
            except UnofferedError:
                self.ceiling = at_most(self.session.ceiling(self.link), margin, first)
        return once()

    def rate(self, bounds: list[Bounds], loss: float | None) -> FoundRate:
        """One rate of its repetitions."""
        trials, kind = self.session.journal.trials, self.session.tester.kind
        ceilings = self.ceilings or [self.ceiling]
        return found_rate(
            bounds, loss, ceilings, kind, _causes(trials), model_share=self.model_share
        )


def check_question(question: Question) -> None:
    """Raises InputError for a question that can't be asked."""
    if question.rate_pps is not None and question.rate_pps > question.link_pps:
        named = f"{question.rate_pps / 1e6:.4g} Mpps"
        raise InputError(
            f"{named} is more than the link carries: {link_words(question)}",
            "--rate",
            "name less, or say what the link is: --link-gbps",
        )
    instruments(question.telemetry, question.scenario)


def search(
    question: Question,
    session: Session,
    manifest: Manifest,
    watched: Watched | None = None,
    *,
    model_share: float = 0.0,
) -> SearchAnswer:
    """The answer; of `watched`, with what telemetry shows at its rates.

    `model_share` is what the calibration leaves open of simulated rates (95 %).

    Raises InputError for a question that can't be asked, RunError as trials do.
    """
    check_question(question)
    session.leaves_out = question.method in _LEAVING_OUT
    asked = Asked.begun(question, session, highest_load(question), model_share)
    found = _METHODS[question.method](asked)
    tester = session.tester
    rates = with_pauses(found.pop("rates", {}), question.scenario, session.journal.trials)
    notes = [*equal_rates(dict(rates)), *asked.preempted]
    for name, rate_found in rates.items():
        notes += outlying_notes(name, rate_found.bounds, session.journal.trials)
        notes += state_note(name, rate_found.bounds, session.journal.trials)
    notes += handoff_note(session.journal.trials)
    if question.repetitions == 1:
        notes.append(ONE_REPETITION)
    if question.scenario.dataplane.kind == "external":
        notes.append(NOT_RESTARTED)
    rate = next((rate.rate_pps.value for rate in rates.values()), 0.0)
    opinion = session.opinion(rate) if rate > 0 else Opinion()
    check = check_cycles(session, asked.ceiling) if opinion.own else None
    answer = SearchAnswer(
        method=question.method,
        scenario=question.scenario,
        dataplane=tester.dataplane,
        trial_seconds=question.trial_seconds,
        trials=len(session.journal.trials),
        refused=dict(session.refused),
        invalid=starved(session.journal.trials, left_out=session.leaves_out),
        second_opinion=dict(opinion.own),
        cycles_check=check,
        rates=rates,
        notes=(*notes, *found.pop("notes", ())),
        manifest=manifest,
        **found,
    )
    return answer if watched is None else _with_telemetry(answer, question, session, watched)


def _with_telemetry(
    answer: SearchAnswer, question: Question, session: Session, watched: Watched
) -> SearchAnswer:
    """The answer, looked at. What fails now costs the telemetry, not the answer."""
    wanted = instruments(question.telemetry, question.scenario)
    try:
        observed = observe(watched, found_rates(answer), wanted, session.closing)
    except RunError as error:
        note = f"telemetry failed: {error}"
        return answer.model_copy(update={"notes": (*answer.notes, note)})
    return answer.model_copy(update={"telemetry": observed})


def _mlr(asked: Asked) -> dict[str, Any]:
    question = asked.question
    found = asked.repeat(
        lambda: search_losses(asked.session, asked.ceiling, question.goals, question.start),
        lambda bounds: list(bounds.values()),
    )
    return {"rates": _by_goal(asked, found)}


def _by_goal(asked: Asked, found: list[dict[str, Bounds]]) -> dict[str, FoundRate]:
    return {
        name: asked.rate([bounds[name] for bounds in found], goal.loss_ratio)
        for name, goal in asked.question.goals.items()
    }


def _throughput(asked: Asked) -> dict[str, Any]:
    goal = asked.question.binary
    found = asked.repeat(
        lambda: search_throughput(asked.session, asked.ceiling, goal), lambda bounds: [bounds]
    )
    return {"rates": {rfc2544.NAME: asked.rate(found, goal.loss_ratio)}}


def _mrr(asked: Asked) -> dict[str, Any]:
    trials = asked.question.step_trials
    found = asked.repeat(
        lambda: loads.mrr(asked.session, asked.ceiling, trials), lambda bounds: [bounds]
    )
    share = loads.lost_time(asked.session.believed)
    left_out = (
        f"in {share:.1%} of the trials' time the generator or the data plane had lost its CPU"
    )
    notes = (f"MRR: {left_out}; that time is left out",) if share >= loads.SHOWN else ()
    return {"rates": {"MRR": asked.rate(found, None)}, "notes": notes}


def _curve(asked: Asked) -> dict[str, Any]:
    question = asked.question
    found = asked.repeat_alike(
        lambda: loads.loss_curve(
            asked.session, asked.ceiling, loads.CURVE_STEP, question.step_trials
        )
    )
    return {
        "loads": tuple(loads.load_answers(found, asked.session.tester.kind)),
        "notes": (f"100 % is {asked.ceiling.pps / 1e6:.4g} Mpps: {asked.ceiling.why}",),
    }


def _rate_first(asked: Asked) -> tuple[float, dict[str, FoundRate]]:
    """The rate that was named, or else the throughput, searched in one repetition."""
    rate = asked.question.rate_pps
    if rate is not None:
        if MARGINS[0] * rate > asked.ceiling.pps:
            raise RunError(
                f"{rate / 1e6:.4g} Mpps can't be offered: {asked.ceiling.why}",
                "--rate",
                f"name {asked.ceiling.pps / 1e6:.4g}Mpps or less",
            )
        return rate, {}
    asked.session.begin(0)
    goal = asked.question.binary
    bounds = asked.offered(lambda: search_throughput(asked.session, asked.ceiling, goal))
    if bounds.low_pps <= 0:
        raise RunError(
            "no rate loses as little as the goal says, so there is none to continue with",
            asked.question.method,
            "allow more (--loss), or name a rate (--rate)",
        )
    return bounds.low_pps, {rfc2544.NAME: asked.rate([bounds], asked.question.loss)}


def _latency(asked: Asked) -> dict[str, Any]:
    rate, rates = _rate_first(asked)
    trials = asked.question.step_trials
    shares = loads.LATENCY_SHARES
    found = asked.repeat_at(lambda: loads.at_shares(asked.session, rate, shares, trials))
    return {
        "rates": rates,
        "loads": tuple(loads.load_answers(found, asked.session.tester.kind)),
    }


def _soak(asked: Asked) -> dict[str, Any]:
    rate, rates = _rate_first(asked)
    seconds = asked.question.soak_seconds
    found = asked.repeat_at(
        lambda: loads.soak(asked.session, rate, seconds / asked.question.repetitions)
    )
    trials = [trial for repetition in found for trial in repetition]
    return {
        "rates": rates,
        "soak": loads.soak_answer(trials, rate, asked.question.loss_target),
    }


def _bursts(asked: Asked) -> dict[str, Any]:
    rate, rates = _rate_first(asked)
    lengths = asked.repeat_alike(lambda: longest_burst(asked.session, asked.ceiling))
    if asked.ceiling.pps <= rate:
        raise RunError(
            f"{rate / 1e6:.4g} Mpps pass at any length, and bursts came at no more than "
            f"{asked.ceiling.pps / 1e6:.4g}, so no buffer was ever filled: {asked.ceiling.why}",
            "back-to-back",
            "measure while the machine is quieter, or a data plane that is slower than what feeds "
            "it",
        )
    return {
        "rates": rates,
        "burst": burst_answer(lengths, asked.ceiling, rate, asked.session.tester.kind),
    }


def _causes(trials: list[Trial]) -> Counter[str]:
    """What lost packets, where the engine reports it."""
    return Counter(trial.capped_by for trial in trials if trial.capped_by and trial.lost)


_LEAVING_OUT = ("mrr", "soak")
"""Methods that leave out the time in which a CPU was lost, instead of making trials again."""
_METHODS: Mapping[str, Callable[[Asked], dict[str, Any]]] = {
    "mlr": _mlr,
    "rfc2544": _throughput,
    "mrr": _mrr,
    "loss-curve": _curve,
    "latency": _latency,
    "soak": _soak,
    "back-to-back": _bursts,
}
