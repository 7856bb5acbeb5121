"""An answer as columns and rows, before it has a format; numbers as a person reads them.

A row holds values: estimates, numbers, text. Its columns say how each is read by people, and what
machines get of it: an estimate's value, and the ends of its interval.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from operator import attrgetter
from typing import Any, NamedTuple, Self

from pydantic import BaseModel

from planecast.results.estimate import Estimate

Document = BaseModel | Mapping[str, Any] | Sequence[Any] | None


class Worded(NamedTuple):
    """A value that people read in other words than its column's."""

    value: Any
    text: str


class Column(NamedTuple):
    """A column of an answer."""

    key: str
    """Its name for machines, unit included: ``cycles_per_packet``."""
    header: str | None = None
    """Its header for people; None: for machines alone."""
    number: bool = False
    """Whether it is set right, as numbers are."""
    form: str | Callable[[Any], str] = ""
    """How a number is written, such as ``{:.1f} %``; else four digits."""
    scale: float = 1.0
    """Divides what people read."""
    absent: str = ""
    """What people read where there is no value."""
    ends: tuple[str, str] | None = None
    """Columns for machines behind it: the ends of an estimate's interval."""
    of: str | Callable[[Any], Any] = ""
    """Its value in what a row is about, or the attribute that has it (``sizes.first``); by default
    the attribute of its name."""
    people_only: bool = False
    """Whether machines get it from other columns."""

    def read(self, item: Any) -> Any:
        """Its value in what a row is about."""
        return self.of(item) if callable(self.of) else attrgetter(self.of or self.key)(item)

    def text(self, value: Any) -> str:
        """A value as a person reads it."""
        if value is None:
            return self.absent
        if isinstance(value, Worded):
            return value.text
        if callable(self.form):
            return self.form(value)
        if isinstance(value, Estimate):
            return estimate_text(value, self.scale)
        return self._plain(value)

    def _plain(self, value: Any) -> str:
        if isinstance(value, bool):
            return "yes" if value else "no"
        if not isinstance(value, int | float):
            return str(value)
        scaled = value if self.scale == 1 else value / self.scale
        if self.form:
            return str(self.form).format(scaled)
        return digits(scaled) if isinstance(scaled, float) else str(scaled)

    def raw(self, value: Any) -> Iterator[tuple[str, Any]]:
        """Its keys for machines, with what they get of a value."""
        if self.people_only:
            return
        plain = value.value if isinstance(value, Worded) else value
        known = plain if isinstance(plain, Estimate) else None
        yield self.key, plain if known is None else known.value
        if self.ends is not None:
            yield self.ends[0], known and known.low
            yield self.ends[1], known and known.high


@dataclass(frozen=True)
class Sheet:
    """An answer: rows for every format, and what only one of them shows."""

    columns: Sequence[Column]
    values: Sequence[Mapping[str, Any]]
    """A value for each column's key; machines that read JSON get other keys, too."""
    document: Document = None
    """What ``--format json`` writes; by default the rows."""
    title: str = ""
    lead: Sequence[str] = ()
    """Lines above the table."""
    notes: Sequence[str] = ()
    """Lines under the table."""

    @classmethod
    def of(
        cls, columns: Sequence[Column], items: Iterable[Any], document: Document = None, **more: Any
    ) -> Self:
        """A row for each of `items`, which the columns read."""
        rows = [{column.key: column.read(item) for column in columns} for item in items]
        return cls(columns, rows, document, **more)

    @cached_property
    def rows(self) -> list[dict[str, Any]]:
        """What machines get, by key."""
        known = {column.key: column for column in self.columns}
        return [
            {
                name: plain
                for key, value in row.items()
                for name, plain in known.get(key, Column(key)).raw(value)
            }
            for row in self.values
        ]

    @property
    def keys(self) -> list[str]:
        """The columns that machines get."""
        return [key for column in self.columns for key, _ in column.raw(None)]

    @property
    def shown(self) -> list[Column]:
        """The columns that people get."""
        return [column for column in self.columns if column.header is not None]


def percent(form: str = "{:.1f} %") -> Callable[[float], str]:
    """A form for shares of 1."""
    return lambda share: form.format(100 * share)


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
