"""What was there before this machine was changed: on the disk from before the first change until
the last one is restored.

It is written whole and reaches the disk before the caller continues, so that undoing works after a
crash at any moment. What it is about does not outlive a reboot (settings of the kernel, resctrl's
groups), so a record of an earlier boot is stale: there is nothing to restore. What a record holds
is its owner's.
"""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from planecast.errors import InputError, RunError
from planecast.host.root import Root


@dataclass(frozen=True)
class Record:
    """What a file holds."""

    boot: str
    """The boot that it is of; empty where the kernel didn't report."""
    content: Mapping[str, Any]
    """What its owner kept."""

    def stale(self, root: Root) -> bool:
        """Whether the machine under `root` has booted since."""
        now = root.boot_id()
        return bool(now) and self.boot != now


def read_record(path: Path) -> Record | None:
    """The record; None when nothing is changed. Raises RunError for one that can't be read."""
    _refuse_no_file(path)
    try:
        found: Any = json.loads(path.read_text(encoding="utf-8"))
        return Record(str(found["boot"]), dict(found["content"]))
    except (FileNotFoundError, NotADirectoryError):
        return None
    except (OSError, ValueError, KeyError, TypeError) as error:
        reason = error.strerror if isinstance(error, OSError) else "it is damaged"
        raise unreadable(path, reason or str(error)) from None


def _refuse_no_file(path: Path) -> None:
    """Raises InputError for a device, a pipe or a folder: a record replaces what is there."""
    if path.exists() and not path.is_file():
        raise InputError("a record is a regular file", str(path), "name another one")


def unreadable(path: Path, reason: str) -> RunError:
    """What to say about a record that doesn't say what was there."""
    return RunError(
        f"can't read what was changed: {reason}",
        str(path),
        "restart the machine, which undoes it, then delete the file",
    )


def keep_record(path: Path, root: Root, content: Mapping[str, Any]) -> None:
    """Writes the record, of the present boot. Raises RunError when it can't be: change nothing."""
    _refuse_no_file(path)
    part = path.with_name(f".{path.name}.part")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with part.open("w", encoding="utf-8") as file:
            json.dump({"boot": root.boot_id(), "content": content}, file, indent=1)
            file.flush()
            os.fsync(file.fileno())
        part.replace(path)
        _sync_folder(path.parent)
    except OSError as error:
        reason = error.strerror or str(error)
        raise RunError(
            f"can't record what was there: {reason}", str(path), "nothing is changed; take sudo"
        ) from None


def drop_record(path: Path) -> None:
    """Takes the record away: all is as it was. Raises RunError when it can't be."""
    try:
        path.unlink(missing_ok=True)
    except OSError as error:
        raise RunError(
            f"can't delete the record: {error.strerror}", str(path), "delete it: all is restored"
        ) from None


def _sync_folder(folder: Path) -> None:
    # Without it a crash of the whole machine may lose the new name.
    descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
