"""From a latency curve to cache levels: pure functions of working-set sizes and latencies.

A random chase through a working set costs the latency of the level that holds it: a staircase over
the logarithm of the size. A level's latency is its step's height well inside the step, its size is
where the curve is half-way up to the next step. Private caches are as large as the kernel says,
which shows where their steps are. A shared one is not: of it a tenant gets what the others leave,
so its step is looked for just above the last private cache and its size is read off the curve
alone.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from numpy.typing import ArrayLike, NDArray

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Claim:
    """What the kernel says about a cache."""

    name: str
    """L1, L2, LLC."""
    size_bytes: int
    """Its size in bytes, if nobody else used it."""
    ways: int | None
    """Ways of associativity; None when not reported."""


@dataclass(frozen=True)
class Step:
    """One level as the curve shows it."""

    latency: float
    """Latency of a hit, in the curve's unit."""
    size_bytes: float
    """Working set at which the latency is half-way to the next level's."""


def monotone(values: ArrayLike) -> Floats:
    """The never falling sequence nearest to `values` in squares (isotonic regression)."""
    from scipy.optimize import isotonic_regression  # takes longer to load than a prediction

    fitted: Floats = isotonic_regression(np.asarray(values, dtype=np.float64)).x
    return fitted


def interpolate(sizes: ArrayLike, latencies: ArrayLike, size_bytes: float) -> float:
    """The curve at one size, linear in the logarithm of the size; flat beyond its ends."""
    return float(np.interp(np.log(size_bytes), np.log(np.asarray(sizes)), np.asarray(latencies)))


def crossing(sizes: ArrayLike, latencies: ArrayLike, height: float) -> float:
    """The size at which a never falling curve first reaches `height`.

    The first size when it is above everywhere, the last one when it never gets there.
    """
    x = np.log(np.asarray(sizes, dtype=np.float64))
    y = np.asarray(latencies, dtype=np.float64)
    above = np.flatnonzero(y >= height)
    if above.size == 0:
        return float(np.exp(x[-1]))
    i = int(above[0])
    if i == 0 or y[i] == y[i - 1]:
        return float(np.exp(x[i]))
    share = (height - y[i - 1]) / (y[i] - y[i - 1])
    return float(np.exp(x[i - 1] + share * (x[i] - x[i - 1])))


def windows(claims: list[Claim]) -> list[tuple[float, float]]:
    """For each cache the sizes, in bytes, of working sets that it alone decides about.

    From a quarter above the level before, up to half its own size; for the last one, which is
    shared, from 1.5 to 4 times the size of the level before, whatever it claims for itself.
    """
    found: list[tuple[float, float]] = []
    below = 0
    for i, claim in enumerate(claims):
        last = i == len(claims) - 1 and i > 0
        bounds = (1.5 * below, 4.0 * below) if last else (1.25 * below, 0.5 * claim.size_bytes)
        found.append(bounds)
        below = claim.size_bytes
    return found


def plateau(sizes: ArrayLike, latencies: ArrayLike, low: float, high: float) -> float:
    """The curve's median height between two sizes; at their geometric middle if no point is
    there."""
    x = np.asarray(sizes, dtype=np.float64)
    y = np.asarray(latencies, dtype=np.float64)
    inside = (x >= low) & (x <= high)
    if inside.any():
        return float(np.median(y[inside]))
    return interpolate(x, y, float(np.sqrt(max(low, float(x[0])) * high)))


def memory_latency(sizes: ArrayLike, latencies: ArrayLike) -> float:
    """The height of the last step, in the curve's unit: the median over the largest octave."""
    largest = float(np.max(np.asarray(sizes, dtype=np.float64)))
    return plateau(sizes, latencies, largest / 2, largest)


def find_steps(sizes: ArrayLike, latencies: ArrayLike, claims: list[Claim]) -> list[Step]:
    """The levels that a curve shows, one for each claim, from the nearest to the furthest.

    `sizes` rise; `latencies` may be noisy and are made monotone first. Raises ValueError for fewer
    than four points, sizes that don't rise, and no claims.
    """
    x = np.asarray(sizes, dtype=np.float64)
    if x.size < 4 or x.shape != np.asarray(latencies).shape or bool(np.any(np.diff(x) <= 0)):
        raise ValueError("a curve needs four points or more, with rising sizes")
    if not claims:
        raise ValueError("a curve is read with the sizes that the caches claim; there are none")
    y = monotone(latencies)
    heights = [plateau(x, y, low, high) for low, high in windows(claims)]
    heights.append(memory_latency(x, y))
    heights = list(np.maximum.accumulate(heights))
    return [
        Step(latency=float(here), size_bytes=crossing(x, y, (here + above) / 2))
        for here, above in pairwise(heights)
    ]
