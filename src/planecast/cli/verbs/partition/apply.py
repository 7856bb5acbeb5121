"""Applying a plan to this machine, and undoing it: ``plan --apply``, ``partition --undo``."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer

if TYPE_CHECKING:
    from planecast.host.topology import Topology
    from planecast.partition.plan import Plan
    from planecast.partition.resctrl_backend import Groups

ApplyOption = Annotated[
    bool,
    typer.Option(
        "--apply/--dry-run",
        help="Divide this machine as planned, and read it back. By default nothing is changed.",
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


ThroughOption = Annotated[
    Literal["resctrl", "pqos"],
    typer.Option("--through", help="What --apply writes with: the kernel's resctrl, or pqos."),
]


def backend(through: Literal["resctrl", "pqos"]) -> Groups:
    """The classes of this machine."""
    from planecast.partition.pqos import Pqos
    from planecast.partition.resctrl import Tree

    return Pqos() if through == "pqos" else Tree()


def apply_plan(made: Plan, topology: Topology, groups: Groups, state: Path | None) -> None:
    """Applies a plan to this machine, and says so on stderr."""
    from planecast.partition.apply import apply
    from planecast.partition.record import record_path

    for line in apply(made, topology, groups, record_path(state)):
        print(f"planecast: {line}", file=sys.stderr)


def undo_plan(state: Path | None) -> None:
    """Undoes whatever is applied, through what it was applied with, and says so."""
    from planecast.host.root import Root
    from planecast.partition.apply import undo
    from planecast.partition.record import read_applied, record_path

    path = record_path(state)
    found = read_applied(path, Root())
    for line in undo(backend(found[0].through if found is not None else "resctrl"), path):
        typer.echo(line)
