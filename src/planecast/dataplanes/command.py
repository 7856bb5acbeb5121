"""Any command as a data plane under test: started without a shell, ended with us."""

from __future__ import annotations

import shlex
import shutil
import socket
from collections.abc import Iterator, Sequence
from pathlib import Path
from string import Formatter

from planecast.dataplanes.dut import Program
from planecast.dataplanes.port import Port
from planecast.errors import InputError, MissingError, RunError
from planecast.process import Planned, Process, dying_with_us, eal_environment, wait_until
from planecast.scenario.scenario import Scenario

READY_TIMEOUT_S = 60.0


class CommandProgram(Program):
    """A command that forwards between two links."""

    def __init__(
        self,
        words: Sequence[str],
        folder: Path,
        *,
        name: str = "command",
        ready: str | None = None,
        before: Sequence[str] = (),
        loads: Sequence[str] = (),
        fds: Sequence[int] = (),
        started_in: Path | None = None,
    ) -> None:
        """`folder` holds its words, and what EAL keeps while it runs; it is the caller's. `ready`
        are words in them; `before` stands before the command, to run it elsewhere, and `loads`
        right before it, to load a library into it; `fds` are file descriptors that it inherits;
        `started_in` is its working folder, ours without it."""
        self.name = name
        self._words = list(words)
        self._before, self._loads, self._fds = list(before), list(loads), tuple(fds)
        self._folder = folder
        self._ready = ready
        self._started_in = started_in
        self._process: Process | None = None

    def planned(self) -> list[Planned]:
        """One process. Raises MissingError when the program isn't here."""
        return [Planned(tuple(self._command()))]

    def check(self) -> None:
        """Raises RunError with its last words when it has ended."""
        if self._process is None:
            raise RunError(f"{self.name} is not running")
        self._process.check()

    @property
    def pid(self) -> int | None:
        """Its process; None when it doesn't run."""
        return None if self._process is None else self._process.pid

    def said(self) -> str:
        """What it has written to its output and errors."""
        return "" if self._process is None else self._process.said()

    def stop(self) -> None:
        """Ends it, politely first."""
        if self._process is not None:
            self._process.stop()

    def _command(self) -> list[str]:
        """Raises MissingError when the program isn't here."""
        program = shutil.which(self._words[0])
        if program is None:
            raise MissingError(
                "there is no such program", self._words[0], "install it, or name its path"
            )
        return [*self._loads, str(Path(program).absolute()), *self._words[1:]]

    def _start(self) -> None:
        """Raises RunError when it ends, or never says that it is ready."""
        words = [*self._before, *dying_with_us(self._command())]
        self._process = Process(
            self.name,
            words,
            self._folder / "said",
            environment=eal_environment(self._folder),
            folder=self._started_in,
            descriptors=self._fds,
        )
        self._process.__enter__()
        wait_ready(self._ready, self._process)


def folder_started_in(scenario: Scenario, own: Path) -> Path | None:
    """The working folder of a scenario's program: `own`, which is private, or None, ours, where
    relative paths in a command of a person's own are what they are in a shell."""
    return None if scenario.dataplane.kind == "command" else own


def ready_words(scenario: Scenario) -> str | None:
    """Words in the output of a scenario's program that say that it is up; None where none do."""
    return scenario.dataplane.ready if scenario.dataplane.kind == "command" else None


def wait_ready(words: str | None, process: Process, timeout_s: float | None = None) -> None:
    """Waits until a program has written these words; None: it has none. Raises RunError when it
    ends before, or does not write them in `timeout_s`, READY_TIMEOUT_S without it."""
    if words is None:
        return
    timeout_s = timeout_s or READY_TIMEOUT_S
    late = RunError(
        f"it did not print '{words}' in {timeout_s:.0f} s",
        process.name,
        "flush what it prints: output to a file is buffered",
    )
    wait_until(lambda: words in process.said(), timeout_s, process.check, late, said=process.said)


def has_eal_ports(command: str) -> bool:
    """Whether a command takes its ports as DPDK programs do."""
    return "_eal}" in command


def has_both_eal_ports(command: str) -> bool:
    """Whether it takes both so: without one, EAL would look for ports of its own."""
    return "{in_eal}" in command and "{out_eal}" in command


def _free_tcp_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as listening:
        number: int = listening.getsockname()[1]
    return number


def filled_words(
    command: str, ports: Sequence[Port], cpu: int, main_cpu: int, folder: Path
) -> list[str]:
    """A command's words with what its placeholders stand for.

    Raises InputError for words that can't be distinguished, for a placeholder that isn't known, and
    where no program is named.
    """
    first, last = ports
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
    if "{tcp_port}" in command:
        values["tcp_port"] = _free_tcp_port()
    known = ", ".join(f"{{{name}}}" for name in dict.fromkeys((*values, "tcp_port")))
    try:
        words = shlex.split(command)
        for name in _placeholders(words):
            if name not in values:
                raise InputError(
                    f"{{{name}}} is not a placeholder", "dataplane.command", f"known are {known}"
                )
        words = [word.format_map(values) for word in words]
    except ValueError as error:
        raise InputError(f"can't read '{command}': {error}", "dataplane.command") from None
    if not words or not words[0]:
        raise InputError(
            "the command names no program", "dataplane.command", "write the line that starts it"
        )
    return words


def _placeholders(words: Sequence[str]) -> Iterator[str]:
    """All that stands between braces, as it is: Python's format would look into a value, too."""
    for word in words:
        for _, name, form, conversion in Formatter().parse(word):
            if name is not None:
                yield name + (f"!{conversion}" if conversion else "") + (f":{form}" if form else "")
