"""``planecast schema``: JSON Schema of the files that people write."""

from __future__ import annotations

import json
import sys
from typing import Annotated, Literal

import typer

from planecast.cli.options import OutputOption
from planecast.scenario.schema import SchemaName


def register(app: typer.Typer) -> None:
    """Add the verb to `app`."""
    app.command()(schema)


def schema(
    name: Annotated[SchemaName, typer.Argument(help="Which file's schema.")],
    form: Annotated[
        Literal["json"], typer.Option("--format", help="A schema is JSON: for scripts' sake.")
    ] = "json",
    output: OutputOption = None,
) -> None:
    """JSON Schema of the files you write, so that your editor completes and checks them.

    With the YAML language server, put this on the file's first line:
    # yaml-language-server: $schema=scenario.schema.json
    """
    from planecast.results.atomic import write_text
    from planecast.scenario import json_schema

    del form  # there is only one
    text = json.dumps(json_schema(name), indent=2) + "\n"
    if output is None:
        sys.stdout.write(text)
    else:
        write_text(output, text)
