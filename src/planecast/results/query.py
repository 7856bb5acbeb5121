"""SQL over many runs: the views ``results`` (a row a result) and ``trials`` (a row a raw trial)."""

from __future__ import annotations

import json
import logging
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from planecast.cleanup import private_folder
from planecast.errors import InputError
from planecast.results.columns import sql_types, stored_row
from planecast.results.content import results_of
from planecast.results.load_curve import LoadCurve
from planecast.results.result import Result
from planecast.results.store import PARTS, SWEEP, TRIALS, RunDirectory, list_runs
from planecast.results.trials import quoted
from planecast.results.validation import Validation
from planecast.scenario import SCENARIO_KEYS, value_if_any
from planecast.scenario.model import list_text

if TYPE_CHECKING:
    import duckdb

_log = logging.getLogger(__name__)

_OF_THE_RUN: dict[str, str] = {
    "run": "VARCHAR",
    "verb": "VARCHAR",
    "partial": "BOOLEAN",
    "role": "VARCHAR",
    "label": "VARCHAR",
    "held_out": "BOOLEAN",
    "error_percent": "DOUBLE",
    "inside": "BOOLEAN",
}
"""Columns of a row that are about the run and the result's part in it."""


@dataclass(frozen=True)
class Table:
    """What a query answers."""

    columns: list[str]
    rows: list[tuple[Any, ...]]


def query(sql: str, root: Path) -> Table:
    """Run one SQL question over all runs under `root`.

    It reads these views and no other file, and writes none: statements come from wherever a person
    copied them.

    ``results`` has a row a result: run, verb, partial, role (result, measured, predicted,
    simulated), every key of the scenario with ``_`` for its dots (``traffic_flows``), and the
    estimates with ``_low`` and ``_high``. ``trials`` has the columns of every ``trials.parquet``
    and ``run``, and ``sweeps`` those of every sweep's points.

    Raises InputError with DuckDB's own sentence for SQL that can't be run, and for what is no
    single question.
    """
    import duckdb

    _refuse_all_but_a_question(sql)
    runs = list_runs(root)
    rows = [row for run in runs for row in _rows(run)]
    with duckdb.connect(":memory:") as connection:
        keys = {key.replace(".", "_"): _sql_type(key) for key in SCENARIO_KEYS}
        columns = _OF_THE_RUN | sql_types() | keys
        fields = ", ".join(f'"{name}" {kind}' for name, kind in columns.items())
        connection.execute(f"CREATE TABLE results ({fields})")
        _insert(connection, columns, rows)
        try:
            trials, sweeps = _trial_files(runs), _sweep_files(runs)
            connection.execute(f"CREATE VIEW trials AS {_rows_of(trials)}")
            connection.execute(f"CREATE VIEW sweeps AS {_rows_of(sweeps)}")
            _shut(connection, [*trials, *sweeps])
            return _answer(connection, sql)
        except duckdb.Error as error:
            raise _refused(error) from None


def _answer(connection: duckdb.DuckDBPyConnection, sql: str) -> Table:
    """Asks in a thread of its own: in this one a signal would wait for DuckDB's end."""
    from concurrent.futures import ThreadPoolExecutor

    def asked() -> Table:
        answer = connection.execute(sql)
        names = [column[0] for column in answer.description or []]
        return Table(names, answer.fetchall() if names else [])

    with ThreadPoolExecutor(1) as thread:
        try:
            return thread.submit(asked).result()
        except KeyboardInterrupt:
            connection.interrupt()
            raise


def _insert(
    connection: duckdb.DuckDBPyConnection,
    columns: Mapping[str, str],
    rows: Sequence[Mapping[str, Any]],
) -> None:
    """Inserts all rows at once: a statement for each would take milliseconds."""
    if not rows:
        return
    fields = ", ".join(f"'{name}': '{kind}'" for name, kind in columns.items())
    with private_folder() as folder:
        file = Path(folder) / "results.json"
        with file.open("w", encoding="utf-8") as lines:
            for row in rows:
                lines.write(json.dumps({name: row.get(name) for name in columns}) + "\n")
        connection.execute(
            f"INSERT INTO results SELECT * FROM read_json({quoted(file)}, "
            f"format = 'newline_delimited', columns = {{{fields}}})"
        )


def _refuse_all_but_a_question(sql: str) -> None:
    """Raises InputError for SQL that is none, or does more than ask: DuckDB would let a COPY write
    over the very files that it may read."""
    import duckdb

    try:
        statements = duckdb.extract_statements(sql)
    except duckdb.Error as error:
        raise _refused(error) from None
    kinds = [statement.type.name for statement in statements]
    if kinds == ["MULTI"]:  # how it shows a PIVOT whose columns come from the rows
        raise InputError("its columns are not known before", "query", "PIVOT … ON … IN (values)")
    if kinds != ["SELECT"]:
        got = " and ".join(kinds) or "nothing"
        raise InputError(f"got {got}", "query", "ask one SELECT; the runs can't be changed by it")


def _shut(connection: duckdb.DuckDBPyConnection, files: list[Path]) -> None:
    """From now on it reaches these files and no others, and no setting can change that."""
    listed = ", ".join(quoted(file) for file in files)
    connection.execute(f"SET allowed_paths = [{listed}]")
    connection.execute("SET enable_external_access = false")
    connection.execute("SET lock_configuration = true")


def _refused(error: Exception) -> InputError:
    what = str(error).splitlines()[0]
    return InputError(what, "query", "the views are results, trials and sweeps")


def _sql_type(key: str) -> str:
    whole = key.rsplit(".", 1)[-1] in {
        "acl_rules",
        "burst",
        "flows",
        "frame_bytes",
        "lcores",
        "routes",
        "rx_ring",
        "seed",
        "stage_clock",
        "tx_ring",
    }
    return "BIGINT" if whole else "VARCHAR"


def _trial_files(runs: list[RunDirectory]) -> list[Path]:
    return [path for run in runs if (path := run.path / TRIALS).is_file()]


def _sweep_files(runs: list[RunDirectory]) -> list[Path]:
    """What sweeps have answered, those that still run too."""
    found: list[Path] = []
    for run in runs:
        whole = run.path / SWEEP
        found += [whole] if whole.is_file() else sorted((run.path / PARTS).glob("*.parquet"))
    return found


def _rows_of(files: list[Path]) -> str:
    """SQL of all rows of the files, each with its run."""
    if not files:
        return "SELECT ''::VARCHAR AS run WHERE false"
    listed = ", ".join(quoted(file) for file in files)
    folders = "string_split(filename, '/')"
    return (
        f"SELECT CASE {folders}[-2] WHEN '{PARTS}' THEN {folders}[-3] ELSE {folders}[-2] END "
        "AS run, * EXCLUDE (filename) "
        f"FROM read_parquet([{listed}], union_by_name = true, filename = true)"
    )


def _rows(run: RunDirectory) -> Iterator[dict[str, Any]]:
    try:
        content = run.read()
    except InputError as error:
        if not run.partial:
            _log.warning("left out: %s", error)
        return
    about = {"run": run.path.name, "verb": run.verb, "partial": run.partial}
    if isinstance(content, Validation):
        for point in content.points:
            shared = about | {"label": point.label, "held_out": point.held_out}
            yield shared | {"role": "measured"} | _row(point.measured)
            judged = {"error_percent": point.error_percent, "inside": point.inside}
            yield shared | judged | {"role": "predicted"} | _row(point.predicted)
        return
    if isinstance(content, LoadCurve):
        for load in content.loads:
            shared = about | {"label": f"load={100 * load.load:.1f}%"}
            yield shared | {"role": "measured"} | _row(load.measured)
            yield shared | {"role": "simulated"} | _row(load.simulated)
        return
    for result in results_of(content):
        yield about | {"role": "result"} | _row(result)


def _row(result: Result) -> dict[str, Any]:
    row = stored_row(result)
    for key in SCENARIO_KEYS:
        value = value_if_any(result.scenario, key)
        row[key.replace(".", "_")] = list_text(value) if isinstance(value, tuple) else value
    return row
