"""Sums and differences of estimates: of independent ones, and of such that err alike."""

from __future__ import annotations

import math
from collections.abc import Iterable

from planecast.results.estimate import Estimate, Kind


def total(estimates: Iterable[Estimate | None]) -> Estimate | None:
    """The sum; None when there is nothing to add. Its kind is theirs where they agree."""
    parts = [estimate for estimate in estimates if estimate is not None]
    if not parts:
        return None
    kinds: set[Kind] = {part.kind for part in parts}
    return _combined([(part, 1) for part in parts], kinds.pop() if len(kinds) == 1 else "computed")


def together(estimates: Iterable[Estimate]) -> Estimate | None:
    """The sum of what errs alike, computed: the ends of the intervals add. None of nothing."""
    parts = list(estimates)
    if not parts:
        return None
    ends = [part.interval or (part.value, part.value) for part in parts]
    return Estimate(
        value=sum(part.value for part in parts),
        low=sum(low for low, _ in ends),
        high=sum(high for _, high in ends),
        unit=parts[0].unit,
        kind="computed",
    )


def difference(left: Estimate, right: Estimate) -> Estimate:
    """Left less right, computed."""
    return _combined([(left, 1), (right, -1)], "computed")


def _combined(parts: list[tuple[Estimate, int]], kind: Kind) -> Estimate:
    value = sum(sign * part.value for part, sign in parts)
    low = high = None
    if any(part.interval for part, _ in parts):  # what has none (a count) is exact
        ends = [(part.value, *(part.interval or (part.value,) * 2), sign) for part, sign in parts]
        down = [v - lo if sign > 0 else hi - v for v, lo, hi, sign in ends]
        up = [hi - v if sign > 0 else v - lo for v, lo, hi, sign in ends]
        low, high = value - math.hypot(*down), value + math.hypot(*up)
    samples = min(part.samples for part, _ in parts)
    return Estimate(
        value=value, low=low, high=high, samples=samples, unit=parts[0][0].unit, kind=kind
    )
