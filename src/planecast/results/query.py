"""SQL over many runs: the views ``results`` (a row a result) and ``trials`` (a row a raw trial)."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from planecast.errors import InputError
from planecast.results.estimate import Estimate
from planecast.results.load_curve import LoadCurve
from planecast.results.result import Result
from planecast.results.store import PARTS, SWEEP, TRIALS, RunDirectory, list_runs, results_of
from planecast.results.trials import quoted
from planecast.results.validation import Validation
from planecast.scenario import SCENARIO_KEYS, value_at
from planecast.scenario.model import list_text

_log = logging.getLogger(__name__)

_ESTIMATES = ("throughput_pps", "cycles_per_packet", "instructions_per_packet", "ipc")

_TYPES: dict[str, str] = {
    "run": "VARCHAR",
    "verb": "VARCHAR",
    "partial": "BOOLEAN",
    "started_at": "VARCHAR",
    "engine": "VARCHAR",
    "role": "VARCHAR",
    "label": "VARCHAR",
    "held_out": "BOOLEAN",
    "error_percent": "DOUBLE",
    "inside": "BOOLEAN",
    "kind": "VARCHAR",
    "samples": "BIGINT",
    **{f"{name}{end}": "DOUBLE" for name in _ESTIMATES for end in ("", "_low", "_high")},
    "packets_in": "BIGINT",
    "packets_out": "BIGINT",
    "dropped": "BIGINT",
    "capped_by": "VARCHAR",
    "disturbed_share": "DOUBLE",
    "seed": "BIGINT",
    "command": "VARCHAR",
}


@dataclass(frozen=True)
class Table:
    """What a query answers."""

    columns: list[str]
    rows: list[tuple[Any, ...]]


def query(sql: str, root: Path) -> Table:
    """Run one SQL statement over all runs under `root`.

    ``results`` has a row a result: run, verb, partial, role (result, measured, predicted,
    simulated), every
    key of the scenario with ``_`` for its dots (``traffic_flows``), and the estimates with
    ``_low`` and ``_high``. ``trials`` has the columns of every ``trials.parquet`` and ``run``, and
    ``sweeps`` those of every sweep's points.

    Raises InputError with DuckDB's own sentence for SQL that can't be run.
    """
    import duckdb

    runs = list_runs(root)
    rows = [row for run in runs for row in _rows(run)]
    with duckdb.connect(":memory:") as connection:
        columns = _TYPES | {key.replace(".", "_"): _sql_type(key) for key in SCENARIO_KEYS}
        fields = ", ".join(f'"{name}" {kind}' for name, kind in columns.items())
        connection.execute(f"CREATE TABLE results ({fields})")
        if rows:
            marks = ", ".join("?" for _ in columns)
            values = [[row.get(name) for name in columns] for row in rows]
            connection.executemany(f"INSERT INTO results VALUES ({marks})", values)
        try:
            connection.execute(f"CREATE VIEW trials AS {_trials(runs)}")
            connection.execute(f"CREATE VIEW sweeps AS {_sweeps(runs)}")
            answer = connection.execute(sql)
            names = [column[0] for column in answer.description or []]
            return Table(names, answer.fetchall() if names else [])
        except duckdb.Error as error:
            raise InputError(
                str(error).splitlines()[0], "query", "the views are results, trials and sweeps"
            ) from None


def _sql_type(key: str) -> str:
    whole = key.rsplit(".", 1)[-1] in {
        "acl_rules",
        "burst",
        "flows",
        "frame_bytes",
        "routes",
        "rx_ring",
        "seed",
        "stage_clock",
        "tx_ring",
    }
    return "BIGINT" if whole else "VARCHAR"


def _trials(runs: list[RunDirectory]) -> str:
    return _files([run.path / TRIALS for run in runs])


def _sweeps(runs: list[RunDirectory]) -> str:
    """What sweeps have answered, those that still run too."""
    found: list[Path] = []
    for run in runs:
        whole = run.path / SWEEP
        found += [whole] if whole.is_file() else sorted((run.path / PARTS).glob("*.parquet"))
    return _files(found)


def _files(candidates: list[Path]) -> str:
    """SQL of all rows of the files that are there, each with its run."""
    files = [path for path in candidates if path.is_file()]
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
    row: dict[str, Any] = {
        "started_at": result.manifest.started_at,
        "engine": result.manifest.engine,
        "seed": result.manifest.seed,
        "command": result.manifest.command,
        "kind": result.cycles_per_packet.kind,
        "samples": result.cycles_per_packet.samples,
        "packets_in": result.packets_in,
        "packets_out": result.packets_out,
        "dropped": sum(result.drops.values()),
        "capped_by": result.capped_by,
        "disturbed_share": result.disturbed_share,
    }
    for name in _ESTIMATES:
        estimate: Estimate | None = getattr(result, name)
        if estimate is not None:
            row |= {
                name: estimate.value,
                f"{name}_low": estimate.low,
                f"{name}_high": estimate.high,
            }
    for key in SCENARIO_KEYS:
        value = value_at(result.scenario, key)
        row[key.replace(".", "_")] = list_text(value) if isinstance(value, tuple) else value
    return row
