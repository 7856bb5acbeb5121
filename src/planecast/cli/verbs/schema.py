"""``planecast schema``: JSON Schema of the files that people write."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from planecast.cli.shared.options import OutputOption
from planecast.cli.shared.output import write_out

if TYPE_CHECKING:
    from planecast.scenario.model import Noun

SchemaName = Literal["scenario", "study", "tenants", "neighbours", "columns"]


def schema(
    name: Annotated[
        SchemaName,
        typer.Argument(
            help="Which file's schema; of partition: tenants is what plan reads, neighbours what "
            "verify reads. columns: a row of results, as CSV, Parquet and query have it."
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
    del form  # there is only one
    write_out(json.dumps(_schema(name), indent=2) + "\n", output)


def _schema(name: SchemaName) -> Mapping[str, Any]:
    if name == "columns":
        from planecast.results.columns import columns_schema

        return columns_schema()
    if name == "scenario":
        from planecast.scenario.schema_by_kind import scenario_schema

        return scenario_schema()
    from planecast.scenario import json_schema

    return json_schema(_noun(name))


def _noun(name: str) -> type[Noun]:
    """What a file of this name holds. Partition's take longer to load than all others."""
    if name == "tenants":
        from planecast.partition.tenants import Tenancy

        return Tenancy
    if name == "neighbours":
        from planecast.partition.neighbour_study import NeighbourStudy

        return NeighbourStudy
    from planecast.scenario.study import StudyFile

    return StudyFile
