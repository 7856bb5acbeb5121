"""Measurements of others: tables in a folder next to the sources (`PLANECAST_SHARED_DATA`)."""

from __future__ import annotations

import csv
import os
from pathlib import Path

from planecast.reproduce.claim import Table


def data_folder() -> Path | None:
    """Where measurements of others are, if anywhere."""
    named = os.environ.get("PLANECAST_SHARED_DATA")
    folder = Path(named) if named else Path("../shared/data")
    return folder if folder.is_dir() else None


def rows_of(name: str) -> list[dict[str, str]]:
    """The rows of a table by its path in that folder; none where it isn't there."""
    folder = data_folder()
    path = None if folder is None else folder / name
    if path is None or not path.is_file():
        return []
    with path.open(encoding="utf-8") as file:
        return list(csv.DictReader(file))


def absent(number: int, title: str) -> Table:
    """A table whose measurements aren't there."""
    return Table(number=number, title=title, claims=(), notes=("the measurements are not here",))
