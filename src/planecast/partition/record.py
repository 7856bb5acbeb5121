"""What a plan changes: every group as it was, in a record (`host.record`) until it is undone."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Annotated, Literal

from pydantic import BeforeValidator

from planecast.host.record import keep_record, read_record, unreadable
from planecast.host.root import Root
from planecast.scenario.model import Noun, listed

Backend = Literal["resctrl", "pqos"]
"""What the machine is divided through."""


class GroupState(Noun):
    """A group as it was: its files' texts, byte for byte; of pqos, what it said in their form."""

    name: str
    """Empty for the default group."""
    schemata: str
    cpus_list: str


class Applied(Noun):
    """What an apply changed, or was about to change."""

    plan: str
    fingerprint: str
    """Of the machine."""
    applied_at: str
    through: Backend
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


def read_applied(path: Path, root: Root) -> tuple[Applied, bool] | None:
    """What is applied, and whether it is of an earlier boot; None when nothing is.

    Raises RunError for a record that can't be read.
    """
    record = read_record(path)
    if record is None:
        return None
    try:
        return Applied.model_validate(dict(record.content)), record.stale(root)
    except ValueError:
        raise unreadable(path, "it is damaged") from None


def keep_applied(applied: Applied, path: Path, root: Root) -> None:
    """Writes it whole or not at all, on the disk before this returns. Raises RunError."""
    keep_record(path, root, applied.model_dump(mode="json"))
