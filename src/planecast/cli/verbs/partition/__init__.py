"""``planecast partition …``: the machine, a plan for it, the plan applied, undone, verified."""

from __future__ import annotations

from typing import Annotated

import typer

from planecast.cli.shared.option_rules import Needs
from planecast.cli.verbs.partition import plan, sibling, topology, verify
from planecast.cli.verbs.partition.apply import StateOption, undo_plan
from planecast.errors import InputError


def register(app: typer.Typer) -> None:
    """Add the verb's own verbs to `app`."""
    app.command()(topology.topology)
    app.command()(plan.plan)
    app.command()(plan.show)
    app.command()(verify.verify)
    app.command()(sibling.sibling)
    app.callback(invoke_without_command=True)(partition)


def partition(
    context: typer.Context,
    undo: Annotated[
        bool, typer.Option("--undo", help="Restore what was there before a plan was applied.")
    ] = False,
    state: Annotated[StateOption, Needs("--undo")] = None,
) -> None:
    """Divide a machine among a data plane and its neighbours: threads, cache, bandwidth, clocks."""
    if context.invoked_subcommand is not None:
        if undo:
            raise InputError("--undo stands alone", "partition --undo", "leave the rest out")
        return
    if undo:
        undo_plan(state)
    else:
        typer.echo(context.get_help())
