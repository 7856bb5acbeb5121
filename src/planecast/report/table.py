"""Tables of the page: headings with units, cells with a number and its interval."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from operator import attrgetter
from typing import Any, Self

from planecast.report.numbers import ABSENT, count_text, digits, interval_text
from planecast.results import Estimate

_HEAD_PX, _ROW_PX = 110, 27


@dataclass(frozen=True)
class Heading:
    """The head of a column."""

    text: str
    """What the column holds."""
    detail: str = ""
    """Unit and kind, under it: ``cycles/packet, measured``."""
    number: bool = False
    """Whether the column is set right, as numbers are."""
    of: str | Callable[[Any], Any] = ""
    """What is in it of what a row is about, or the attribute that has it; by default the attribute
    of its name."""

    def cell(self, item: Any) -> Cell:
        """Its cell in a row: an estimate with its interval, a count whole, a number in four
        digits."""
        value = self.of(item) if callable(self.of) else attrgetter(self.of or self.text)(item)
        if isinstance(value, Cell):
            return value
        if value is None or isinstance(value, Estimate):
            return estimate_cell(value)
        if isinstance(value, int):
            return Cell(f"{value:,}")
        return number_cell(value) if isinstance(value, float) else Cell(str(value))


@dataclass(frozen=True)
class Cell:
    """One cell."""

    text: str
    """What a reader looks for."""
    detail: str = ""
    """Its interval or unit, in lighter type."""
    tone: str = ""
    """``good``, ``bad`` or nothing: a colour on top of what the words say already."""
    value: float | None = None
    """The number in all its digits, for sorting and for the CSV; None: what the text says."""
    interval: tuple[float, float] | None = None
    """Both ends of its 95 % interval, columns of their own in the CSV."""
    href: str = ""
    """Where the text leads; empty for nowhere."""


@dataclass(frozen=True)
class Table:
    """A table with its place in the page."""

    anchor: str
    """Its id in the page."""
    title: str
    caption: str
    headings: Sequence[Heading]
    rows: Sequence[Sequence[Cell]] = field(default_factory=tuple)
    detail: bool = False
    """Whether it only backs up what another section shows: behind a fold however short it is."""

    @classmethod
    def of(
        cls,
        anchor: str,
        title: str,
        caption: str,
        headings: Sequence[Heading],
        items: Iterable[Any],
        *,
        detail: bool = False,
    ) -> Self:
        """A row for each of `items`, of which every heading says what is in its column."""
        rows = [[one.cell(item) for one in headings] for item in items]
        return cls(anchor, title, caption, headings, rows, detail)

    @property
    def height_px(self) -> int:
        """About how high it is on a wide screen."""
        return _HEAD_PX + _ROW_PX * len(self.rows)

    @property
    def size(self) -> str:
        """What is shown next to its title when it is folded: ``30 rows``."""
        return count_text(len(self.rows), "row")


def estimate_cell(estimate: Estimate | None, *, kind: bool = False) -> Cell:
    """Value and interval; with `kind`, also what kind it is, for a column that mixes them."""
    if estimate is None:
        return Cell(ABSENT)
    detail = interval_text(estimate)
    return Cell(
        digits(estimate.value),
        f"{detail} {estimate.kind}".strip() if kind else detail,
        value=estimate.value,
        interval=estimate.interval,
    )


def number_cell(number: float | None, detail: str = "") -> Cell:
    """A number of four digits; all of them are in the CSV."""
    return Cell(ABSENT) if number is None else Cell(digits(number), detail, value=number)


def samples_cell(samples: int) -> Cell:
    """How many observations a number rests on; what was computed rests on none."""
    return Cell(f"{samples:,}" if samples else ABSENT)


def share_cell(share: float | None) -> Cell:
    """A share of one as a percentage."""
    return Cell(ABSENT if share is None else f"{100 * share:.0f} %")
