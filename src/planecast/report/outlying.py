"""Repetitions of a search that found another rate than the others did.

By the modified z-score of Iglewicz and Hoaglin ("How to Detect and Handle Outliers", 1993): the
distance to the median over 1.4826 times the median distance, outlying above 3.5. A repetition is
no surer than its bounds are apart, so half of their median distance is the least scale, and with
fewer than three repetitions nobody knows which one is the odd one.
"""

from __future__ import annotations

from collections.abc import Sequence
from statistics import median

from planecast.results.search import Bounds

_OUTLYING = 3.5
_NORMAL = 1.4826
"""Standard deviations of a normal distribution in a median distance."""
_LEAST_SCALE = 0.002
"""Of the median rate: bounds can meet in a point."""
_FEWEST = 3


def outlying_repetitions(bounds: Sequence[Bounds]) -> dict[int, float]:
    """The outlying repetitions, from 0, each with its distance to the median in percent."""
    if len(bounds) < _FEWEST:
        return {}
    found = [(one.low_pps + _high(one)) / 2 for one in bounds]
    centre = median(found)
    if centre <= 0:
        return {}
    width = median(_high(one) - one.low_pps for one in bounds)
    spread = _NORMAL * median(abs(value - centre) for value in found)
    scale = max(spread, width / 2, _LEAST_SCALE * centre)
    return {
        one.repetition: 100 * (value / centre - 1)
        for one, value in zip(bounds, found, strict=True)
        if abs(value - centre) > _OUTLYING * scale
    }


def _high(one: Bounds) -> float:
    return one.low_pps if one.high_pps is None else one.high_pps
