"""Numbers as a reader of the report sees them: digits, interval, unit and kind."""

from __future__ import annotations

from collections.abc import Iterable

from planecast.results import Estimate

ABSENT = "–"
_WIDE = 30.0
"""Highest over lowest value of an axis from which on its scale is logarithmic."""


def digits(number: float) -> str:
    """Four significant digits, thousands apart: ``260.1``, ``10,412``, ``0.02500``."""
    magnitude = abs(number)
    if magnitude >= 1000:
        return f"{number:,.0f}"
    if magnitude >= 1 or magnitude == 0:
        return f"{number:.{1 if magnitude >= 100 else 2 if magnitude >= 10 else 3}f}"
    return f"{number:.4g}"


def percent(number: float) -> str:
    """A signed percentage with one decimal: ``+2.1 %``; a true minus sign."""
    return f"{number:+.1f} %".replace("-", "−")


def interval_text(estimate: Estimate) -> str:
    """``[254.8, 265.2]``, or nothing when no interval is known."""
    if estimate.interval is None:
        return ""
    low, high = estimate.interval
    return f"[{digits(low)}, {digits(high)}]"


def estimate_text(estimate: Estimate) -> str:
    """Everything about an estimate on one line: value, interval, unit, kind."""
    words = [digits(estimate.value), interval_text(estimate), estimate.unit, f"({estimate.kind})"]
    return " ".join(word for word in words if word)


def kinds_text(estimates: Iterable[Estimate | None]) -> str:
    """The kinds of a column's numbers, in order of appearance: ``measured``."""
    found = dict.fromkeys(estimate.kind for estimate in estimates if estimate is not None)
    return " or ".join(found)


def count_text(number: int, noun: str) -> str:
    """``1 point``, ``24 points``."""
    return f"{number:,} {noun}{'' if number == 1 else 's'}"


def is_wide(low: float, high: float) -> bool:
    """Whether an axis from `low` to `high` is read best on a logarithmic scale."""
    return low > 0 and high > _WIDE * low
