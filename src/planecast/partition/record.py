"""The record of what was there before a plan was applied: written first, removed last.

It is kept where it outlives a reboot. The kernel's own division does not, so a record of an earlier
boot has nothing to restore: it is stale.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import Annotated

from pydantic import BeforeValidator

from planecast.errors import RunError
from planecast.results.atomic import write_text
from planecast.scenario.model import Noun, listed

BOOT_ID = Path("/proc/sys/kernel/random/boot_id")


class GroupState(Noun):
    """A group as it was. Texts are the files', byte for byte."""

    name: str
    """Empty for the default group."""
    schemata: str
    cpus_list: str


class Record(Noun):
    """What an apply changed, or was about to change."""

    plan: str
    fingerprint: str
    """Of the machine."""
    boot_id: str
    applied_at: str
    before: Annotated[tuple[GroupState, ...], BeforeValidator(listed)]
    """Every group that was there."""
    made: Annotated[tuple[str, ...], BeforeValidator(listed)]
    """Groups that the plan makes."""


def record_path(named: Path | None = None) -> Path:
    """Where the record is: as named, else in $PLANECAST_STATE, else root's or the user's own."""
    if named is not None:
        return named
    folder = os.environ.get("PLANECAST_STATE")
    if folder:
        return Path(folder) / "partition.json"
    if os.geteuid() == 0:
        return Path("/var/lib/planecast/partition.json")
    return Path.home() / ".local/state/planecast/partition.json"


def boot_id() -> str:
    """What is another after each boot; empty where the kernel doesn't tell."""
    try:
        return BOOT_ID.read_text(encoding="utf-8").strip()
    except OSError:
        return ""


def read_record(path: Path) -> Record | None:
    """The record, or None when nothing is applied. Raises RunError for one that can't be read."""
    try:
        return Record.model_validate_json(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        return None
    except (OSError, ValueError) as error:
        raise RunError(
            f"the record of what was there can't be read: {str(error).splitlines()[0]}",
            str(path),
            "look at it, restore /sys/fs/resctrl by hand (umount it and mount it again resets "
            "everything), then remove it",
        ) from error


def write_record(record: Record, path: Path) -> None:
    """Writes it whole or not at all, on the disk before this returns. Raises RunError."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise RunError(
            f"can't make the record's folder: {error.strerror}", str(path), "name one with --state"
        ) from error
    write_text(path, record.model_dump_json(indent=1) + "\n")


def remove_record(path: Path) -> None:
    """Takes the record away."""
    path.unlink(missing_ok=True)
