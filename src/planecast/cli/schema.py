"""``planecast schema``: JSON Schema of the files that people write."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from planecast.cli.options import OutputOption
from planecast.cli.output import write_out

if TYPE_CHECKING:
    from planecast.scenario.model import Noun

SchemaName = Literal["scenario", "study", "tenants", "neighbours"]


def register(app: typer.Typer) -> None:
    """Add the verb to `app`."""
    app.command()(schema)


def schema(
    name: Annotated[
        SchemaName,
        typer.Argument(
            help="Which file's schema; of partition: tenants is what plan reads, neighbours what "
            "verify reads."
        ),
    ],
    form: Annotated[
        Literal["json"], typer.Option("--format", help="A schema is JSON: for scripts' sake.")
    ] = "json",
    output: OutputOption = None,
) -> None:
    """JSON Schema of the files you write, so that your editor completes and checks them.

    With the YAML language server, put this on the file's first line:
    # yaml-language-server: $schema=scenario.schema.json
    """
    from planecast.scenario import json_schema

    del form  # there is only one
    text = json.dumps(json_schema(_noun(name)), indent=2) + "\n"
    write_out(text, output)


def _noun(name: SchemaName) -> type[Noun]:
    """What a file of this name holds. Partition's take longer to load than all others."""
    if name == "tenants":
        from planecast.partition.tenants import Tenancy

        return Tenancy
    if name == "neighbours":
        from planecast.partition.noisy import Noisy

        return Noisy
    from planecast.scenario import Scenario
    from planecast.scenario.study import StudyFile

    return Scenario if name == "scenario" else StudyFile
