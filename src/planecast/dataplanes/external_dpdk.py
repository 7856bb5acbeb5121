"""An external DPDK program as a data plane: start it, wait until it forwards, observe it, stop it.

What it leaves behind is nothing: its runtime folder and its words are temporary, its memory is no
file, and it ends when we do, even when we are killed (the meter notices).
"""

from __future__ import annotations

import shutil
import tempfile
import time
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from subprocess import PIPE
from typing import Literal

from planecast.cleanup import private_folder
from planecast.dataplanes.memory import Pages, env_words, pages_of_process
from planecast.dataplanes.meter import (
    Meter,
    MeteredLcore,
    PortStats,
    trial_request,
    wait_attached,
)
from planecast.dataplanes.polls import Polls
from planecast.dataplanes.port import device_words
from planecast.errors import MissingError, RunError
from planecast.instruments.dpdk_telemetry import SOCKET
from planecast.process import Process, Started, eal_environment
from planecast.scenario.cpus import format_cpus

START_TIMEOUT_S = 30.0
_LAST_WORDS_S = 1.0
"""A program whose meter is gone is about to end, and then says why."""
MEMORY_MIB = 512
"""Room for the pools of the programs here, with some ports."""


@dataclass(frozen=True)
class ExternalDpdkPlan:
    """How an external program is started: everything that differs between them."""

    name: str
    program: str
    """A path, or a name that is looked up in PATH."""
    cpus: tuple[int, ...]
    """Where it forwards."""
    package: str
    """What to install, or do, when the program isn't there."""
    eal: tuple[str, ...]
    """Its EAL arguments: lcores and ports. Memory, pages and folders are set by ExternalDpdk."""
    arguments: tuple[str, ...]
    """Its own arguments."""
    port: int = 0
    """The port that is metered."""
    side: Literal["rx", "tx"] = "rx"
    pages: Pages = "2MiB"
    memory_mib: int = MEMORY_MIB
    before: tuple[str, ...] = ()
    """Words before the command, to run it elsewhere: in a network namespace."""
    metered: bool = True
    """False: it runs free from its start on, and answers no trials. A memory interface has
    no receive function that could be metered before the other side has come."""
    telemetry: bool = False
    """Whether DPDK's telemetry socket is open."""


class ExternalDpdk(Started):
    """A running program. Context manager; ends it on exit. It sleeps between trials."""

    def __init__(self, plan: ExternalDpdkPlan) -> None:
        self.plan = plan
        self._process: Process | None = None
        self._meter: Meter | None = None
        self._folder: tempfile.TemporaryDirectory[str] | None = None

    def trial(
        self, windows: int, packets: int, warmup: int, seconds: float = 10.0, clock: int = 0
    ) -> MeteredLcore:
        """Windows of `packets` each after `warmup` packets; of every `clock`-th poll the parts are
        timed (0: of none). It has one queue. Raises RunError when it fails."""
        process, meter = self._running()
        request = trial_request(windows, packets, warmup, seconds, {"clock": clock})
        try:
            (answer,) = meter.trial(request, seconds).lcores
        except RunError:
            process.check(_LAST_WORDS_S)
            raise
        if answer.cpu not in self.plan.cpus:
            wanted = format_cpus(self.plan.cpus)
            raise RunError(f"it forwards on CPU {answer.cpu} and not on {wanted}", self.plan.name)
        return answer

    def observe(self) -> PortStats:
        """What the metered port has counted since the start."""
        return self._running()[1].stats(self.plan.port)

    def watch(self, out: int) -> None:
        """From now on polls of the port are counted, and sending by port `out`; for a program that
        is not metered. Raises RunError for ports that can't be watched."""
        self._running()[1].watch(self.plan.port, out)

    def unwatch(self) -> Polls:
        """What was counted since `watch`."""
        return self._running()[1].unwatch()

    def check(self) -> None:
        """Raises RunError with its last words when it has ended."""
        self._running()[0].check()

    def release(self) -> None:
        """Lets it forward unmeasured until the next trial."""
        self._running()[1].release()

    @property
    def tsc_hz(self) -> int:
        """Its clock, in Hz."""
        attached = self._running()[1].attached
        assert attached is not None
        return attached.tsc_hz

    @property
    def page_size(self) -> str | None:
        """What its packet memory stands on by now: 4KiB, 2MiB or mixed; None: not known."""
        return pages_of_process(self._running()[0].pid)

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
        try:
            if self._process is not None:
                self._process.stop()
        finally:
            self._process = None
            if self._meter is not None:
                self._meter.close()
                self._meter = None
            if self._folder is not None:
                with suppress(FileNotFoundError):  # the program was faster
                    self._folder.cleanup()
                self._folder = None

    def _start(self) -> None:
        """Starts it and waits until it forwards. Raises MissingError, InputError or RunError."""
        program = self._program()
        self._meter = meter = Meter(self.plan.pages)
        self._folder = private_folder()
        self._process = Process(
            self.plan.name,
            self.command(meter),
            environment=eal_environment(Path(self._folder.name)),
            stdin=PIPE,  # testpmd ends when it is closed
            descriptors=[meter.descriptor],
        )
        self._process.__enter__()
        meter.started()
        if not self.plan.metered:
            return
        try:
            deadline = time.monotonic() + START_TIMEOUT_S
            waiting = wait_attached(meter, self.plan.port, self.plan.side, deadline)
        except RunError:
            self._process.check(_LAST_WORDS_S)
            raise
        if waiting:
            raise RunError(f"it does not forward after {START_TIMEOUT_S:.0f} s: {waiting}", program)

    def command(self, meter: Meter | None = None) -> list[str]:
        """What is run. The meter is loaded into the program alone, not into what stands before it.

        Raises MissingError when the program isn't here."""
        given = meter.environment() if meter is not None else {}
        words = [self._program(), *eal_arguments(self.plan), "--", *self.plan.arguments]
        return [*self.plan.before, *env_words(given), *words]

    def _program(self) -> str:
        """Its path. Raises MissingError."""
        path = shutil.which(self.plan.program)
        if path is None:
            raise MissingError(
                f"{self.plan.name} is not installed",
                where=self.plan.program,
                what_to_do=self.plan.package,
            )
        return path

    def _running(self) -> tuple[Process, Meter]:
        if self._meter is None or self._process is None:
            raise RunError(f"{self.plan.name} is not running")
        return self._process, self._meter


def eal_arguments(plan: ExternalDpdkPlan) -> list[str]:
    """EAL's arguments: no files, no hugetlbfs, none of the machine's own devices."""
    pci = any(word in ("-a", "--allow") for word in plan.eal)
    return [
        *plan.eal,
        *("--no-huge", "--no-shconf"),
        *(() if plan.telemetry else ("--no-telemetry",)),
        *(() if pci else ("--no-pci",)),
        *("-m", str(plan.memory_mib)),
    ]


def lcore_arguments(cpus: Sequence[int], main_cpu: int) -> tuple[str, str]:
    """EAL's lcores: 0 sleeps on `main_cpu`, the others forward on `cpus`."""
    return ("--lcores", ",".join(f"{i}@{cpu}" for i, cpu in enumerate((main_cpu, *cpus))))


def vdev_arguments(devices: Sequence[str]) -> tuple[str, ...]:
    """EAL's arguments for virtual devices, in the order of their port numbers, and for PCI
    addresses."""
    return tuple(word for device in devices for word in device_words(device))
