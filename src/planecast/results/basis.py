"""Basis: the calibration that an answer rests on, and how reliable it is.

Every verb that answers by the model keeps it in the manifest of its answer and prints it in one
line, which distinguishes answers of different calibrations.
"""

from __future__ import annotations

from collections.abc import Iterable
from datetime import UTC, datetime
from statistics import median
from typing import Literal

from planecast.results.estimate import Estimate
from planecast.scenario.model import Noun

WIDE_PERCENT = 10.0
"""Median half-width of the intervals above which a reader is warned."""

Choice = Literal[
    "named", "own", "latest of this host", "latest, of another host", "for its machine alone"
]


class Basis(Noun):
    """A calibration, as an answer names it."""

    run: str
    """The run that made it, by its folder's name."""
    digest: str
    """The first digits of the SHA-256 of its file."""
    made_at: str
    """When it was begun: UTC, ISO 8601, to the second."""
    cpu: str
    """The CPU that it is of; empty where it is unknown."""
    this_host: bool
    """Whether it is of the machine that answered."""
    choice: Choice
    """Why this one: named by a person, the explained run's own, the latest, or, of another network
    function, for the caches and the memory that it knows."""
    held_out: int | None = None
    """Points that its validation predicted before it measured them; None without a validation."""
    mean_error_percent: float | None = None
    """Mean absolute error of these."""
    coverage_percent: float | None = None
    """Share of these whose measured value lies in the predicted 95 % interval."""
    noise_floor_percent: float | None = None
    """How much the machine's own noise puts two measurements of one point apart, where the
    validation states it."""

    def of_machine(self) -> Basis:
        """The same for an answer about another network function, of which its validation says
        nothing."""
        unknown = dict.fromkeys(
            ("held_out", "mean_error_percent", "coverage_percent", "noise_floor_percent")
        )
        return self.model_copy(update={"choice": "for its machine alone", **unknown})

    def sentence(self, now: datetime | None = None) -> str:
        """The calibration in one line: run, why this one, age, host, validation."""
        age = age_text(self.made_at, now or datetime.now(UTC))
        of = f"of {self.cpu}" if self.cpu else "of an unknown CPU"
        if self.this_host:
            of += ", this host"
        return f"calibration: {self.run} ({self.choice}), {age}, {of}; {self._validation()}"

    @property
    def facts(self) -> list[tuple[str, str]]:
        """For a report: name and value."""
        host = f"{self.cpu or 'unknown'}{' (the same host)' if self.this_host else ''}"
        return [
            ("run", f"{self.run} ({self.choice})"),
            ("begun", self.made_at),
            ("host", host),
            ("validation", self._validation()),
        ]

    def _validation(self) -> str:
        if self.choice == "for its machine alone":
            return "it is of another network function"
        if self.mean_error_percent is None:
            return "not validated"
        covered = "" if self.coverage_percent is None else f", {self.coverage_percent:.0f} % inside"
        points = f"{self.held_out} held-out points"
        return f"validated: mean error {self.mean_error_percent:.1f} % of {points}{covered}"

    def warnings(self, answers: Iterable[Estimate] = ()) -> list[str]:
        """What speaks against trusting `answers`, as sentences; empty when nothing does."""
        found = []
        widths = [width for one in answers if (width := one.half_width_percent) is not None]
        if widths and median(widths) > WIDE_PERCENT:
            found.append(
                f"the calibration leaves the answers uncertain: ±{median(widths):.0f} % in the "
                "median; calibrate on a quieter machine (planecast doctor), or on the one that is "
                "asked about"
            )
        error, floor = self.mean_error_percent, self.noise_floor_percent
        if error is not None and floor is not None and error > floor:
            found.append(
                f"the calibration's validation missed by {error:.1f} %, more than the machine's "
                f"noise of {floor:.1f} %: the model lacks something here"
            )
        return found


def age_text(made_at: str, now: datetime) -> str:
    """How long ago a moment was, as a person says it: ``3 hours old``."""
    try:
        made = datetime.fromisoformat(made_at.replace("Z", "+00:00"))
    except ValueError:
        return "of unknown age"
    if made.tzinfo is None:
        made = made.replace(tzinfo=UTC)
    minutes = max(0.0, (now - made).total_seconds() / 60)
    for unit, size, most in (("minute", 1, 120), ("hour", 60, 48 * 60)):
        if minutes < most:
            count = round(minutes / size)
            return f"{count} {unit}{'' if count == 1 else 's'} old"
    return f"{minutes / 1440:.0f} days old"
