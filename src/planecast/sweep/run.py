"""Runs a sweep into a run's folder, and resumes one that was stopped.

Every batch becomes a file of its own, whole or not there; those that are there are not asked again.
At the end they are one file. Nothing of it needs more memory than a few batches.
"""

from __future__ import annotations

import shutil
import time
from collections import deque
from concurrent.futures import FIRST_COMPLETED, BrokenExecutor, Future, wait
from pathlib import Path
from typing import Any

from planecast.errors import InputError, RunError
from planecast.progress import Progress
from planecast.results.atomic import disk_errors, replacing
from planecast.results.store import PARTS, SWEEP, RunDirectory
from planecast.results.trials import quoted, write_parquet
from planecast.scenario.read_file import read_model
from planecast.sweep.answer import Columns, answer
from planecast.sweep.job import Job
from planecast.sweep.workers import Workers

JOB = "sweep.json"

_CRASHES = 3  # pools that may break before the sweep gives up


def read_job(run: RunDirectory) -> Job:
    """The job of a run. Raises InputError when it is no sweep."""
    path = run.path / JOB
    if not path.exists():
        raise InputError("the run is not a sweep", str(run.path), "name a run of sweep")
    return read_model(path, Job, "the sweep")


def run_sweep(job: Job, run: RunDirectory, workers: Workers, progress: Progress) -> None:
    """Answer all points that the run has no answer of, and put them in one file.

    `progress` is called with points answered, points in all, and a few words. A worker that dies
    loses no point. Raises RunError for what the disk refuses and for workers that die again and
    again.
    """
    parts = run.path / PARTS
    if (run.path / SWEEP).is_file():
        _remove(parts)
        return
    with disk_errors(parts):
        parts.mkdir(exist_ok=True)
    if not (run.path / JOB).is_file():
        run.write_aside(JOB, job)
    text = job.model_dump_json()
    open_batches = deque(first for first in job.batches if not _part(parts, first).is_file())
    board = _Board(job, len(open_batches), progress)
    crashes = 0
    while open_batches:
        try:
            _work(text, open_batches, parts, workers, board)
        except BrokenExecutor:
            crashes += 1
            if crashes > _CRASHES:
                again = f"continue with --resume {run.path.name}" if run.begun else "ask again with"
                raise RunError(
                    "the worker processes end again and again",
                    str(run.path),
                    f"is memory short? {again} --workers 1",
                ) from None
            open_batches = deque(f for f in job.batches if not _part(parts, f).is_file())
    progress(job.plan.points, job.plan.points, "writing all points into one file")
    _join(parts, run.path / SWEEP)


def _work(
    text: str, open_batches: deque[int], parts: Path, workers: Workers, board: _Board
) -> None:
    """Answer the open batches, a few at a time, each stored as it comes."""
    running: dict[Future[Columns], int] = {}
    with workers.executor() as (executor, busy):
        while open_batches or running:
            while open_batches and len(running) < busy:
                first = open_batches.popleft()
                running[executor.submit(answer, text, first)] = first
            done, _ = wait(running, return_when=FIRST_COMPLETED)
            for future in done:
                first = running.pop(future)
                _store(_part(parts, first), future.result())
                board.stored()


class _Board:
    """Shows the progress."""

    def __init__(self, job: Job, left: int, progress: Progress) -> None:
        self._job = job
        self._done = min((len(job.batches) - left) * job.batch, job.plan.points)
        self._new = 0
        self._began = time.monotonic()
        self._progress = progress
        progress(self._done, job.plan.points, "starting")

    def stored(self) -> None:
        """One batch more."""
        points = self._job.plan.points
        self._new += self._job.batch
        done = min(self._done + self._new, points)
        rate = self._new / max(time.monotonic() - self._began, 1e-6)
        self._progress(done, points, f"{done:,} of {points:,} points, {rate:,.0f}/s")


def _part(parts: Path, first: int) -> Path:
    return parts / f"{first:012d}.parquet"


def _store(path: Path, columns: Columns) -> None:
    with replacing(path) as temporary:
        write_parquet(columns, temporary, shown=path, nan_is_null=True)


def _join(parts: Path, target: Path) -> None:
    """One file of all parts, in the points' order; then the parts go."""
    import duckdb

    with replacing(target) as temporary, duckdb.connect(":memory:") as connection:
        connection.execute("SET memory_limit = '512MB'")
        connection.execute(f"SET temp_directory = {quoted(parts)}")
        try:
            connection.execute(
                f"COPY (SELECT * FROM read_parquet({quoted(parts / '*.parquet')}, "
                "union_by_name = true) ORDER BY point) "
                f"TO {quoted(temporary)} (FORMAT parquet, COMPRESSION zstd)"
            )
        except duckdb.Error as error:
            raise RunError(f"can't join the parts: {str(error).splitlines()[0]}", str(parts)) from (
                error
            )
    _remove(parts)


def _remove(parts: Path) -> None:
    if parts.is_dir():
        with disk_errors(parts):
            shutil.rmtree(parts)


def best_points(job: Job, run: RunDirectory, count: int) -> tuple[list[int], int, list[str]]:
    """(the points with most packets a second, how many were refused, why the first were); of points
    with equal values, as a Latin hypercube of whole numbers has, the first."""
    keys = ", ".join(axis.key.replace(".", "_") for axis in job.plan.axes)
    rows = _rows(
        run,
        "SELECT min(point) AS first FROM {} WHERE throughput_pps IS NOT NULL "
        f"GROUP BY {keys}, throughput_pps ORDER BY throughput_pps DESC, first LIMIT {count}",
    )
    refused = _rows(run, "SELECT count(refused) FROM {}")[0][0]
    why = _rows(run, "SELECT DISTINCT refused FROM {} WHERE refused IS NOT NULL LIMIT 3")
    return [int(row[0]) for row in rows], int(refused), [str(row[0]) for row in why]


def _rows(run: RunDirectory, sql: str) -> list[tuple[Any, ...]]:
    import duckdb

    with duckdb.connect(":memory:") as connection:
        source = f"read_parquet({quoted(run.path / SWEEP)})"
        return connection.execute(sql.format(source)).fetchall()
