"""Applying a plan to this machine, and undoing it: ``plan --apply``, ``partition --undo``."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from planecast.cli.partition_topology import topology_of

if TYPE_CHECKING:
    from planecast.partition.plan import Plan

ApplyOption = Annotated[
    bool,
    typer.Option(
        "--apply/--dry-run",
        help="Write the plan through resctrl, and read it back. By default nothing is changed.",
    ),
]
StateOption = Annotated[
    Path | None,
    typer.Option(
        "--state",
        metavar="FILE",
        help="Where what was there before is recorded. Default: partition.json under "
        "$PLANECAST_STATE, else /var/lib/planecast.",
    ),
]


def apply_plan(made: Plan, state: Path | None) -> None:
    """Applies a plan to this machine, and says so on stderr."""
    from planecast.partition.apply import apply
    from planecast.partition.record import record_path
    from planecast.partition.resctrl import Tree

    for line in apply(made, topology_of(Path("/")), Tree(), record_path(state)):
        print(f"planecast: {line}", file=sys.stderr)


def undo_plan(state: Path | None) -> None:
    """Undoes whatever is applied, and says so."""
    from planecast.partition.apply import undo
    from planecast.partition.record import record_path
    from planecast.partition.resctrl import Tree

    for line in undo(Tree(), record_path(state)):
        typer.echo(line)
