"""Scores of predictions: error, coverage, width, and what a perfect model would show.

- Noise floor of a point: the mean error that a perfect model would show there, whose truth is
  measured with a standard deviation s: s · sqrt(2/π), for a normal error.
- A point is inside when measured and predicted differ by no more than the 95 % interval of their
  difference: the prediction is of what the machine does, and the measurement has an error, too.
- The interval score (Gneiting, Raftery 2007) adds an interval's width and 2/α times the distance by
which the
  value lies outside: narrow intervals win, unless they miss.
- The no-skill baseline predicts every held-out point by the calibration points' geometric mean.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from planecast.results.estimate import Estimate

NORMAL_95 = 1.959964
ALPHA = 0.05


@dataclass(frozen=True)
class Scores:
    """Over held-out points, in percent."""

    mean_error: float
    max_error: float
    coverage: float
    half_width: float
    """Mean half-width of the predicted intervals."""
    noise_floor: float
    """Mean over the points."""
    interval_score: float
    """Mean, relative to the measured values."""
    baseline_error: float
    """Mean error of the no-skill baseline."""


def relative_deviation(estimate: Estimate) -> float:
    """Standard deviation of an estimate's logarithm, from its 95 % interval; 0 without one."""
    if estimate.low is None or estimate.high is None or estimate.low <= 0:
        return 0.0
    return math.log(estimate.high / estimate.low) / 2 / NORMAL_95


def noise_floor_percent(measured: Estimate) -> float:
    """The mean error that a perfect model would show at a point."""
    return 100 * relative_deviation(measured) * math.sqrt(2 / math.pi)


def is_inside(measured: Estimate, predicted: Estimate) -> bool:
    """Whether the two differ by no more than the 95 % interval of their difference."""
    apart = abs(math.log(measured.value / predicted.value))
    both = math.hypot(relative_deviation(measured), relative_deviation(predicted))
    return apart <= NORMAL_95 * both


def scores(held: Sequence[tuple[Estimate, Estimate]], calibrated: Sequence[Estimate]) -> Scores:
    """Scores of (measured, predicted) pairs; `calibrated` are the calibration points as measured.

    Raises ValueError without pairs.
    """
    if not held:
        raise ValueError("no point is held out")
    count = len(held)
    errors = [abs(p.value / m.value - 1) for m, p in held]
    centre = math.exp(sum(math.log(one.value) for one in calibrated) / max(1, len(calibrated)))
    return Scores(
        mean_error=100 * sum(errors) / count,
        max_error=100 * max(errors),
        coverage=100 * sum(is_inside(m, p) for m, p in held) / count,
        half_width=sum(p.half_width_percent or 0.0 for _, p in held) / count,
        noise_floor=sum(noise_floor_percent(m) for m, _ in held) / count,
        interval_score=100 * sum(_interval_score(m, p) for m, p in held) / count,
        baseline_error=100 * sum(abs(centre / m.value - 1) for m, _ in held) / count,
    )


def _interval_score(measured: Estimate, predicted: Estimate) -> float:
    low, high = predicted.interval or (predicted.value, predicted.value)
    outside = max(0.0, low - measured.value, measured.value - high)
    return (high - low + 2 / ALPHA * outside) / measured.value
