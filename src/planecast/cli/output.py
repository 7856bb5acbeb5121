"""Answers on their way out: a table for people, csv, json and parquet for machines.

The answer alone goes to stdout; whatever else is to be said goes to stderr. Colour is never needed
to read it, and there is none with NO_COLOR set or when stdout is no terminal (rich sees to both).
"""

from __future__ import annotations

import csv
import io
import json
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from pydantic import BaseModel

from planecast.cli.options import Format
from planecast.errors import InputError
from planecast.results.atomic import write_text
from planecast.results.estimate import Estimate

_SUFFIXES: dict[str, Format] = {".csv": "csv", ".json": "json", ".parquet": "parquet"}
_PIPE_COLUMNS = 200  # a table that goes into a file or a pipe is not folded at 80


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


def chosen_format(form: Format | None, output: Path | None) -> Format:
    """The format that was asked for; else the one that the file's name ends in; else a table."""
    return form or (_SUFFIXES.get(output.suffix.lower(), "table") if output else "table")


def page_path(form: Format | None, output: Path | None) -> Path | None:
    """Where a page is to be written, of a verb that makes one; None when another format is asked
    for."""
    return output if output is not None and form is None and is_page(output) else None


def is_page(path: Path) -> bool:
    """Whether a file's name is a page's."""
    return path.suffix.lower() in (".html", ".htm")


def write_page(path: Path, html: str) -> None:
    """Write a page, and say where it is. Raises RunError for a full disk."""
    write_text(path, html)
    sys.stdout.write(f"{path}\n")


def emit(sheet: Sheet, form: Format | None = None, output: Path | None = None) -> None:
    """Write the answer to stdout, or whole to the file `output`.

    Raises InputError for parquet without a file, RunError for what the disk refuses.
    """
    chosen = chosen_format(form, output)
    if chosen == "parquet":
        _emit_parquet(sheet, output)
        return
    if chosen == "table" and output is None and sys.stdout.isatty():
        _print_table(sheet)
        return
    write_out({"table": _table_text, "csv": _csv_text, "json": _json_text}[chosen](sheet), output)


def write_out(text: str, output: Path | None) -> None:
    """Write an answer to stdout, or to the file `output`. Raises RunError as `replacing` does."""
    if output is None:
        sys.stdout.write(text)
        sys.stdout.flush()
    else:
        write_text(output, text)


def estimate_text(estimate: Estimate | None, scale: float = 1.0) -> str:
    """An estimate as a person reads it: ``260.1 [254.8, 265.2]``; `scale` divides it."""
    if estimate is None:
        return "–"
    value = _digits(estimate.value / scale)
    if estimate.interval is None:
        return value
    low, high = (_digits(end / scale) for end in estimate.interval)
    return f"{value} [{low}, {high}]"


def _digits(number: float) -> str:
    """Four significant digits without an exponent."""
    magnitude = abs(number)
    if magnitude >= 1000:
        return f"{number:,.0f}"
    text = f"{number:.{1 if magnitude >= 100 else 2 if magnitude >= 10 else 3}f}"
    return "0.000" if text == "-0.000" else text


def _texts(sheet: Sheet) -> list[list[str]]:
    if sheet.cells is not None:
        return [[row.get(column.key, "") for column in sheet.columns] for row in sheet.cells]
    return [[_plain(row.get(column.key)) for column in sheet.columns] for row in sheet.rows]


def _plain(value: Any) -> str:
    if value is None:
        return ""
    if isinstance(value, bool):
        return "yes" if value else "no"
    return _digits(value) if isinstance(value, float) else str(value)


def _print_table(sheet: Sheet) -> None:
    from rich.console import Console

    _draw(Console(highlight=False), sheet)


def _table_text(sheet: Sheet) -> str:
    from rich.console import Console

    text = io.StringIO()
    _draw(Console(file=text, width=_PIPE_COLUMNS, highlight=False, no_color=True), sheet)
    # rich pads every line to the table's width, which is noise in a file
    return "".join(f"{line.rstrip()}\n" for line in text.getvalue().splitlines())


def _draw(console: Any, sheet: Sheet) -> None:
    from rich import box
    from rich.table import Table
    from rich.text import Text

    table = Table(
        box=box.SIMPLE_HEAD, title=sheet.title or None, title_justify="left", pad_edge=False
    )
    for column in sheet.columns:
        table.add_column(
            column.header, justify="right" if column.number else "left", overflow="fold"
        )
    for row in _texts(sheet):
        table.add_row(*(Text(cell) for cell in row))
    for line in sheet.lead:
        console.print(Text(line), soft_wrap=True)
    console.print(table)
    for note in sheet.notes:
        console.print(Text(note), soft_wrap=True)


def _csv_text(sheet: Sheet) -> str:
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow([column.key for column in sheet.columns])
    for row in sheet.rows:
        writer.writerow([row.get(column.key) for column in sheet.columns])
    return text.getvalue()


def _json_text(sheet: Sheet) -> str:
    document = sheet.document
    if isinstance(document, BaseModel):
        return document.model_dump_json(indent=1) + "\n"
    content = list(sheet.rows) if document is None else document
    return json.dumps(content, indent=1, default=_jsonable) + "\n"


def _jsonable(value: Any) -> Any:
    return value.model_dump(mode="json") if isinstance(value, BaseModel) else str(value)


def _emit_parquet(sheet: Sheet, output: Path | None) -> None:
    if output is None:
        raise InputError("parquet is not for a terminal", "--format parquet", "add -o FILE")
    import numpy as np

    from planecast.results.atomic import replacing
    from planecast.results.trials import write_parquet

    columns = {}
    for column in sheet.columns:
        values = [row.get(column.key) for row in sheet.rows]
        plain = all(isinstance(v, int | float) for v in values) and values
        columns[column.key] = np.array(values) if plain else np.array(values, dtype=object)
    with replacing(output) as temporary:
        write_parquet(columns, temporary, shown=output)
