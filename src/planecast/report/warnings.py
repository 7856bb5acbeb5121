"""Warnings: what a reader has to know before believing the numbers, in one list.

Each has a stable name, says what is the matter and what can be done about it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from planecast.report.numbers import percent
from planecast.report.result_table import unaccounted
from planecast.results import Result
from planecast.results.scores import noise_floor_percent
from planecast.results.sentences import by_sentence, listed
from planecast.results.validation import NOISY_PERCENT, Validation, ValidationPoint

_DISTURBED_SHARE = 0.5
_COVERAGE_PERCENT = 80.0
_STEADY_SHARE = 0.5


@dataclass(frozen=True)
class Warned:
    """One warning."""

    name: str
    """Its stable name: ``packets-unaccounted``."""
    what: str
    """What is the matter."""
    what_to_do: str
    """What the reader can do about it."""


def partial_warning(why: str) -> Warned:
    """The run is not whole."""
    reason = f" ({why})" if why else ""
    return Warned(
        "partial-run",
        f"This run is not complete{reason}: it shows what was there when the report was made.",
        "Make the run again for the whole answer.",
    )


def result_warnings(labels: Sequence[str], results: Sequence[Result]) -> Iterator[Warned]:
    """What is the matter with single results."""
    named = list(zip(labels, results, strict=True))
    lost = [label for label, result in named if unaccounted(result)]
    if lost:
        yield Warned(
            "packets-unaccounted",
            f"Packets in is not packets out and drops together: {listed(lost, len(named))}.",
            "Do not trust these results; report it as a mistake of the data plane.",
        )
    shaken = [label for label, r in named if (r.disturbed_share or 0) > _DISTURBED_SHARE]
    if shaken:
        yield Warned(
            "machine-disturbed",
            f"More than half of the trials were disturbed: {listed(shaken, len(named))}.",
            "See planecast doctor, and measure on a quieter machine.",
        )
    bare = [label for label, result in named if result.cycles_per_packet.interval is None]
    if bare:
        yield Warned(
            "interval-missing",
            f"No interval is known: {listed(bare, len(named))}.",
            "Measure more trials.",
        )


def validation_warnings(validation: Validation) -> Iterator[Warned]:
    """What is the matter with a validation, beyond its single results."""
    held = [point for point in validation.points if point.held_out]
    if validation.noisy:
        loud = sorted(held, key=_floor, reverse=True)
        above = [point.label for point in loud if _floor(point) > NOISY_PERCENT]
        yield Warned(
            "host-noisy",
            f"This host is too noisy now: noise floor {validation.noise_floor_percent:.1f} %, the "
            "mean error of even a perfect model"
            f"{f'; highest at {listed(above, len(held))}' if above else ''}.",
            "See planecast doctor, and validate on a quieter machine.",
        )
    unsteady = [
        point.label
        for point in validation.points
        if point.measured.steady_share is not None and point.measured.steady_share < _STEADY_SHARE
    ]
    if unsteady:
        yield Warned(
            "not-steady",
            "Most visits were not steady yet when their warm-up ended: "
            f"{listed(unsteady, len(validation.points))}.",
            "Their measured cost may still have been changing.",
        )
    if validation.coverage_percent < _COVERAGE_PERCENT:
        yield Warned(
            "coverage-low",
            f"{validation.coverage_percent:.0f} % of the held-out points lie in their predicted "
            "95 % interval: the intervals are too narrow.",
            "Calibrate on more points, near those that are outside.",
        )
    again = validation.repeatability
    if again is not None and again.interval is not None and not again.covers(1):
        yield Warned(
            "machine-moved",
            "One point measured twice, in the same blocks, gave "
            f"{percent(100 * (again.value - 1))} "
            "the second time, more than its interval allows: so much of the errors is not the "
            "model's.",
            "Make the run again while the machine is quiet.",
        )


def _floor(point: ValidationPoint) -> float:
    return noise_floor_percent(point.measured.cycles_per_packet)


def notes_of(labels: Sequence[str], results: Sequence[Result], which: str = "") -> list[str]:
    """The notes of all results, each once with the results that it is about."""
    about = by_sentence(zip(labels, (result.notes for result in results), strict=True))
    if len(results) == 1 and not which:
        return list(about)
    return [f"{note} ({which}{listed(names, len(results))})" for note, names in about.items()]
