"""A compiled program of planecast that answers requests: started, asked, ended.

Bottom of the import order, beside ``native``: data planes and generators are both such programs
(docs/design/interfaces.md, sections 1 and 4).
"""

from __future__ import annotations

import json
import os
import queue
import signal
import subprocess
import tempfile
import threading
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import IO, Any, Self

from planecast.errors import (
    EXIT_BAD_INPUT,
    EXIT_MISSING,
    InputError,
    MissingError,
    RunError,
    last_words,
)
from planecast.leftovers import private_folder
from planecast.native import native_program

START_TIMEOUT_S = 120.0
"""A million flows and 65,536 rules take half a minute to build."""
_WITH_SOCKETS_BYTES_MAX = 107 - len("/dpdk/planecast-1234567/dpdk_telemetry.v2:12345")
"""The path of a socket has 107 bytes (unix(7)), of which EAL's longest takes some."""
STOP_TIMEOUT_S = 5.0
_LAST_WORDS_S = 1.0
"""A program that says what is no answer may be about to end, and then says why."""


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
        """The same with a folder that is made anew each time called otherwise."""
        words = tuple(word.replace(folder, name) for word in self.words)
        return Planned(words, self.file.replace(folder, name), self.text.replace(folder, name))


class ControlledProgram:
    """A running process that answers requests. A context manager: it never outlives its block."""

    def __init__(
        self,
        program: str,
        title: str,
        configuration: str,
        eal_arguments: Sequence[str] = (),
        before: Sequence[str] = (),
    ) -> None:
        """`before` are words before the command, to run it elsewhere."""
        self._program = program
        self._title = title
        self._configuration = configuration
        self._eal_arguments = list(eal_arguments)
        self._before = list(before)
        self._process: subprocess.Popen[str] | None = None
        self._lines: queue.Queue[str | None] = queue.Queue()
        self._folder: tempfile.TemporaryDirectory[str] | None = None
        self._said: Path | None = None
        self._reader: threading.Thread | None = None
        self.ready: dict[str, Any] = {}
        """What its first word told; empty before."""

    def __enter__(self) -> Self:
        try:
            self._start()
        except BaseException:
            self.stop()
            raise
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.stop()

    def _check(self) -> None:
        """What has to hold before it is started. Raises PlanecastError."""

    def _path(self) -> Path:
        """The program. Raises MissingError when it isn't there."""
        return native_program(self._program)

    def _start(self) -> None:
        """Starts the program and waits until it is ready.

        Raises MissingError, InputError or RunError with what the program said.
        """
        program = self._path()
        self._check()
        try:
            self._launch(program)
        except OSError as error:
            raise RunError(
                f"{self._title} can't be started: {error.strerror or error}",
                str(error.filename or ""),
            ) from error
        answer = self.answer(START_TIMEOUT_S)
        if "ready" not in answer:
            raise RunError(f"{self._title}'s first word was {answer}")
        self.ready = answer["ready"] if isinstance(answer["ready"], dict) else {}

    def _launch(self, program: Path) -> None:
        """Starts the process, and the thread that reads it. Raises OSError."""
        self._folder = private_folder()
        path = Path(self._folder.name) / f"{self._program.removeprefix('planecast-')}.ini"
        path.write_text(self._configuration, encoding="utf-8")
        self._said = Path(self._folder.name) / "stderr"
        with self._said.open("w") as said:
            self._process = subprocess.Popen(
                [*self._before, *self._command(program, path)],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=said,
                env=_environment(self._folder.name),
                text=True,
                errors="replace",
                start_new_session=True,  # a Ctrl-C is ours to pass on, once
            )
        assert self._process.stdout is not None
        self._reader = threading.Thread(
            target=self._read, args=(self._process.stdout,), daemon=True
        )
        self._reader.start()

    def plan(self, file: str = "") -> Planned:
        """What would be started, its configuration in a `file` of this name. Raises MissingError
        when the program isn't there."""
        named = file or f"{self._program.removeprefix('planecast-')}.ini"
        words = (*self._before, *self._command(self._path(), Path(named)))
        return Planned(words, named, self._configuration)

    def _command(self, program: Path, configuration: Path) -> list[str]:
        """What is run."""
        command = [str(program), str(configuration), "--control"]
        return [*command, "--", *self._eal_arguments] if self._eal_arguments else command

    def ask(self, request: str, timeout_s: float) -> dict[str, Any]:
        """The answer to one request. Raises RunError when it fails or takes too long."""
        self.say(request)
        return self.answer(timeout_s)

    def say(self, request: str) -> None:
        """Makes a request without waiting for its answer. Raises RunError when it is gone."""
        if self._process is None:
            raise RunError(f"{self._title} is not running")
        assert self._process.stdin is not None
        try:
            self._process.stdin.write(request + "\n")
            self._process.stdin.flush()
        except (OSError, ValueError):  # ValueError: closed by a stop meanwhile
            raise self._failure() from None

    @property
    def pid(self) -> int | None:
        """Its process; None when it doesn't run."""
        return None if self._process is None else self._process.pid

    def check(self) -> None:
        """Raises RunError with its last words when it has ended."""
        if self._process is None or self._process.poll() is not None:
            raise self._failure()

    def stop(self) -> None:
        """Ends the process, politely first, and takes its files away."""
        process, self._process = self._process, None
        try:
            if process is not None:
                end_politely(process, STOP_TIMEOUT_S)
        finally:
            self._close(process)
            if self._folder is not None:
                self._folder.cleanup()
                self._folder = None

    def _close(self, process: subprocess.Popen[str] | None) -> None:
        """Closes the pipes of a process that has ended."""
        if self._reader is not None:
            self._reader.join(STOP_TIMEOUT_S)
            if self._reader.is_alive():  # a child of its own has the pipe still
                return
        for stream in (process.stdin, process.stdout) if process is not None else ():
            if stream is not None:
                with suppress(OSError):  # a request that it never read
                    stream.close()

    def _read(self, stream: IO[str]) -> None:
        for line in stream:
            self._lines.put(line)
        self._lines.put(None)

    def answer(self, timeout_s: float) -> dict[str, Any]:
        """The next answer. Raises RunError when it fails or takes too long."""
        try:
            line = self._lines.get(timeout=timeout_s)
        except queue.Empty:
            raise RunError(f"{self._title} did not answer for {timeout_s:.0f} s") from None
        if line is None:
            raise self._failure()
        try:
            answer = json.loads(line)
        except ValueError:
            answer = None
        if not isinstance(answer, dict):
            raise self._no_answer(line)
        return answer

    def _no_answer(self, line: str) -> Exception:
        process = self._process
        with suppress(subprocess.TimeoutExpired):
            if process is not None and process.wait(_LAST_WORDS_S) != 0:
                return self._failure()
        return RunError(
            f"{self._title} said what is no answer: {line.strip()[:80]}",
            what_to_do="build it again with `make setup`",
        )

    def _failure(self) -> Exception:
        """Why the process is gone, in its own last words."""
        process, said_at = self._process, self._said
        if process is None or said_at is None:
            return RunError(f"{self._title} was stopped")
        try:
            code = process.wait(STOP_TIMEOUT_S)
        except subprocess.TimeoutExpired:
            code = -1
        text = said_at.read_text(encoding="utf-8", errors="replace")
        lines = [line for line in text.splitlines() if line.strip()]
        own = [line for line in lines if line.startswith(f"{self._program}: ")]
        if code < 0 and not own:  # what a driver logged is no reason
            return RunError(_ended(code), self._program, said=last_words(code, text))
        said = (own or lines or [""])[-1].removeprefix(f"{self._program}: ")
        if "EAL did not start" in said:  # why, DPDK has said before
            said += "".join(f"; {line}" for line in lines[:-1] if line.startswith("EAL: "))
        if code == EXIT_BAD_INPUT:
            return InputError(said or "it refused its configuration", self._program)
        if code == EXIT_MISSING:
            return MissingError(said or "the machine lacks something", self._program)
        words = last_words(code, text, said)
        return RunError(said or _ended(code), self._program, said=words)


def _environment(folder: str) -> dict[str, str]:
    """Where EAL keeps its sockets: killed, it would leave them in a folder of all. In a folder
    whose path is too long for them they stay there."""
    room = len(os.fsencode(folder)) <= _WITH_SOCKETS_BYTES_MAX
    return {**os.environ, "RUNTIME_DIRECTORY": folder} if room else dict(os.environ)


def _ended(code: int) -> str:
    if code < 0:
        with suppress(ValueError):
            return f"it was ended by {signal.Signals(-code).name}"
    return f"it ended with code {code}"


def end_politely(process: subprocess.Popen[Any], timeout_s: float) -> None:
    """Asks a process to end, kills it when it has not after so long; it is gone when this returns,
    also when we are interrupted meanwhile."""
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
