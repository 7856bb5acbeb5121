"""The journal: every trial on disk before the next one begins, so that a search can be resumed.

A search is a function of its trials: given the same ones it asks for the same next one. So nothing
of its state is kept. A search that is resumed runs from its beginning, and is answered from the
journal until that ends; even a kill in the middle of a line costs one trial.
"""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from planecast.errors import InputError
from planecast.results.atomic import disk_errors
from planecast.scenario.read_file import MOST_OF_A_RUN, read_bytes
from planecast.search.trial import Trial

JOURNAL = "trials.jsonl"
_LATENCIES = ("mean", "p50", "p99")
_SAME = 1e-9
"""Loads that differ by less are the same load, written and read."""


class Journal:
    """The trials of a search, in order, in a file. A context manager that closes it."""

    def __init__(self, path: Path, *, sync: bool = True) -> None:
        """Reads what an earlier search left. Raises InputError for a file that is no journal,
        RunError when it can't be written. Without `sync` a trial is lost with the machine's power,
        not with the process."""
        self.path = path
        self._sync = sync
        self.trials = _read(path)
        """All trials, those of earlier searches first."""
        self._next = 0
        with disk_errors(path):
            self._file = path.open("a", encoding="utf-8")

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *about: object) -> None:
        self._file.close()

    @property
    def number(self) -> int:
        """Number of the next trial."""
        return self._next

    def recall(self, repetition: int, offered_pps: float, seconds: float) -> Trial | None:
        """The next trial as it was made; None when it has to be made.

        Raises InputError when another one was made there: it is another search's journal.
        """
        if self._next >= len(self.trials):
            return None
        trial = self.trials[self._next]
        same = (
            trial.repetition == repetition
            and abs(trial.intended_pps - offered_pps) <= _SAME * offered_pps
            and abs(trial.intended_seconds - seconds) <= _SAME * seconds
        )
        if not same:
            raise InputError(
                f"trial {self._next + 1} was at {trial.intended_pps:.6g} packets a second and not "
                f"at {offered_pps:.6g}: these are the trials of another search",
                str(self.path),
                "begin a new one",
            )
        self._next += 1
        return trial

    def columns(self) -> dict[str, NDArray[Any]]:
        """All trials as columns, a row each."""
        rows = [
            {
                "repetition": trial.repetition,
                "intended_pps": trial.intended_pps,
                "seconds": trial.seconds,
                "offered": trial.offered,
                "received": trial.received,
                "unsent": trial.unsent,
                "away": trial.away,
                "lost_cpu": trial.lost_cpu,
                "canary_cycles": np.nan if trial.canary_cycles is None else trial.canary_cycles,
                "handoff_ns": np.nan if trial.handoff_ns is None else trial.handoff_ns,
                **{f"{name}_ns": trial.latency_ns.get(name, np.nan) for name in _LATENCIES},
            }
            for trial in self.trials
        ]
        return {name: np.array([row[name] for row in rows]) for name in rows[0]}

    def keep(self, trial: Trial) -> None:
        """Writes a trial down. Raises RunError for what the disk refuses."""
        with disk_errors(self.path):
            self._file.write(trial.model_dump_json() + "\n")
            self._file.flush()
            if self._sync:
                os.fsync(self._file.fileno())
        self.trials.append(trial)
        self._next = len(self.trials)


def _read(path: Path) -> list[Trial]:
    """The whole lines of a journal; a last one that was cut off is removed."""
    if not path.exists():
        return []
    found, kept = [], 0
    with disk_errors(path):
        text = read_bytes(path, MOST_OF_A_RUN)
    for number, line in enumerate(text.splitlines(keepends=True), 1):
        if not line.endswith(b"\n"):
            break
        try:
            found.append(Trial.model_validate(json.loads(line)))
        except (ValueError, RecursionError):
            raise InputError(
                "this line is no trial", f"{path}:{number}", "name a run of planecast search"
            ) from None
        kept += len(line)
    if kept < len(text):
        with disk_errors(path):
            os.truncate(path, kept)
    return found
