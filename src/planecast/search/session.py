"""A session of a search: hands out trials that can be believed, and remembers all of them.

It stands between a search and its tester: trials come from the journal as long as that lasts, a
trial that says nothing of its load is made again, the data plane is restarted for each
repetition and warmed up, and the highest load is what the generator showed that it can offer.
"""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, replace

from planecast.errors import RunError
from planecast.search.journal import Journal
from planecast.search.tester import Ceiling, Opinion, Tester
from planecast.search.trial import Trial, fault_of, refuse_impossible

TRIES = 40
"""Times that a trial is made before its load counts as one that can't be offered. On a machine that
is shared most trials may be disturbed, and one that is not is enough."""
_TRYING_S = 20.0
"""Long trials are made again for no longer than this, but at least twice."""
MARGIN = 0.97
"""Share of what the generator reached at the most that a search asks of it: what it reached once it
does not reach each time."""

MARGINS = (MARGIN, 0.9, 0.75, 0.5)
"""The same, time after time that the lowered load could not be offered either. On a machine that
is busy with others the best of some trials says ever less of the next ones; and a search that ends
below the generator's limit says so."""
_LIMIT_SHARE = 0.9
"""A generator at its limit sends this share, or more, of a load that it reached before. When it
twice sends less, what is missing doesn't depend on the load: it lost its CPU."""
_OWN_CPU = 0.8
"""Share of its CPU that a generator's thread has to have for its rate to be its own limit."""

_USUAL_TRIALS = 60
"""Of a repetition: MLRsearch's have 11 where the generator is the limit, 50 to 70 on a quiet data
plane, and some hundred on one whose losses are noisy."""
_NEARLY = 0.99

Closing = Callable[[str], None]
"""Called with words on a search's progress."""


class UnofferedError(RunError):
    """A load that the generator can't offer; `reached_pps` is the most that it did."""

    def __init__(self, asked_pps: float, reached_pps: float, tries: int) -> None:
        super().__init__(
            f"of {asked_pps / 1e6:.4g} Mpps it sent {reached_pps / 1e6:.4g} at the most, in "
            f"{tries} trials",
            "the generator",
            "measure while the machine is quieter, or give it another CPU (--generator-cpu)",
        )
        self.asked_pps = asked_pps
        self.reached_pps = reached_pps


class TimeOverError(RunError):
    """No further trial is made: the time that was allowed is over."""

    def __init__(self, trials: int) -> None:
        super().__init__(
            f"the time is over after {trials} trials",
            "--max-seconds",
            "continue with --resume, or allow more",
        )


class PreemptedError(RunError):
    """A load that the generator could have offered, had it had its CPU: no limit of its own."""

    def __init__(self, asked_pps: float, reached_pps: float, cpu_share: float | None) -> None:
        had = "" if cpu_share is None else f": its thread had {cpu_share:.0%} of it at the most"
        asked = f"{asked_pps / 1e6:.4g} Mpps"
        found = f", and of {asked} it sent {reached_pps / 1e6:.4g}, so the highest load is unknown"
        if reached_pps >= _NEARLY * asked_pps:  # in what was left of the trials
            found = f", so that no trial at {asked} is of the time that it is meant to be"
        super().__init__(
            f"it lost its CPU{had}{found}",
            "the generator",
            "measure while the machine is quieter, or give it another CPU (--generator-cpu)",
        )


@dataclass
class Session:
    """The trials of a search."""

    tester: Tester
    journal: Journal
    seconds: float
    """How long a trial sends, unless a search says otherwise."""
    deadline: float = float("inf")
    """Monotonic time after which no further trial is made."""
    closing: Closing = lambda words: None
    repetition: int = 0
    leaves_out: bool = False
    """Whether the method leaves time without a CPU out by itself, so that trials with it count."""

    def __post_init__(self) -> None:
        self.refused: Counter[str] = Counter()
        self.believed: list[Trial] = []
        """Trials that counted, in their order."""
        self._started: int | None = None
        self._of_repetition = 0
        self._longest = 0
        self._done = 0.0

    def begin(self, repetition: int) -> None:
        """The next trial is the first of this repetition: of a data plane that is restarted."""
        if repetition != self.repetition:
            self._longest = max(self._longest, self._of_repetition)
        self.repetition = repetition
        self._of_repetition = 0

    @property
    def done(self) -> float:
        """How many repetitions are done; never falls. How many trials one takes shows when it ends:
        its share is of the longest before it, and the first's rises ever more slowly."""
        here = self._of_repetition
        most = self._longest
        share = min(here / most, _NEARLY) if most else here / (here + _USUAL_TRIALS)
        self._done = max(self._done, self.repetition + share)
        return self._done

    @property
    def trials_here(self) -> int:
        """Trials that this repetition has had, without those made again."""
        return self._of_repetition

    def trial(self, offered_pps: float, seconds: float | None = None) -> Trial:
        """One trial that can be believed.

        Raises UnofferedError for a load that the generator can't offer, PreemptedError when it did
        not have its CPU in any of the tries, RunError for a trial that is impossible or fails, and
        when the time is over.
        """
        length = self.seconds if seconds is None else seconds
        return self._believed(
            offered_pps, length, lambda number: self.tester.trial(offered_pps, length, number)
        )

    def burst(self, packets: int, offered_pps: float) -> Trial:
        """A burst of packets, likewise."""
        return self._believed(
            offered_pps,
            packets / offered_pps,
            lambda number: self.tester.burst(packets, offered_pps, number),
        )

    def ceiling(self, link: Ceiling) -> Ceiling:
        """The highest load that can be offered: the link's, or what the generator reaches of it.

        Raises PreemptedError when what is missing doesn't depend on the load."""
        found, short = link, 0
        for number, margin in enumerate(MARGINS):
            try:
                self.trial(found.pps)
            except UnofferedError as error:
                # The first load was above what it can, perhaps; the others it had reached.
                far = number > 0 and error.reached_pps < _LIMIT_SHARE * error.asked_pps
                short = short + 1 if far else 0
                if short == 2:
                    raise PreemptedError(error.asked_pps, error.reached_pps, None) from None
                found = lowered(found, error, margin)
            else:
                return found
        self.trial(found.pps)
        return found

    def opinion(self, offered_pps: float) -> Opinion:
        """What the data plane says of itself at a rate, outside the search."""
        self._ready()
        return self.tester.opinion(offered_pps, self.seconds)

    def _believed(self, offered_pps: float, seconds: float, make: Callable[[int], Trial]) -> Trial:
        self._of_repetition += 1
        reached, cpu, away = 0.0, None, 0
        tries = tries_of(seconds)
        for _ in range(tries):
            trial = self._made(offered_pps, seconds, make)
            refuse_impossible(trial)
            fault = fault_of(trial, may_be_away=self.leaves_out)
            if fault is None:
                self.believed.append(trial)
                return trial
            self.refused[fault] += 1
            away += fault == "lost CPU"
            stretched = max(trial.seconds / trial.intended_seconds, 1.0)
            reached = max(reached, trial.offered_pps / stretched)
            if trial.generator_cpu is not None:
                cpu = max(cpu or 0.0, trial.generator_cpu)
        kept_away = cpu is not None and cpu < _OWN_CPU
        if kept_away or 2 * away > tries:
            raise PreemptedError(offered_pps, reached, cpu if kept_away else None)
        raise UnofferedError(offered_pps, reached, tries)

    def _made(self, offered_pps: float, seconds: float, make: Callable[[int], Trial]) -> Trial:
        kept = self.journal.recall(self.repetition, offered_pps, seconds)
        if kept is not None:
            return kept
        if time.monotonic() > self.deadline:
            raise TimeOverError(len(self.journal.trials))
        self._ready()
        made = make(self.journal.number).model_copy(
            update={
                "repetition": self.repetition,
                "intended_pps": offered_pps,
                "intended_seconds": seconds,
            }
        )
        self.journal.keep(made)
        return made

    def _ready(self) -> None:
        if self._started != self.repetition:
            self.closing(f"repetition {self.repetition + 1}: starting the data plane")
            self.tester.start(self.repetition)
            self._started = self.repetition


def tries_of(seconds: float) -> int:
    """How often a trial of this length is made before its load can't be offered."""
    return int(min(max(_TRYING_S / seconds, 3), TRIES))


def lowered(ceiling: Ceiling, error: UnofferedError, margin: float) -> Ceiling:
    """The ceiling lowered to that share of what the generator reached. Raises `error` when that is
    nothing."""
    if error.reached_pps <= 0:
        raise error
    reached = margin * min(error.reached_pps, ceiling.pps)
    asked = "" if ceiling.by == "generator" else f"; {ceiling.why}"
    why = f"the generator sent no more than {reached / 1e6:.4g} Mpps{asked}"
    return Ceiling(reached, "generator", why)


def at_most(ceiling: Ceiling, margin: float, before: Ceiling) -> Ceiling:
    """The ceiling, no higher than a share of one that could not be offered all the time."""
    if ceiling.pps <= margin * before.pps:
        return ceiling
    pps = margin * before.pps
    why = f"the generator sent no more than {pps / 1e6:.4g} Mpps in every trial"
    return Ceiling(pps, "generator", why)


def capped_at(ceiling: Ceiling, pps: float | None) -> Ceiling:
    """The ceiling lowered to a rate that a person named."""
    if pps is None or pps >= ceiling.pps:
        return ceiling
    return replace(ceiling, pps=pps, by="--max-rate", why="--max-rate allows no more")
