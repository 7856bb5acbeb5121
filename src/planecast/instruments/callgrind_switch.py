"""Callgrind's counting switched from outside, for a program that no library can be loaded into."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

from planecast.errors import MissingError, RunError

_TIMEOUT_S = 60.0


class CallgrindSwitch:
    """Counting in one process under callgrind, by valgrind's own door for debuggers (vgdb)."""

    def __init__(self, folder: Path) -> None:
        """`folder` is empty, private, and the caller's. Raises MissingError without vgdb."""
        found = shutil.which("vgdb")
        if found is None:
            raise MissingError("vgdb is not installed", what_to_do="apt-get install valgrind")
        self._program = found
        self._prefix = f"--vgdb-prefix={folder / 'vgdb'}"

    @property
    def words(self) -> tuple[str, ...]:
        """Valgrind's options."""
        return ("--vgdb=yes", self._prefix)

    def on(self, pid: int) -> None:
        """Counts from now on. Raises RunError when the process doesn't answer."""
        self._ask(pid, "instrumentation on")

    def off(self, pid: int) -> None:
        """Counts no more, and writes what was counted to a file of its own. Raises RunError."""
        self._ask(pid, "instrumentation off")
        self._ask(pid, "dump")

    def _ask(self, pid: int, command: str) -> None:
        words = [self._program, self._prefix, f"--pid={pid}", *command.split()]
        try:
            done = subprocess.run(
                words, capture_output=True, text=True, check=False, timeout=_TIMEOUT_S
            )
        except subprocess.TimeoutExpired:
            raise RunError(f"no answer after {_TIMEOUT_S:.0f} s", f"valgrind: {command}") from None
        if done.returncode != 0:
            said = (done.stderr or done.stdout).strip().splitlines()
            raise RunError(said[-1] if said else "it failed", f"valgrind: {command}")
