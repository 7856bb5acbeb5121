"""``planecast partition …``: the machine, a plan for it, the plan applied, undone, verified."""

from __future__ import annotations

import typer

from planecast.cli.partition_plan import plan, show
from planecast.cli.partition_topology import topology


def register(app: typer.Typer) -> None:
    """Add the verb's own verbs to `app`."""
    app.command()(topology)
    app.command()(plan)
    app.command()(show)
    app.callback()(partition)


def partition() -> None:
    """Divide a machine among a data plane and its neighbours: threads, cache, bandwidth, clocks."""
