"""A DPDK program of others as a data plane: start it, wait until it forwards, observe it, stop it.

What it leaves behind is nothing: its runtime folder and its words are temporary, its memory is no
file, and it ends when we do, even when we are killed (the meter notices).
"""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import tempfile
import time
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import IO, Literal, Self

from planecast.controlled import STOP_TIMEOUT_S, end_politely
from planecast.dataplanes.end import device_words
from planecast.dataplanes.meter import Meter, MeterAnswer, PortStats, wait_attached
from planecast.errors import InputError, MissingError, RunError, last_words
from planecast.instruments.dpdk_telemetry import SOCKET
from planecast.leftovers import private_folder

START_TIMEOUT_S = 30.0
MEMORY_MIB = 512
"""Room for the pools of the programs here, with some ports."""
LARGE_SHARE = 0.9
"""Share of a program's memory in large pages from which on it counts as being on them."""

PageSize = Literal["4KiB", "2MiB"]


@dataclass(frozen=True)
class PeerPlan:
    """How a peer is started: everything that differs between them."""

    name: str
    program: str
    """A path, or a name that is looked up in PATH."""
    cpu: int
    """Where it forwards."""
    package: str
    """What to install, or do, when the program isn't there."""
    eal: tuple[str, ...]
    """Its EAL arguments: lcores and ports. Memory, pages and folders are the peer's affair."""
    arguments: tuple[str, ...]
    """Its own arguments."""
    port: int = 0
    """The port that is metered."""
    side: Literal["rx", "tx"] = "rx"
    page_size: PageSize = "2MiB"
    before: tuple[str, ...] = ()
    """Words before the command, to run it elsewhere: in a network namespace."""
    metered: bool = True
    """False: it forwards freely from its start on, and answers no trials. A memory interface has
    no receive function that could be metered before the other side has come."""
    telemetry: bool = False
    """Whether DPDK's telemetry socket is open."""


class Peer:
    """A running peer. A context manager: it never outlives its block. It sleeps between trials."""

    def __init__(self, plan: PeerPlan) -> None:
        self.plan = plan
        self._process: subprocess.Popen[bytes] | None = None
        self._meter: Meter | None = None
        self._folder: tempfile.TemporaryDirectory[str] | None = None
        self._said: IO[bytes] | None = None

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

    def trial(self, windows: int, packets: int, warmup: int, seconds: float = 10.0) -> MeterAnswer:
        """Windows of `packets` each after `warmup` packets. Raises RunError when it fails."""
        meter = self._running()
        try:
            answer = meter.trial(windows, packets, warmup, seconds)
        except RunError:
            self._raise_if_ended()
            raise
        if answer.cpu != self.plan.cpu:
            raise RunError(
                f"it forwards on CPU {answer.cpu} and not on {self.plan.cpu}", self.plan.name
            )
        return answer

    def observe(self) -> PortStats:
        """What the metered port has counted since the start."""
        return self._running().stats(self.plan.port)

    def check(self) -> None:
        """Raises RunError with its last words when it has ended."""
        self._running()
        assert self._process is not None
        if self._process.poll() is not None:
            self._raise_if_ended()

    def release(self) -> None:
        """Lets it forward unmeasured until the next trial."""
        self._running().release()

    @property
    def tsc_hz(self) -> int:
        """Its clock, in Hz."""
        attached = self._running().attached
        assert attached is not None
        return attached.tsc_hz

    @property
    def page_size(self) -> str:
        """What its packet memory stands on by now: 4KiB, 2MiB or mixed."""
        self._running()
        assert self._process is not None
        return pages_of(Path(f"/proc/{self._process.pid}/smaps").read_text(encoding="ascii"))

    @property
    def pid(self) -> int | None:
        """Its process; None when it doesn't run."""
        return None if self._process is None else self._process.pid

    @property
    def telemetry_socket(self) -> Path | None:
        """Where DPDK's telemetry answers; None when it is not open."""
        self._running()
        assert self._folder is not None
        return next(Path(self._folder.name).rglob(SOCKET), None)

    def stop(self) -> None:
        """Ends the process, politely first, and takes away what it left."""
        process, self._process = self._process, None
        try:
            if process is not None:
                end_politely(process, STOP_TIMEOUT_S)
        finally:
            if process is not None and process.stdin is not None:
                with suppress(OSError):
                    process.stdin.close()
            if self._meter is not None:
                self._meter.close()
                self._meter = None
            if self._said is not None:
                self._said.close()
                self._said = None
            if self._folder is not None:
                with suppress(FileNotFoundError):  # the peer was faster
                    self._folder.cleanup()
                self._folder = None

    def _start(self) -> None:
        """Starts it and waits until it forwards. Raises MissingError, InputError or RunError."""
        program = self._program()
        self._meter = Meter(self.plan.page_size)
        self._folder = private_folder()
        self._said = tempfile.TemporaryFile()  # noqa: SIM115 - closed by stop()
        try:
            self._process = subprocess.Popen(
                self.command(self._meter),
                stdin=subprocess.PIPE,  # testpmd ends when it is closed
                stdout=self._said,
                stderr=self._said,
                env={**os.environ, "RUNTIME_DIRECTORY": self._folder.name},
                pass_fds=[self._meter.descriptor],
                start_new_session=True,  # a Ctrl-C is ours to pass on, once
            )
        except OSError as error:
            raise RunError(
                f"{self.plan.name} can't be started: {error.strerror}", program
            ) from None
        self._meter.started()
        if not self.plan.metered:
            return
        try:
            deadline = time.monotonic() + START_TIMEOUT_S
            waiting = wait_attached(self._meter, self.plan.port, self.plan.side, deadline)
        except RunError:
            self._raise_if_ended()
            raise
        if waiting:
            raise RunError(f"it does not forward after {START_TIMEOUT_S:.0f} s: {waiting}", program)

    def command(self, meter: Meter | None = None) -> list[str]:
        """What is run. The meter is loaded into the program alone, not into what stands before it.

        Raises MissingError when the program isn't here."""
        given = meter.environment() if meter is not None else {}
        loads = ["env", *(f"{name}={value}" for name, value in given.items())] if given else []
        words = [self._program(), *eal_arguments(self.plan), "--", *self.plan.arguments]
        return [*self.plan.before, *loads, *words]

    def _program(self) -> str:
        """Its path. Raises MissingError."""
        path = shutil.which(self.plan.program)
        if path is None:
            raise MissingError(
                f"{self.plan.name} is not here",
                where=self.plan.program,
                what_to_do=self.plan.package,
            )
        return path

    def _running(self) -> Meter:
        if self._meter is None or self._process is None:
            raise RunError(f"{self.plan.name} is not running")
        return self._meter

    def _raise_if_ended(self) -> None:
        """Why the process is gone, in its own last words."""
        assert self._process is not None
        with suppress(subprocess.TimeoutExpired):
            self._process.wait(1.0)
        if self._process.poll() is None:
            return
        assert self._said is not None
        self._said.seek(0)
        text = self._said.read().decode("utf-8", errors="replace")
        raise ended_error(self.plan.name, self._process.returncode, text)


def eal_arguments(plan: PeerPlan) -> list[str]:
    """EAL's arguments: no files, no hugetlbfs, none of the machine's own devices."""
    pci = any(word in ("-a", "--allow") for word in plan.eal)
    return [
        *plan.eal,
        *("--no-huge", "--no-shconf"),
        *(() if plan.telemetry else ("--no-telemetry",)),
        *(() if pci else ("--no-pci",)),
        *("-m", str(MEMORY_MIB)),
    ]


def ended_error(name: str, code: int, said: str) -> Exception:
    """What a program's last words and its exit code mean."""
    complaints = [
        line.strip()
        for line in said.splitlines()
        if any(word in line.lower() for word in ("cause:", "fail", "invalid", "cannot", "can't"))
    ]
    last = [line.strip() for line in said.splitlines() if line.strip()]
    reason = complaints[0] if complaints else (last[-1] if last else f"it ended with code {code}")
    words = last_words(code, said, reason)
    if code < 0:
        return RunError(f"it was ended by {signal.Signals(-code).name}", name, said=words)
    if "invalid" in reason.lower():
        return InputError(reason, name, said=words)
    return RunError(reason, name, said=words)


def pages_of(smaps: str) -> str:
    """Page size of the largest writable area of a process: that is DPDK's memory."""
    largest, resident, large = 0, 0, 0
    size = 0
    for line in smaps.splitlines():
        key, _, rest = line.partition(":")
        words = rest.split()
        if len(words) < 1 or not words[0].isdigit():
            continue
        if key == "Rss":
            size = int(words[0])
        elif key in ("AnonHugePages", "ShmemPmdMapped") and size >= largest:
            if size > largest:
                largest, resident, large = size, size, 0
            large += int(words[0])
    if resident == 0 or large == 0:
        return "4KiB"
    return "2MiB" if large >= LARGE_SHARE * resident else "mixed"


def lcore_arguments(cpu: int, main_cpu: int) -> tuple[str, str]:
    """EAL's lcores: 0 sleeps on `main_cpu`, 1 forwards on `cpu`."""
    return ("--lcores", f"0@{main_cpu},1@{cpu}")


def vdev_arguments(devices: Sequence[str]) -> tuple[str, ...]:
    """EAL's arguments for virtual devices, in the order of their port numbers, and for PCI
    addresses."""
    return tuple(word for device in devices for word in device_words(device))
