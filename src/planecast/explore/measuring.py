"""Measures a point in the background, one at a time, as ``planecast measure`` does.

In a process of its own: it pins threads and handles signals as it does when a person types it, and
what is left of it after an interruption is cleaned up there.
"""

from __future__ import annotations

import sys
import threading
import time
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from pydantic import ValidationError

from planecast.cleanup import private_folder
from planecast.errors import InputError
from planecast.explore.copying import scenario_yaml
from planecast.process import Process
from planecast.results import Result, ResultSet
from planecast.scenario import Scenario

Json = dict[str, Any]

SHORTEST_S, LONGEST_S = 1.0, 600.0
_PARTING_S = 10.0
_LOOK_S = 60.0
_SAID = 300
_ANSWER = "results.json"


@dataclass
class Measuring:
    """The measurement that runs, and how the last one ended."""

    runs: Path
    done: list[Result] = field(default_factory=list)
    """What was measured, the latest last."""
    program: tuple[str, ...] = (sys.executable, "-m", "planecast.cli.app")
    _process: Process | None = None
    _waiter: threading.Thread | None = None
    _began: float = 0.0
    _seconds: float = 0.0
    _failed: str = ""
    _stopped: bool = False
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def start(self, scenario: Scenario, seconds: float) -> None:
        """Begins to measure. Raises InputError while another measurement runs, and for a time that
        is none."""
        if not SHORTEST_S <= seconds <= LONGEST_S:
            raise InputError(
                f"got {seconds} seconds", "seconds", f"say {SHORTEST_S:g} to {LONGEST_S:g}"
            )
        with self._lock:
            if self._process is not None:
                raise InputError("a measurement runs already", what_to_do="wait for it, or stop it")
            folder = private_folder()
            here = Path(folder.name)
            file = here / "scenario.yaml"
            file.write_text(scenario_yaml(scenario), encoding="utf-8")
            words = [*self.program, "measure", str(file), "--seconds", f"{seconds:g}"]
            words += ["--runs", str(self.runs), "--format", "json", "-o", str(here / _ANSWER)]
            self._process = Process("measure", words, here / "said").__enter__()
            self._began, self._seconds, self._failed = time.monotonic(), seconds, ""
            self._stopped = False
            self._waiter = threading.Thread(
                target=self._wait, args=(self._process, folder), daemon=True
            )
            self._waiter.start()

    def _wait(self, process: Process, folder: TemporaryDirectory[str]) -> None:
        while (code := process.ended(_LOOK_S)) is None:
            pass
        answer = Path(folder.name) / _ANSWER
        found = answer.read_text(encoding="utf-8") if code == 0 and answer.is_file() else ""
        complaints = process.said()
        process.stop()
        folder.cleanup()
        with self._lock:
            self._process = None
            if code == 0:
                try:
                    self.done.extend(ResultSet.model_validate_json(found).results)
                except ValidationError:
                    self._failed = "the measurement's answer can't be read"
            elif self._stopped:
                self._failed = "stopped before it had a result"
            else:
                self._failed = _last_sentence(complaints) or f"exit status {code}"

    def state(self) -> Json:
        """What is under way, for the page."""
        with self._lock:
            return {
                "running": self._process is not None,
                "seconds": time.monotonic() - self._began if self._process else 0.0,
                "of_seconds": self._seconds,
                "failed": self._failed,
                "count": len(self.done),
            }

    def stop(self) -> None:
        """Ends what runs, as Ctrl-C would, and waits until it is gone."""
        with self._lock:
            process, waiter = self._process, self._waiter
            self._stopped = True
        if process is None or waiter is None:
            return
        process.end()
        waiter.join(_PARTING_S)


def _last_sentence(complaints: str) -> str:
    """The program's own sentence on stderr."""
    lines = [line for line in complaints.splitlines() if line.startswith("planecast: ")]
    return lines[-1].removeprefix("planecast: ")[:_SAID] if lines else ""
