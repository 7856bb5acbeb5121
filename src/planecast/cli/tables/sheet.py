"""An answer as columns and rows, before it has a format; numbers as a person reads them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from pydantic import BaseModel

from planecast.results.estimate import Estimate


@dataclass(frozen=True)
class Column:
    """A column of an answer."""

    key: str
    """Its name for machines, unit included: ``cycles_per_packet``."""
    header: str
    """Its header for people."""
    number: bool = False
    """Whether it is set right, as numbers are."""


@dataclass(frozen=True)
class Sheet:
    """An answer: rows for every format, and what only one of them shows."""

    columns: Sequence[Column]
    rows: Sequence[Mapping[str, Any]]
    """Raw values by column key, as csv and parquet hold them."""
    cells: Sequence[Mapping[str, str]] | None = None
    """The same rows as a person reads them; by default the raw values as text."""
    document: BaseModel | Mapping[str, Any] | Sequence[Any] | None = None
    """What ``--format json`` writes; by default the rows."""
    title: str = ""
    lead: Sequence[str] = field(default_factory=tuple)
    """Lines above the table."""
    notes: Sequence[str] = field(default_factory=tuple)
    """Lines under the table."""


def estimate_text(estimate: Estimate | None, scale: float = 1.0) -> str:
    """An estimate as a person reads it: ``260.1 [254.8, 265.2]``; `scale` divides it."""
    if estimate is None:
        return "–"
    value = digits(estimate.value / scale)
    if estimate.interval is None:
        return value
    low, high = (digits(end / scale) for end in estimate.interval)
    return f"{value} [{low}, {high}]"


def digits(number: float) -> str:
    """Four significant digits without an exponent."""
    magnitude = abs(number)
    if magnitude >= 1000:
        return f"{number:,.0f}"
    text = f"{number:.{1 if magnitude >= 100 else 2 if magnitude >= 10 else 3}f}"
    return "0.000" if text == "-0.000" else text
