"""Run directories: where the answers of a run are kept.

A run is a folder ``<UTC time>-<verb>-<name>`` with ``result.json`` (what a reader asks for),
``trials.parquet`` (the raw trials) and, until the run is complete, a file ``partial`` that says
why it isn't. Nothing else is a database; ``planecast.results.query`` reads many runs together.
"""

from __future__ import annotations

import errno
import json
import os
import shutil
from collections.abc import Mapping, Sequence
from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any, Self

from pydantic import BaseModel

from planecast.errors import InputError, MissingError, PlanecastError, RunError
from planecast.results.atomic import disk_errors, replacing, write_text
from planecast.results.result import Result, ResultSet
from planecast.results.trials import Columns, write_parquet

if TYPE_CHECKING:
    from planecast.results.content import Content

RESULT = "result.json"
CALIBRATION = "calibration.json"
TRIALS = "trials.parquet"
SERIES = "series.parquet"
PAUSES = "pauses.parquet"
PARTIAL = "partial"
FAILED = "failed"
"""In the folder of a run that failed before it had a result: why, and what the program wrote."""
SWEEP = "sweep.parquet"
"""All points of a sweep that is complete."""
PARTS = "parts"
"""Folder of those that a sweep has answered so far, a file a batch."""

_LEAVES_NOTHING = (InputError, MissingError, KeyboardInterrupt)
"""What is no reason to keep a run's folder with nothing in it: bad input, Ctrl-C, SIGTERM."""


def runs_folder(named: str | Path | None = None) -> Path:
    """The folder of all runs: as named (``--runs``), else ``PLANECAST_RUNS``, else ``runs``."""
    return Path(named or os.environ.get("PLANECAST_RUNS") or "runs")


_NO_PLACE = {errno.EEXIST, errno.ENOTDIR, errno.ENOENT, errno.ELOOP, errno.ENAMETOOLONG}
"""What the operating system says of a path that no folder can have."""


def _make_root(root: Path) -> None:
    """Makes the folder of all runs. Raises InputError for a path that no folder can have, OSError
    for what else is in the way."""
    try:
        root.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        if error.errno not in _NO_PLACE:
            raise
        raise InputError(
            f"no folder can be made there: {error.strerror}",
            str(root),
            "name another one (--runs or PLANECAST_RUNS)",
        ) from None


class RunDirectory:
    """One run's folder. As a context manager it marks the run complete, or says why it is not.

    >>> with RunDirectory.create(runs_folder(), "measure", "vpe-upstream") as run:  # doctest: +SKIP
    ...     run.write_trials({"cycles": cycles, "packets": packets})
    ...     run.write_result(result)
    """

    def __init__(self, path: str | Path) -> None:
        self.path = Path(path)
        """The folder."""
        self._made_here = False
        self._aside = {PARTIAL}

    @classmethod
    def create(cls, root: Path, verb: str, name: str, now: datetime | None = None) -> Self:
        """A new folder under `root`, marked partial.

        Raises InputError where there can be no folder (below a file), RunError when none can be
        made (a full disk, no permission).
        """
        moment = (now or datetime.now(UTC)).strftime("%Y%m%dT%H%M%SZ")
        stem = f"{moment}-{verb}-{name}"
        with disk_errors(root):
            _make_root(root)
            for count in range(1, 10_000):
                path = root / (stem if count == 1 else f"{stem}-{count}")
                with suppress(FileExistsError):
                    path.mkdir()
                    break
            else:
                raise RunError(f"10,000 runs named {stem} are there already", str(root))
        run = cls(path)
        run._made_here = True
        try:
            run.mark_partial(f"running, process {os.getpid()}")
        except (RunError, KeyboardInterrupt):
            shutil.rmtree(path, ignore_errors=True)
            raise
        return run

    def write_result(self, content: Content | Sequence[Result]) -> Path:
        """Write ``result.json``; several results are wrapped in a ResultSet."""
        whole = content if isinstance(content, BaseModel) else ResultSet(results=tuple(content))
        path = self.path / RESULT
        write_text(path, whole.model_dump_json(indent=1) + "\n")
        return path

    def write_json(self, name: str, content: BaseModel | Mapping[str, Any]) -> Path:
        """Write another JSON file of the run, such as a calibration."""
        path = self.path / name
        if isinstance(content, BaseModel):
            text = content.model_dump_json(indent=1)
        else:
            text = json.dumps(content, indent=1, allow_nan=False)
        write_text(path, text + "\n")
        return path

    def write_aside(self, name: str, content: BaseModel) -> Path:
        """Write what is no answer, such as what the run is asked or the state of the host: kept
        only where there is one."""
        self._aside.add(name)
        return self.write_json(name, content)

    def write_trials(self, columns: Columns, name: str = TRIALS) -> Path:
        """Write ``trials.parquet``, or another table: arrays of one length, a column each."""
        path = self.path / name
        with replacing(path) as temporary:
            write_parquet(columns, temporary, shown=path)
        return path

    def write_series(self, columns: Columns) -> Path:
        """Write ``series.parquet``: a simulated time series, a row an interval."""
        return self.write_trials(columns, SERIES)

    def write_pauses(self, columns: Columns) -> Path:
        """Write ``pauses.parquet``: when CPUs were preempted, a row a time."""
        return self.write_trials(columns, PAUSES)

    def mark_partial(self, why: str) -> None:
        """Say that the run isn't complete, and why."""
        write_text(self.path / PARTIAL, why + "\n")

    def complete(self) -> None:
        """Take the partial mark off."""
        with disk_errors(self.path):
            (self.path / PARTIAL).unlink(missing_ok=True)

    @property
    def partial(self) -> bool:
        """Whether the run is not over yet, or ended before its time."""
        return (self.path / PARTIAL).exists()

    @property
    def failed(self) -> bool:
        """Whether it failed before it had a result: there is nothing to resume."""
        return (self.path / FAILED).exists()

    @property
    def verb(self) -> str:
        """The verb in the folder's name; empty for a folder that was renamed."""
        parts = self.path.name.split("-", 2)
        return parts[1] if len(parts) == 3 else ""

    def read(self) -> Content:
        """What ``result.json`` holds. Raises InputError when it isn't there or isn't a result."""
        from planecast.results.content import read_result  # all kinds of answers, for readers alone

        return read_result(self.path / RESULT)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if kind is None:
            self.complete()
            return
        if issubclass(kind, _LEAVES_NOTHING) and self._made_here and not self.begun:
            shutil.rmtree(self.path, ignore_errors=True)
            return
        why = "interrupted" if issubclass(kind, KeyboardInterrupt) else f"{kind.__name__}: {error}"
        if isinstance(error, PlanecastError) and error.said:
            why = "\n  ".join((why, *error.said))
        if issubclass(kind, RunError) and self._made_here and not self.begun:
            # It failed before there was anything to keep: no part of a run, but why is kept.
            with suppress(OSError, RunError):
                write_text(self.path / FAILED, why + "\n")
                (self.path / PARTIAL).unlink()
                return
        # On a full disk the first mark stays: it says partial too.
        with suppress(RunError):
            self.mark_partial(why)

    @property
    def begun(self) -> bool:
        """Whether anything of an answer is in it."""
        return any(
            path.is_file() and path.name not in self._aside and path.stat().st_size
            for path in self.path.rglob("*")
        )


def list_runs(root: Path, holding: str | None = None) -> list[RunDirectory]:
    """Every run under `root`, oldest first, or those with a file of that name; empty when there is
    no such folder."""
    if not root.is_dir():
        return []
    with os.scandir(root) as entries:
        folders = [
            Path(entry.path)
            for entry in entries
            if entry.is_dir() and (holding is None or Path(entry.path, holding).is_file())
        ]
    return [
        RunDirectory(path)
        for path in sorted(folders, key=_age)
        if (path / RESULT).is_file() or (path / PARTIAL).is_file()
    ]


def _age(folder: Path) -> tuple[str, int]:
    # The name shows the second, and several runs can begin in one.
    return folder.name.partition("-")[0], folder.stat().st_mtime_ns


def none_in(root: Path, what: str, make: str) -> InputError:
    """That a folder has no such run, and that it is none, if so; `make` is what makes one."""
    if root.is_dir():
        return InputError(what, str(root), f"make one: {make}")
    why = "this is no folder" if root.exists() else "there is no such folder"
    return InputError(
        f"{what}: {why}",
        str(root),
        f"name the folder of your runs (--runs or PLANECAST_RUNS), or make one: {make}",
    )


def find_run(name: str, root: Path) -> RunDirectory:
    """The run that a person names: a folder, its ``result.json``, a name under `root`, ``latest``.

    Raises InputError when there is none.
    """
    if name == "latest":
        complete = [run for run in list_runs(root) if not run.partial]
        if not complete:
            raise none_in(root, "there is no complete run", "planecast measure")
        return complete[-1]
    for path in (Path(name), root / name):
        if path.is_dir():
            return RunDirectory(path)
        if path.is_file() and path.name == RESULT:
            return RunDirectory(path.parent)
    near = [run.path.name for run in list_runs(root)][-3:]
    hint = f"the last ones are {', '.join(near)}" if near else "name a run's folder"
    if not root.is_dir():
        hint = (
            f"there is no folder {root} to look in: name a run's folder, or that of all runs "
            "(--runs)"
        )
    raise InputError("there is no such run", name, hint)


def picked(text: str) -> tuple[str, int | None]:
    """``RUN#2`` as the run and the position in it, from 0; None for the whole run.

    Raises InputError for what stands after # and is no number from 1.
    """
    run, mark, number = text.rpartition("#")
    if not mark:
        return text, None
    if not number.isdecimal() or int(number) == 0:
        raise InputError(f"got '{text}'", "RUN", "after # comes a number from 1, as in latest#2")
    return run, int(number) - 1
