"""A child process: started in a session of its own, its words in a file, ended when we end.

Data planes, generators, neighbours and their helpers are such processes. What each of them is asked
is its own affair; start, last words and clean-up are here.
"""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import time
from abc import ABC, abstractmethod
from collections.abc import Callable, Collection, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from subprocess import DEVNULL
from tempfile import TemporaryFile
from typing import IO, Any, Self

from planecast.cleanup import note_process
from planecast.errors import InputError, MissingError, RunError, last_words

STOP_TIMEOUT_S = 5.0


@dataclass(frozen=True)
class Planned:
    """A process that would be started, as a person reads it."""

    words: tuple[str, ...]
    """Its command."""
    file: str = ""
    """Name of its configuration in the command; empty when it reads none."""
    text: str = ""
    """What is in that file."""

    def moved(self, folder: str, name: str) -> Planned:
        """The same with a folder that is new each time called otherwise."""
        words = tuple(word.replace(folder, name) for word in self.words)
        return Planned(words, self.file.replace(folder, name), self.text.replace(folder, name))


class Started(ABC):
    """A context manager that starts something and stops it, also when the start fails."""

    def __enter__(self) -> Self:
        try:
            self._start()
        except BaseException:
            self.stop()
            raise
        return self

    def __exit__(self, *about: object) -> None:
        self.stop()

    def begin(self) -> None:  # noqa: B027 - most have nothing to begin with
        """What of the start needs no waiting; entering it does the rest. Raises PlanecastError."""

    @abstractmethod
    def _start(self) -> None:
        """Starts it. Raises PlanecastError."""

    @abstractmethod
    def stop(self) -> None:
        """Ends it and removes what it left; nothing when it doesn't run."""


class Process(Started):
    """A running command."""

    def __init__(
        self,
        name: str,
        words: Sequence[str],
        said: Path | None = None,
        *,
        environment: Mapping[str, str] | None = None,
        folder: Path | None = None,
        stdin: int = DEVNULL,
        stdout: int | None = None,
        descriptors: Sequence[int] = (),
    ) -> None:
        """`said`: the file, in a private folder, that its output and errors go to, next to which
        the process is noted as one that may outlive us; without it they are in no folder. `stdout`
        takes the output elsewhere. It runs in `folder` and inherits `descriptors`."""
        self.name = name
        self.words = list(words)
        self._said = said
        self._environment = environment
        self._folder = folder
        self._streams = (stdin, stdout)
        self._descriptors = tuple(descriptors)
        self._child: subprocess.Popen[str] | None = None
        self._output: IO[bytes] | None = None
        self._last_words = ""

    def _start(self) -> None:
        stdin, stdout = self._streams
        # Closed by `close`, which keeps what it holds.
        self._output = TemporaryFile() if self._said is None else self._said.open("w+b")  # noqa: SIM115
        try:
            self._child = subprocess.Popen(
                self.words,
                stdin=stdin,
                stdout=self._output if stdout is None else stdout,
                stderr=self._output,
                cwd=self._folder,
                env=self._environment,
                pass_fds=self._descriptors,
                text=True,
                errors="replace",
                start_new_session=True,  # a Ctrl-C is ours to pass on, once
            )
        except OSError as error:
            reason = error.strerror or str(error)
            where = str(error.filename or self.words[0])
            raise RunError(f"{self.name} can't be started: {reason}", where) from error
        if self._said is not None:
            note_process(self._said.parent, self._child.pid)

    @property
    def pid(self) -> int | None:
        """Its number; None when it doesn't run."""
        return None if self._child is None else self._child.pid

    @property
    def stdin(self) -> IO[str]:
        """Its input, where that is a pipe. Raises RunError when it doesn't run."""
        child = self._running()
        assert child.stdin is not None
        return child.stdin

    @property
    def stdout(self) -> IO[str]:
        """Its output, where that is a pipe. Raises RunError when it doesn't run."""
        child = self._running()
        assert child.stdout is not None
        return child.stdout

    def ended(self, wait_s: float = 0.0) -> int | None:
        """Its exit code, waiting for it so long; None when it still runs."""
        child = self._running()
        with suppress(subprocess.TimeoutExpired):
            return child.wait(wait_s) if wait_s > 0 else child.poll()
        return None

    def check(self, wait_s: float = 0.0) -> None:
        """Raises RunError or InputError with its last words when it has ended, or does so soon."""
        code = self.ended(wait_s)
        if code is not None:
            raise ended_error(self.name, code, self.said())

    def said(self) -> str:
        """What it has written."""
        output = self._output
        if output is None:
            return self._last_words
        size = os.fstat(output.fileno()).st_size
        # The child writes where the file's position is.
        return os.pread(output.fileno(), size, 0).decode("utf-8", errors="replace")

    def stop(self) -> None:
        """Ends it, politely first, and closes its pipes."""
        try:
            self.end()
        finally:
            self.close()

    def end(self) -> None:
        """Ends it, politely first."""
        if self._child is not None:
            end_politely(self._child, STOP_TIMEOUT_S)

    def close(self) -> None:
        """Closes the pipes and the file of a process that has ended."""
        child, self._child = self._child, None
        if self._output is not None:
            self._last_words = self.said()
            self._output.close()
            self._output = None
        for stream in () if child is None else (child.stdin, child.stdout):
            if stream is not None:
                with suppress(OSError):  # a request that it never read
                    stream.close()

    def _running(self) -> subprocess.Popen[str]:
        if self._child is None:
            raise RunError(f"{self.name} is not running")
        return self._child


def eal_environment(folder: Path) -> dict[str, str]:
    """Ours, and a folder where EAL keeps its files and sockets: killed, it would leave them in
    DPDK's own, which all programs have."""
    return {**os.environ, "RUNTIME_DIRECTORY": str(folder)}


def wait_until(
    ready: Callable[[], object],
    timeout_s: float,
    check: Callable[[], None],
    late: RunError,
    *,
    step_s: float = 0.02,
    said: Callable[[], str] | None = None,
) -> None:
    """Waits until something is `ready`; `check` raises when it never can be. Raises `late` after
    `timeout_s`, with the last lines of what the program `said`."""
    until = time.monotonic() + timeout_s
    while not ready():
        check()
        if time.monotonic() > until:
            late.said = () if said is None else last_words(None, said())
            raise late
        time.sleep(step_s)


def end_politely(process: subprocess.Popen[Any], timeout_s: float) -> None:
    """Asks a process to end, kills it when it has not after so long; it is gone when this returns,
    also when we are interrupted before that."""
    if process.poll() is not None:
        return
    try:
        process.send_signal(signal.SIGTERM)
        process.wait(timeout_s)
    except BaseException as error:
        process.kill()
        process.wait()
        if not isinstance(error, subprocess.TimeoutExpired):
            raise


def end_children(over: Callable[[], bool], but: Collection[int]) -> None:
    """Ends what this process has started, `but` these, politely first, until all is `over`: for
    other threads, which wait for it, may start more, and are not interrupted themselves."""
    asked: dict[int, float] = {}
    while not over():
        now = time.monotonic()
        for pid in children().difference(but):
            if pid not in asked or now - asked[pid] > STOP_TIMEOUT_S:
                with suppress(OSError):  # it is gone, or another user's
                    os.kill(pid, signal.SIGKILL if pid in asked else signal.SIGTERM)
                asked.setdefault(pid, now)
        time.sleep(0.02)


def children() -> set[int]:
    """Processes that this one has started, until who did so has seen them end; none where the
    kernel does not say."""
    found: set[int] = set()
    for thread in Path("/proc/self/task").iterdir():
        with suppress(OSError):  # the thread is gone
            found.update(map(int, (thread / "children").read_text().split()))
    return found


def pdeath_words(signal_name: str) -> tuple[str, ...]:
    """Words before a command that have the kernel send it a signal when the thread that started it
    is gone, even when we are killed.

    Raises MissingError without setpriv (util-linux).
    """
    setpriv = shutil.which("setpriv")
    if setpriv is None:
        raise MissingError("setpriv is not installed", "PATH", "apt-get install util-linux")
    return (setpriv, "--pdeathsig", signal_name, "--")


def dying_with_us(words: Sequence[str]) -> list[str]:
    """The command so that it ends when we are gone. Raises MissingError without setpriv."""
    return [*pdeath_words("KILL"), *words]


_COMPLAINTS = ("cause:", "fail", "invalid", "cannot", "can't", "unable")
"""What lines have that say why a program ended; others may be written after them."""


def ended_error(name: str, code: int, said: str) -> Exception:
    """What a program's last words and its exit code mean."""
    complaints = [
        line.strip()
        for line in said.splitlines()
        if any(word in line.lower() for word in _COMPLAINTS)
    ]
    last = [line.strip() for line in said.splitlines() if line.strip()]
    reason = complaints[0] if complaints else (last[-1] if last else f"it ended with code {code}")
    words = last_words(code, said, reason)
    if code < 0:
        return RunError(ended_text(code), name, said=words)
    if "invalid" in reason.lower():
        return InputError(reason, name, said=words)
    return RunError(reason, name, said=words)


def ended_text(code: int) -> str:
    """How a process ended, by its exit code."""
    with suppress(ValueError):
        if code < 0:
            return f"it was ended by {signal.Signals(-code).name}"
    return f"it ended with code {code}"
