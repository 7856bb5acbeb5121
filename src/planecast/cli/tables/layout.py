"""A table as text that fits a width: what takes room is folded step by step until it does.

Columns without an entry are dropped. Then headers fold at their words, intervals go under their
values, text folds at its words; columns that still don't fit follow as another part of the table,
behind what names a row. Numbers are never broken.
"""

from __future__ import annotations

import re
import textwrap
from collections.abc import Iterator, Sequence
from itertools import accumulate
from typing import NamedTuple

_GAP = "  "
_LEAST_TEXT = 12
"""Characters that a text column keeps, unless a word of it is longer."""
_USUAL_TEXT = 24
"""Characters that a text column has in a part, unless it is narrower."""
_WORTH_PARTS = 1.1
"""A table that fits is still set in parts when it has so many times their lines."""
_NAMING_SHARE = 0.6
"""Of the width, what columns that name a row may take in each part."""
_LONG_UNIT = re.compile(r"(\S{3,})/(\S{3,})")
_EMPTY = ("", "–")


class TextColumn(NamedTuple):
    """A column: its header, its cells, how they are set."""

    header: str
    cells: Sequence[str]
    number: bool
    """Set right, and not folded but before an interval."""


class _Folded(NamedTuple):
    """A column in lines."""

    header: list[str]
    cells: list[list[str]]
    number: bool

    @property
    def width(self) -> int:
        return max((len(line) for cell in (self.header, *self.cells) for line in cell), default=0)


def table_lines(columns: Sequence[TextColumn], width: int | None) -> list[str]:
    """The table's lines, none longer than `width` where its words allow it; None: as wide as it
    is."""
    filled = [one for one in columns if any(cell not in _EMPTY for cell in one.cells)]
    shown = filled or list(columns)
    if width is None:
        return list(_lines([_folded(one) for one in shown]))
    whole = _fitted(shown, width)
    together = list(_lines(whole))
    folded, open_ = (_apart(shown, width, intervals=folded) for folded in (True, False))
    apart = min(folded, open_, key=len)
    fits = _width(whole) <= width
    return together if fits and len(together) <= _WORTH_PARTS * len(apart) else apart


def _apart(columns: Sequence[TextColumn], width: int, *, intervals: bool) -> list[str]:
    """The lines of the table in parts, for as many columns in each as fit with `intervals` folded
    or not."""
    lines: list[str] = []
    for number, part in enumerate(_parts(columns, width, intervals=intervals)):
        lines += [*([""] if number else []), *_lines(_fitted(part, width))]
    return lines


def _fitted(columns: Sequence[TextColumn], width: int) -> list[_Folded]:
    """The columns, folded no further than it takes."""
    folded: list[_Folded] = []
    for header, intervals in ((False, False), (True, False), (True, True)):
        folded = [_folded(one, header=header, intervals=intervals) for one in columns]
        if _width(folded) <= width:
            return folded
    return _with_narrow_text(columns, folded, width)


def _folded(one: TextColumn, *, header: bool = False, intervals: bool = False) -> _Folded:
    head = _words(one.header) if header else [one.header]
    return _Folded(head, [_value(cell) if intervals else [cell] for cell in one.cells], one.number)


def _words(header: str) -> list[str]:
    """A header's words, a line each; a long unit such as ``cycles/packet`` is two."""
    return _LONG_UNIT.sub(r"\1/ \2", header).split() or [""]


def _value(cell: str) -> list[str]:
    """``12.3 [11.9, 12.8] %`` in two lines, the interval under the value."""
    value, bracket, rest = cell.partition(" [")
    return [value, f"[{rest}"] if bracket else [cell]


def _with_narrow_text(
    columns: Sequence[TextColumn], folded: list[_Folded], width: int
) -> list[_Folded]:
    """The columns with text folded, the widest first, until they fit or no text can give more."""
    folded = list(folded)
    while (over := _width(folded) - width) > 0:
        room = {
            at: folded[at].width - _least(columns[at])
            for at in range(len(columns))
            if not columns[at].number
        }
        at = max(room, key=lambda one: room[one], default=-1)
        if at < 0 or room[at] <= 0:
            break
        narrow = folded[at].width - min(over, room[at])
        cells = [textwrap.wrap(cell, narrow) or [""] for cell in columns[at].cells]
        folded[at] = _Folded(folded[at].header, cells, number=False)
    return folded


def _least(column: TextColumn) -> int:
    words = [word for cell in (*column.cells, *_words(column.header)) for word in cell.split()]
    return max((_LEAST_TEXT, *map(len, words)))


def _width(columns: Sequence[_Folded]) -> int:
    return sum(one.width for one in columns) + len(_GAP) * (len(columns) - 1) + 1


def _parts(
    columns: Sequence[TextColumn], width: int, *, intervals: bool
) -> Iterator[list[TextColumn]]:
    """Columns in parts that fit, those that name a row in each; of the later parts only the rows
    that have something in them."""
    names = list(columns[: _naming(columns, width)])
    part, later = list(names), False
    for one in columns[len(names) :]:
        least = [_usual_width(each, intervals) + len(_GAP) for each in (*part, one)]
        if len(part) > len(names) and sum(least) - 1 > width:
            yield _rows_with_entries(part, len(names)) if later else part
            part, later = list(names), True
        part.append(one)
    yield _rows_with_entries(part, len(names)) if later else part


def _naming(columns: Sequence[TextColumn], width: int) -> int:
    """How many columns at the front distinguish all rows; 1 where none do, or they are too wide. An
    empty cell of the first column stands for the one above."""
    taken = 0
    seen: list[Sequence[str]] = []
    for count, one in enumerate(columns, 1):
        taken += _folded(one).width
        if one.number or taken > _NAMING_SHARE * width:
            break
        seen.append(_filled(one.cells) if count == 1 else one.cells)
        if len(set(zip(*seen, strict=True))) == len(one.cells):
            return count
    return 1


def _filled(cells: Sequence[str]) -> list[str]:
    """Cells with what stands above them where they are empty."""

    def next_cell(above: str, cell: str) -> str:
        return cell or above

    return list(accumulate(cells, next_cell))


def _rows_with_entries(part: Sequence[TextColumn], names: int) -> list[TextColumn]:
    rows = [
        at
        for at in range(len(part[0].cells))
        if any(one.cells[at] not in _EMPTY for one in part[names:])
    ]
    return [TextColumn(one.header, [one.cells[at] for at in rows], one.number) for one in part]


def _usual_width(column: TextColumn, intervals: bool) -> int:
    found = _folded(column, header=True, intervals=intervals).width
    return found if column.number else min(found, max(_USUAL_TEXT, _least(column)))


def _lines(columns: Sequence[_Folded]) -> Iterator[str]:
    if not columns:
        return
    tallest = max(len(one.header) for one in columns)
    head = [[""] * (tallest - len(one.header)) + one.header for one in columns]
    yield from _row(columns, head)
    yield " " + "─" * (_width(columns) - 1)
    for at in range(len(columns[0].cells)):
        yield from _row(columns, [one.cells[at] for one in columns])


def _row(columns: Sequence[_Folded], cells: Sequence[list[str]]) -> Iterator[str]:
    for at in range(max(len(cell) for cell in cells)):
        texts = []
        for one, cell in zip(columns, cells, strict=True):
            text = cell[at] if at < len(cell) else ""
            texts.append(text.rjust(one.width) if one.number else text.ljust(one.width))
        yield (" " + _GAP.join(texts)).rstrip()
