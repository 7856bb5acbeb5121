"""Writing what ``doctor`` advises, and writing back what was there.

Before a file is written, its old value stands in a record (`host.record`); so ``undo`` restores it
after a crash as well, whether the write had happened or not.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from planecast.host.check import Setting
from planecast.host.record import drop_record, keep_record, read_record, unreadable
from planecast.host.root import Root

_RECORD = "var/lib/planecast/settings.json"
_CHOICE = re.compile(r"\[(\w+)\]")


@dataclass(frozen=True)
class Change:
    """A setting and what became of it."""

    path: str
    before: str
    """What was there; empty when it could not be read."""
    after: str
    """What is there now."""
    refused: str = ""
    """Why the system did not take the value; empty when it did."""


def record_path(root: Root) -> Path:
    """Where the old values are kept."""
    return root.path / _RECORD


def recorded(root: Root) -> dict[str, str]:
    """Old values by path, in the order of the changes; none when nothing is changed.

    Of an earlier boot there are none: the kernel's values are its own again. Raises RunError for a
    record that can't be read.
    """
    record = read_record(record_path(root))
    if record is None or record.stale(root):
        return {}
    old = record.content.get("old")
    if not isinstance(old, dict):
        raise unreadable(record_path(root), "it is damaged")
    return {str(path): str(value) for path, value in old.items()}


def apply(root: Root, settings: Iterable[Setting]) -> list[Change]:
    """Write each setting, its old value recorded before; settings that hold already are left out.

    A value that the system refuses is reported in its change, and the others are written. Raises
    RunError when the record can't be written: then nothing is changed.
    """
    old = recorded(root)
    wanted = {setting.path: setting.value for setting in settings}
    now = {path: value_of(root, path) for path in wanted}
    due = [path for path, value in wanted.items() if now[path] != value]
    if not due:
        return []
    _keep(root, {**{path: now[path] for path in due}, **old})
    changes = [_write(root, path, wanted[path]) for path in due]
    untouched = {c.path for c in changes if c.refused and c.path not in old}
    still = {**{path: now[path] for path in due}, **old}
    _keep(root, {path: value for path, value in still.items() if path not in untouched})
    return changes


def undo(root: Root) -> list[Change]:
    """Write back every old value, the last change first. What is refused stays recorded."""
    old = recorded(root)
    changes = [_write(root, path, old[path]) for path in reversed(old)]
    refused = {change.path for change in changes if change.refused}
    _keep(root, {path: value for path, value in old.items() if path in refused})
    return changes


def value_of(root: Root, path: str) -> str:
    """What a setting holds; of a file that lists its choices, the chosen one."""
    text = root.text(path)
    chosen = _CHOICE.search(text)
    return chosen[1] if chosen else text


def _write(root: Root, path: str, value: str) -> Change:
    before = value_of(root, path)
    refused = ""
    try:
        # One write of the whole value, as the kernel's files want it; no file is ever made.
        descriptor = os.open(root.path / path, os.O_WRONLY | os.O_TRUNC)
        try:
            os.write(descriptor, f"{value}\n".encode())
        finally:
            os.close(descriptor)
    except OSError as error:
        refused = error.strerror or str(error)
    return Change(path, before, value_of(root, path), refused)


def _keep(root: Root, old: dict[str, str]) -> None:
    """Write the record; without old values there is none."""
    if old:
        keep_record(record_path(root), root, {"old": old})
    else:
        drop_record(record_path(root))
