"""How precise a rate is: whether it needs further starts, and a note where it stayed imprecise."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from planecast.results.estimate import Kind
from planecast.results.search import Bounds, FoundRate
from planecast.search.combine import rate_estimate
from planecast.search.question import Question

ONE_REPETITION = (
    "one repetition: how much a fresh start of the data plane changes the rate is not known, and "
    "not in the interval"
)


def needs_more(bounds: Sequence[Bounds], wanted: float, kind: Kind) -> bool:
    """Whether a rate of these repetitions needs further starts: a measured one that rests on a
    single start of several, or one whose interval has more than `wanted`, a share of the rate, for
    its half-width. Starts that were capped say nothing of the width."""
    met = [one for one in bounds if one.high_pps is not None]
    if len(met) < 2:
        return kind == "measured" and len(met) == 1 < len(bounds)
    estimate = rate_estimate(met, kind)
    if estimate.high is None or estimate.value <= 0:
        return False
    return estimate.high - estimate.value > wanted * estimate.value


def precision_notes(rates: Mapping[str, FoundRate], question: Question) -> list[str]:
    """A sentence where one repetition was asked for, and for each measured rate that rests on one
    of several or is less precise than wanted."""
    if question.repetitions == 1:
        return [ONE_REPETITION]
    found = []
    for name, rate in rates.items():
        estimate, starts = rate.rate_pps, len(rate.bounds)
        if estimate.kind != "measured" or estimate.high is None or estimate.value <= 0:
            continue
        half = estimate.high / estimate.value - 1
        if estimate.samples == 1:
            found.append(
                f"{name} rests on one repetition, the others being capped or left out: how much a "
                "fresh start of the data plane changes it is not known, and not in the interval"
            )
        elif half > question.interval:
            found.append(
                f"{name} is known to ±{100 * half:.1f} %, more than the "
                f"{100 * question.interval:g} % wanted: its {starts} starts differ; search "
                "on a quieter machine, or raise --repetitions"
            )
    return found
