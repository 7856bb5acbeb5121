"""A child process driven by JSON lines: started, asked, stopped.

Our data plane, generator and neighbour are such programs (docs/reference/interfaces.md, sections 1
and 4), and `planecast dataplane` on another host.
"""

from __future__ import annotations

import json
import os
import queue
import tempfile
import threading
from collections.abc import Sequence
from pathlib import Path
from subprocess import PIPE
from typing import IO, Any

from planecast.cleanup import private_folder
from planecast.errors import (
    EXIT_BAD_INPUT,
    EXIT_MISSING,
    InputError,
    MissingError,
    RunError,
    last_words,
)
from planecast.native import how_to_build, native_program
from planecast.process import STOP_TIMEOUT_S, Planned, Process, Started, eal_environment, ended_text

START_TIMEOUT_S = 120.0
"""A million flows and 65,536 rules take half a minute to build."""
_WITH_SOCKETS_BYTES_MAX = 107 - len("/dpdk/planecast-1234567/dpdk_telemetry.v2:12345")
"""The path of a socket has 107 bytes (unix(7)), of which EAL's longest takes some."""
_LAST_WORDS_S = 1.0
"""A program that sends a malformed reply may be about to end, and then says why."""


class JsonProcess(Started):
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
        self._process: Process | None = None
        self._lines: queue.Queue[str | None] = queue.Queue()
        self._folder: tempfile.TemporaryDirectory[str] | None = None
        self._reader: threading.Thread | None = None
        self.ready: dict[str, Any] = {}
        """Its first answer; empty before."""

    def _check(self) -> None:
        """What has to hold before it is started. Raises PlanecastError."""

    def _path(self) -> Path:
        """The program. Raises MissingError when it isn't there."""
        return native_program(self._program)

    def begin(self) -> None:
        """Starts the program, which builds what it needs while others are started. Entering it
        waits until it is ready; `stop` ends it. Raises MissingError, InputError or RunError."""
        program = self._path()
        self._check()
        self._launch(program)

    def _start(self) -> None:
        """Starts the program, unless it has begun, and waits until it is ready.

        Raises MissingError, InputError or RunError with what the program said.
        """
        if self._process is None:
            self.begin()
        answer = self.answer(START_TIMEOUT_S)
        if "ready" not in answer:
            raise RunError(f"{self._title}'s first message was {answer}")
        self.ready = answer["ready"] if isinstance(answer["ready"], dict) else {}

    def _launch(self, program: Path) -> None:
        """Starts the process, and the thread that reads it."""
        self._folder = private_folder()
        folder = Path(self._folder.name)
        path = folder / f"{self._program.removeprefix('planecast-')}.ini"
        path.write_text(self._configuration, encoding="utf-8")
        words = [*self._before, *self._command(program, path)]
        # In a folder whose path is too long for sockets they stay in DPDK's own.
        room = len(os.fsencode(folder)) <= _WITH_SOCKETS_BYTES_MAX
        environment = eal_environment(folder) if room else None
        self._process = Process(
            self._title, words, folder / "stderr", environment=environment, stdin=PIPE, stdout=PIPE
        )
        self._process.__enter__()
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
        try:
            self._process.stdin.write(request + "\n")
            self._process.stdin.flush()
        except (OSError, ValueError):  # ValueError: a stop has closed it
            raise self._failure() from None

    @property
    def pid(self) -> int | None:
        """Its process; None when it doesn't run."""
        return None if self._process is None else self._process.pid

    def check(self) -> None:
        """Raises RunError with its last words when it has ended."""
        if self._process is None or self._process.ended() is not None:
            raise self._failure()

    def stop(self) -> None:
        """Ends the process, politely first, and removes its files."""
        process, self._process = self._process, None
        try:
            if process is not None:
                process.end()
        finally:
            if self._reader is not None:
                self._reader.join(STOP_TIMEOUT_S)
            # A child of its own may have the pipe still: then the thread reads on.
            if process is not None and not (self._reader and self._reader.is_alive()):
                process.close()
            if self._folder is not None:
                self._folder.cleanup()
                self._folder = None

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
        if self._process is not None and self._process.ended(_LAST_WORDS_S):
            return self._failure()
        return RunError(
            f"{self._title} sent a malformed reply: {line.strip()[:80]}",
            what_to_do=f"build it again with {how_to_build()}",
        )

    def _failure(self) -> Exception:
        """Why the process is gone, in its own last words."""
        process = self._process
        if process is None:
            return RunError(f"{self._title} was stopped")
        code = process.ended(STOP_TIMEOUT_S)
        code = -1 if code is None else code
        text = process.said()
        lines = [line for line in text.splitlines() if line.strip()]
        own = [line for line in lines if line.startswith(f"{self._program}: ")]
        if code < 0 and not own:  # what a driver logged is no reason
            return RunError(ended_text(code), self._program, said=last_words(code, text))
        said = (own or lines or [""])[-1].removeprefix(f"{self._program}: ")
        if "EAL did not start" in said:  # why, DPDK has said before
            said += "".join(f"; {line}" for line in lines[:-1] if line.startswith("EAL: "))
        if code == EXIT_BAD_INPUT:
            return InputError(said or "it refused its configuration", self._program)
        if code == EXIT_MISSING:
            return MissingError(said or "the machine lacks something", self._program)
        words = last_words(code, text, said)
        return RunError(said or ended_text(code), self._program, said=words)
