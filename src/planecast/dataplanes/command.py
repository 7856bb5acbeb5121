"""Any command as a data plane under test: started without a shell, ended with us."""

from __future__ import annotations

import shlex
import shutil
import subprocess
import time
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Self

from planecast.controlled import STOP_TIMEOUT_S, Planned, end_politely
from planecast.dataplanes.end import End
from planecast.dataplanes.peer import ended_error
from planecast.errors import InputError, MissingError, RunError
from planecast.leftovers import note_process
from planecast.results.estimate import Estimate

READY_TIMEOUT_S = 60.0


def pdeath_words(signal_name: str) -> tuple[str, ...]:
    """Words before a command that have the kernel send it a signal when the thread that started it
    is gone, even when we are killed.

    Raises MissingError without setpriv (util-linux).
    """
    setpriv = shutil.which("setpriv")
    if setpriv is None:
        raise MissingError("setpriv is not here", "PATH", "apt-get install util-linux")
    return (setpriv, "--pdeathsig", signal_name, "--")


def dying_with_us(words: Sequence[str]) -> list[str]:
    """The command so that it ends when we are gone. Raises MissingError without setpriv."""
    return [*pdeath_words("KILL"), *words]


class CommandProgram:
    """A command that forwards between two links."""

    def __init__(
        self,
        words: Sequence[str],
        folder: Path,
        *,
        name: str = "command",
        ready: str | None = None,
        before: Sequence[str] = (),
    ) -> None:
        """`folder` holds its words; it is the caller's. `ready` are words in them; `before` stands
        before the command, to run it elsewhere."""
        self.name = name
        self._words = list(words)
        self._before = list(before)
        self._said = folder / "said"
        self._folder = folder
        self._ready = ready
        self._process: subprocess.Popen[bytes] | None = None

    def planned(self) -> list[Planned]:
        """One process. Raises MissingError when the program isn't here."""
        return [Planned(tuple(self._command()))]

    def __enter__(self) -> Self:
        words = [*self._before, *dying_with_us(self._command())]
        try:
            with self._said.open("wb") as said:
                self._process = subprocess.Popen(
                    words,
                    stdin=subprocess.DEVNULL,
                    stdout=said,
                    stderr=said,
                    cwd=self._folder,
                    start_new_session=True,  # a Ctrl-C is ours to pass on, once
                )
            note_process(self._folder, self._process.pid)
            self._wait_ready()
        except BaseException:
            self.stop()
            raise
        return self

    def __exit__(self, *about: object) -> None:
        self.stop()

    def ports(self) -> Mapping[str, int]:
        """Nothing."""
        return {}

    def check(self) -> None:
        """Raises RunError with its last words when it has ended."""
        process = self._process
        if process is None:
            raise RunError(f"{self.name} is not running")
        code = process.poll()
        if code is not None:
            raise ended_error(self.name, code, self.said())

    @property
    def pid(self) -> int | None:
        """Its process; None when it doesn't run."""
        return None if self._process is None else self._process.pid

    def said(self) -> str:
        """What it has written to its output and errors."""
        with suppress(OSError):
            return self._said.read_text(encoding="utf-8", errors="replace")
        return ""

    def begin_opinion(self) -> None:
        """Nothing is known of it."""

    def opinion(self) -> Mapping[str, Estimate]:
        """Nothing."""
        return {}

    def stop(self) -> None:
        """Ends it, politely first."""
        process, self._process = self._process, None
        if process is not None:
            end_politely(process, STOP_TIMEOUT_S)

    def _command(self) -> list[str]:
        """Raises MissingError when the program isn't here."""
        program = shutil.which(self._words[0])
        if program is None:
            raise MissingError(
                "there is no such program", self._words[0], "install it, or name its path"
            )
        return [program, *self._words[1:]]

    def _wait_ready(self) -> None:
        until = time.monotonic() + READY_TIMEOUT_S
        while self._ready is not None and self._ready not in self.said():
            self.check()
            if time.monotonic() > until:
                raise RunError(
                    f"it did not say '{self._ready}' in {READY_TIMEOUT_S:.0f} s", self.name
                )
            time.sleep(0.02)


def filled_words(
    command: str, ends: Sequence[End], cpu: int, main_cpu: int, folder: Path
) -> list[str]:
    """A command's words with what its placeholders stand for.

    Raises InputError for words that can't be told apart and for a placeholder that isn't known.
    """
    first, last = ends
    values = {
        "in": first.address,
        "out": last.address,
        "in_role": first.role,
        "out_role": last.role,
        "in_eal": "=".join(first.eal(0)),
        "out_eal": "=".join(last.eal(1)),
        "ring": first.ring_exponent,
        "cpu": cpu,
        "main_cpu": main_cpu,
        "folder": folder,
    }
    try:
        return [word.format_map(values) for word in shlex.split(command)]
    except KeyError as error:
        raise InputError(
            f"{{{error.args[0]}}} stands for nothing",
            "dataplane.command",
            "known are " + ", ".join(f"{{{name}}}" for name in values),
        ) from None
    except (ValueError, IndexError) as error:
        raise InputError(f"can't read '{command}': {error}", "dataplane.command") from None
