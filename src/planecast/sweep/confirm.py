"""Confirmation: the best candidates of a search measured on this machine, and ranked by that.

A prediction that wins is the most likely one to be wrong: among many candidates the best is often
one whose error is in its favour (the winner's curse). So the first few are measured, interleaved,
and a candidate meets the rate when the low end of its measured interval does.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from planecast.engines.measure.unsupported import refuse_unmeasured
from planecast.errors import InputError, PlanecastError
from planecast.model.calibrated_range import Nearest, nearest
from planecast.native import native_program
from planecast.results.result import Result
from planecast.scenario.dataplane import OWN
from planecast.scenario.override import with_overrides
from planecast.scenario.scenario import Scenario
from planecast.sweep.hardware import split
from planecast.sweep.job import Job
from planecast.sweep.optimise import Candidate

Measure = Callable[[Sequence[Scenario]], Sequence[Result]]
"""Measures scenarios, interleaved, in their order. Raises PlanecastError."""
Check = Callable[[Scenario], None]
"""Raises PlanecastError for a scenario that can't be measured, with the reason."""


@dataclass(frozen=True)
class Measurer:
    """What measures here."""

    measure: Measure
    check: Check


Verdict = Literal["confirmed", "predicted", "undecided", "refuted"]
"""Of a candidate: measured and the whole interval meets the rate; not measured; measured and the
interval has the rate in it; measured and the whole interval misses it."""
_ORDER: tuple[Verdict, ...] = ("confirmed", "predicted", "undecided", "refuted")


@dataclass(frozen=True)
class Ranked:
    """A candidate after the measurement."""

    candidate: Candidate
    measured: Result | None
    """What was measured; None for one that wasn't."""
    verdict: Verdict
    nearest: Nearest | None
    """Its distance from the calibration points; None where that isn't known."""

    @property
    def outside(self) -> bool:
        """Whether the measured value lies outside of the predicted interval."""
        rate = self.candidate.rate
        if self.measured is None or rate is None:
            return False
        return not rate.throughput_pps.covers(self.measured.throughput_pps.value)

    @property
    def results(self) -> list[Result]:
        """What a run keeps of it: the prediction, simulated where it was timed, and the
        measurement."""
        found = (self.candidate.timed or self.candidate.rate, self.measured)
        return [result for result in found if result is not None]


@dataclass(frozen=True)
class Confirmation:
    """All candidates in their new order."""

    ranked: Sequence[Ranked]
    not_measured: Mapping[str, int]
    """Why some of the first few were not measured, and how many."""

    @property
    def measured(self) -> list[Ranked]:
        """Those that were measured, in order."""
        return [one for one in self.ranked if one.measured is not None]


def check_here(scenario: Scenario) -> None:
    """Raises InputError or MissingError for a scenario that this machine can't measure."""
    if scenario.dataplane.kind == OWN:
        native_program("planecast-dataplane")
    refuse_unmeasured([scenario])


def question_of(job: Job, candidate: Candidate) -> Scenario:
    """What is measured of a candidate: its scenario, as fast as it forwards.

    Raises InputError for one whose machine has other components than this one.
    """
    changes, factors = split(candidate.point)
    for key, factor in factors.items():
        if factor != 1:
            raise InputError(f"{key}={factor:g} is another machine")
    scenario = with_overrides(job.plan.base, changes)
    traffic = scenario.traffic.model_copy(update={"offered_pps": None, "arrivals": "constant"})
    return scenario.model_copy(update={"traffic": traffic})


def confirm(
    job: Job,
    best: Sequence[Candidate],
    rate_pps: float,
    count: int,
    measurer: Measurer,
) -> Confirmation:
    """Measures the first `count` candidates that can be measured, and ranks all.

    Candidates whose measured interval meets the rate come first, then those that are predictions
    alone, then those whose interval has the rate in it, then those that miss it; each by price.
    """
    asked: list[tuple[int, Scenario]] = []
    why: dict[str, int] = {}
    for number, candidate in enumerate(best):
        if len(asked) >= count:
            break
        try:
            question = question_of(job, candidate)
            measurer.check(question)
            asked.append((number, question))
        except PlanecastError as error:
            why[error.what] = why.get(error.what, 0) + 1
    results = measurer.measure([scenario for _, scenario in asked]) if asked else []
    measured = {number: result for (number, _), result in zip(asked, results, strict=True)}
    ranked = [
        _ranked(job, candidate, measured.get(number), rate_pps)
        for number, candidate in enumerate(best)
    ]
    ranked.sort(key=lambda one: (_ORDER.index(one.verdict), *one.candidate.rank))
    return Confirmation(ranked, why)


def unconfirmed(job: Job, best: Sequence[Candidate]) -> Confirmation:
    """The same order, nothing measured."""
    return Confirmation([_ranked(job, candidate, None, 0.0) for candidate in best], {})


def _ranked(job: Job, candidate: Candidate, measured: Result | None, rate_pps: float) -> Ranked:
    changes, _ = split(candidate.point)
    away = nearest(with_overrides(job.plan.base, changes), job.calibration.placed)
    return Ranked(candidate, measured, _verdict(measured, rate_pps), away)


def _verdict(measured: Result | None, rate_pps: float) -> Verdict:
    if measured is None:
        return "predicted"
    value = measured.throughput_pps
    low, high = value.interval or (value.value, value.value)
    if low >= rate_pps:
        return "confirmed"
    return "undecided" if high >= rate_pps else "refuted"
