"""What one neighbour costs: measured over an idle one's, with and without a plan, and predicted."""

from __future__ import annotations

import math
from dataclasses import dataclass

from planecast.results.estimate import Estimate, ratio
from planecast.results.result import Result

QUIET = "idle"
"""Label of the neighbour that does nothing."""

Pair = tuple[Result, Result | None]
"""Measured and predicted."""


@dataclass(frozen=True)
class WithPlan:
    """What one neighbour costs with the plan applied."""

    measured: Result | None
    """None where the plan can't be applied here."""
    speedup: Estimate | None
    """Measured cycles a packet without the plan over those with it."""
    predicted_speedup: float | None
    """None without a calibration."""


@dataclass(frozen=True)
class Cost:
    """What one neighbour costs."""

    label: str
    measured: Result
    predicted: Result | None
    """On top of the idle one's measurement; the idle one's own is the model's as it stands. None
    without a calibration."""
    slowdown: Estimate | None
    """Measured cycles a packet over those next to an idle neighbour."""
    predicted_slowdown: float | None
    lines_per_s: float
    """What the neighbour was measured to touch; of an idle one 0."""
    divided: WithPlan | None = None
    """None without a plan."""


def cost_of(label: str, pair: Pair, idle: Pair, lines_per_s: float) -> Cost:
    """What the neighbour of this label costs beyond the idle one, measured and predicted."""
    measured, predicted = pair
    quiet, predicted_quiet = idle
    expected = None
    if predicted is not None and predicted_quiet is not None:
        expected = predicted.cycles_per_packet.value / predicted_quiet.cycles_per_packet.value
        if label != QUIET:
            predicted = _anchored(predicted, quiet, predicted_quiet)
    slowdown = ratio(measured.cycles_per_packet, quiet.cycles_per_packet)
    return Cost(
        label, measured, predicted, None if label == QUIET else slowdown, expected, lines_per_s
    )


def with_plan(without: Pair, apart: tuple[Result | None, Result | None]) -> WithPlan:
    """What a plan gains next to one neighbour: `apart` is measured and predicted with it."""
    measured, predicted = apart
    expected = None
    if predicted is not None and without[1] is not None:
        expected = without[1].cycles_per_packet.value / predicted.cycles_per_packet.value
    speedup = None
    if measured is not None:
        speedup = ratio(without[0].cycles_per_packet, measured.cycles_per_packet)
    return WithPlan(measured, speedup, expected)


def of_both(first: Result, again: Result) -> Result:
    """The idle neighbour's two figures as one: everything is compared with it, so its own chance
    would be in every error."""
    one, two = first.cycles_per_packet, again.cycles_per_packet
    value = math.sqrt(one.value * two.value)
    ends = [
        math.sqrt(a * b) if a is not None and b is not None else None
        for a, b in ((one.low, two.low), (one.high, two.high))
    ]
    both = one.model_copy(
        update={
            "value": value,
            "low": ends[0],
            "high": ends[1],
            "samples": one.samples + two.samples,
        }
    )
    return first.model_copy(update={"cycles_per_packet": both})


def _anchored(predicted: Result, quiet: Result, predicted_quiet: Result) -> Result:
    """What the model says of the neighbour, on top of what was measured next to an idle one.

    The question is what the neighbour costs. How well the model knows this machine without one is
    another, which the idle point's own error answers.
    """
    factor = quiet.cycles_per_packet.value / predicted_quiet.cycles_per_packet.value
    cost, rate = predicted.cycles_per_packet, predicted.throughput_pps
    note = f"stated on top of the idle neighbour's measurement: the model's times {factor:.3f}"
    return predicted.model_copy(
        update={
            "cycles_per_packet": cost.scaled(factor, cost.unit),
            "throughput_pps": rate.scaled(1 / factor, rate.unit),
            "notes": (*predicted.notes, note),
        }
    )
