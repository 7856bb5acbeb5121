"""Two scenarios that took turns, pair by pair: how many times as fast one is as the other.

A pair is one start of the processes, in which both scenarios had their turns. What lasts for a
start, such as where the kernel put the tables' pages, and what the machine did at that time, is in
both halves of a pair or differs again in the next one; so the pairs' ratios are independent, and
their spread has all of it.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from planecast.engines.measure.counted_windows import (
    MIN_WINDOWS,
    Mask,
    canary_pairs,
    steady_rows,
    undisturbed_rows,
)
from planecast.engines.measure.estimate import at_reference
from planecast.engines.measure.reference import Reference
from planecast.results.estimate import Estimate
from planecast.results.student import FEWEST_ROUNDS, half_width
from planecast.results.trials import Columns


def paired_speed(columns: Columns) -> tuple[Estimate, str]:
    """Packets a second of point 0 over those of point 1, with the 95 % interval over the pairs, and
    a note where disturbed windows had to count; empty otherwise.

    The interval is Student's t of the ratios' logarithms; of fewer than FEWEST_ROUNDS pairs there
    is none. Raises ValueError when no start has windows of both.
    """
    good = undisturbed_rows(columns)
    canaries = canary_pairs(columns)[good]
    # Any clock will do that both are stated at: a ratio has none.
    clock = Reference(canary_cycles=float(np.median(canaries))) if canaries.size else None
    stated = at_reference(columns, good, clock)
    chosen, note = _ratios(stated, good & steady_rows(columns)), ""
    if len(chosen) < FEWEST_ROUNDS:
        every = _ratios(columns, np.ones_like(good))
        if len(every) > len(chosen):
            note = (
                f"only {len(chosen)} of {len(every)} pairs were undisturbed, so all windows count"
            )
            chosen = every
    return _estimate(chosen), note


def _ratios(columns: Columns, rows: Mask) -> list[float]:
    """Logarithms of the pairs' ratios, of the starts in which both points have enough windows."""
    restarts = np.asarray(columns["restart"])
    found = []
    for restart in np.unique(restarts):
        rates = [_rate(columns, rows & (restarts == restart), point) for point in (0, 1)]
        if all(rate > 0 for rate in rates):
            found.append(math.log(rates[0] / rates[1]))
    return found


def _rate(columns: Columns, rows: Mask, point: int) -> float:
    """Packets a cycle of a point over its lcores that send, by the median of each; 0 where one of
    them has too few windows."""
    segments, points = np.asarray(columns["segment"]), np.asarray(columns["point"])
    if not (points == point).any():
        return 0.0
    last = segments == segments[points == point].max()
    own = (points == point) & last
    total = 0.0
    for cpu in np.unique(np.asarray(columns["cpu"])[own]):
        mine = rows & own & (np.asarray(columns["cpu"]) == cpu)
        if int(mine.sum()) < MIN_WINDOWS:
            return 0.0
        cycles = np.asarray(columns["cycles"], dtype=np.float64)[mine]
        total += 1 / float(np.median(cycles / np.asarray(columns["packets"])[mine]))
    return total


def _estimate(logs: Sequence[float]) -> Estimate:
    if not logs:
        raise ValueError("no start has windows of both")
    middle = float(np.mean(logs))
    half = half_width(logs) if len(logs) >= FEWEST_ROUNDS else None
    return Estimate(
        value=math.exp(middle),
        low=None if half is None else math.exp(middle - half),
        high=None if half is None else math.exp(middle + half),
        samples=len(logs),
        unit="ratio",
        kind="measured",
    )
