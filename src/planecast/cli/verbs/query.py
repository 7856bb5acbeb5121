"""``planecast query``: SQL over all runs."""

from __future__ import annotations

from typing import Annotated

import typer

from planecast.cli.shared.options import FormatOption, OutputOption, RunsOption
from planecast.cli.shared.output import emit
from planecast.cli.tables.sheet import Column, Sheet


def query(
    sql: Annotated[str, typer.Argument(metavar="SQL", help="One SELECT of DuckDB's SQL.")],
    runs: RunsOption = None,
    form: FormatOption = None,
    output: OutputOption = None,
) -> None:
    """SQL over all runs: view results has a row a result, view trials a row a raw trial.

    For example: SELECT run, traffic_flows, cycles_per_packet FROM results ORDER BY started_at
    """
    from planecast.results import runs_folder
    from planecast.results.query import query as run_query
    from planecast.results.store import none_in

    root = runs_folder(runs)
    if runs is not None and not root.is_dir():  # one that nobody named may be yet to come: no rows
        raise none_in(root, "there is no run", "planecast measure")
    table = run_query(sql, root)
    rows = [dict(zip(table.columns, row, strict=True)) for row in table.rows]
    columns = [
        Column(name, name, number=any(isinstance(row[name], int | float) for row in rows))
        for name in table.columns
    ]
    emit(Sheet(columns, rows), form, output)
