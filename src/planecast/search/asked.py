"""A question on its way: each repetition's highest load, and as many repetitions as needed."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import TypeVar

from planecast.results.search import Bounds, FoundRate
from planecast.search.combine import found_rate
from planecast.search.cpu_shares import disturbed_repetition
from planecast.search.precision import needs_more
from planecast.search.question import Question
from planecast.search.repetitions import moved_repetition
from planecast.search.session import (
    MARGINS,
    PreemptedError,
    Session,
    TimeOverError,
    UnofferedError,
    at_most,
)
from planecast.search.tester import Ceiling
from planecast.search.trial import Trial

_Found = TypeVar("_Found")

ALL_DISTURBED = (
    "each repetition was disturbed, so none is left out: in half of its trials or more the "
    "generator's or the data plane's thread lost a tenth of its CPU, or a hypervisor moved their "
    "CPUs in it; measure while the machine is quieter"
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
            if enough and (late or not self._more(found, bounds)):
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

    def _more(self, found: Sequence[_Found], bounds: Callable[[_Found], Sequence[Bounds]]) -> bool:
        """Whether some rate is less precise than wanted."""
        wanted, kind = self.question.interval, self.session.tester.kind
        of_rates = zip(*(bounds(one) for one in found), strict=True)
        return any(needs_more(of_rate, wanted, kind) for of_rate in of_rates)

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


def _causes(trials: list[Trial]) -> Counter[str]:
    """What lost packets, where the engine reports it."""
    return Counter(trial.capped_by for trial in trials if trial.capped_by and trial.lost)
