"""Answers on their way out: a table for people, csv, json and parquet for machines.

The answer alone goes to stdout; whatever else is to be said goes to stderr. A table has no colour,
and fits the terminal, or 80 columns in a file or a pipe, unless ``--wide`` asks for all of it.
"""

from __future__ import annotations

import csv
import io
import json
import math
import shutil
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from decimal import Decimal
from pathlib import Path
from typing import Any

from pydantic import BaseModel

from planecast.cli.shared.options import Format
from planecast.cli.tables.layout import TextColumn, table_lines
from planecast.cli.tables.sheet import Sheet
from planecast.errors import InputError
from planecast.results.atomic import write_text

_SUFFIXES: dict[str, Format] = {".csv": "csv", ".json": "json", ".parquet": "parquet"}
_NARROWEST = 40


@dataclass
class Wide:
    """Whether tables are to be as wide as they are (``--wide``)."""

    wanted: bool = False


WIDE = Wide()
"""Of this process: set by the option, which every verb with a table has."""


def chosen_format(form: Format | None, output: Path | None) -> Format:
    """The format that was asked for; else the one that the file's name ends in; else a table."""
    return form or (_SUFFIXES.get(output.suffix.lower(), "table") if output else "table")


def check_format(chosen: Format, output: Path | None) -> None:
    """Raises InputError for what can't be written there."""
    if chosen == "parquet" and output is None:
        raise InputError("parquet is not for a terminal", "--format parquet", "add -o FILE")


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
    if chosen == "table":
        # A file is read elsewhere: this terminal's width does not matter there.
        text = _table_text(sheet, shutil.get_terminal_size().columns if output is None else 80)
    else:
        text = {"csv": _csv_text, "json": _json_text}[chosen](sheet)
    write_out(text, output)


def write_out(text: str, output: Path | None) -> None:
    """Write an answer to stdout, or to the file `output`. Raises RunError as `replacing` does."""
    if output is None:
        sys.stdout.write(text)
        sys.stdout.flush()
    else:
        write_text(output, text)


def _table_text(sheet: Sheet, columns_wide: int) -> str:
    columns = [
        TextColumn(
            column.header or "",
            [column.text(row.get(column.key)) for row in sheet.values],
            column.number,
        )
        for column in sheet.shown
    ]
    width = None if WIDE.wanted else max(_NARROWEST, columns_wide)
    title = [sheet.title, ""] if sheet.title else []
    table = ["", *title, *table_lines(columns, width), ""] if columns and sheet.values else []
    return "".join(f"{line}\n" for line in (*sheet.lead, *table, *sheet.notes))


def _csv_text(sheet: Sheet) -> str:
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(sheet.keys)
    writer.writerows([row.get(key) for key in sheet.keys] for row in sheet.rows)
    return text.getvalue()


def _json_text(sheet: Sheet) -> str:
    document = sheet.document
    if isinstance(document, BaseModel):
        return document.model_dump_json(indent=1) + "\n"
    content = sheet.rows if document is None else document
    return json.dumps(_plain(content), indent=1, allow_nan=False) + "\n"


def _plain(value: Any) -> Any:
    """A value as JSON has it, which knows no NaN and no infinity: null."""
    if isinstance(value, BaseModel):
        value = value.model_dump(mode="json")
    if isinstance(value, Mapping):
        return {key: _plain(one) for key, one in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(one) for one in value]
    if isinstance(value, Decimal):
        value = float(value)
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    return value if value is None or isinstance(value, str | int) else str(value)


def _emit_parquet(sheet: Sheet, output: Path | None) -> None:
    check_format("parquet", output)
    assert output is not None
    import numpy as np

    from planecast.results.atomic import replacing
    from planecast.results.trials import write_parquet

    columns = {}
    for key in sheet.keys:
        values = [row.get(key) for row in sheet.rows]
        plain = all(isinstance(v, int | float) for v in values) and values
        columns[key] = np.array(values) if plain else np.array(values, dtype=object)
    with replacing(output) as temporary:
        write_parquet(columns, temporary, shown=output)
