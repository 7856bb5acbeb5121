"""A line: the programs under test in their order, and the two ends left for a generator."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from pathlib import Path
from types import TracebackType
from typing import Protocol, Self

from planecast.dataplanes.command import CommandProgram
from planecast.dataplanes.devices import check_devices
from planecast.dataplanes.dut import Dut
from planecast.dataplanes.end import MEMORY_KINDS, End
from planecast.dataplanes.namespace import Namespace, entering
from planecast.dataplanes.under_test import systems_of
from planecast.dataplanes.wiring import Cables, Wiring, wiring_of
from planecast.errors import RunError
from planecast.host.cpu_time import away_seconds, pinned_seconds
from planecast.leftovers import private_folder
from planecast.process import Planned, Started, wait_until
from planecast.results.estimate import Estimate
from planecast.scenario.host_cpus import cpus_here
from planecast.scenario.scenario import Scenario

_START_S = 60.0
_POLLING_S = 0.004
"""CPU time that shows that a thread polls: one that waits to be told takes none."""


class Line(Protocol):
    """Programs under test, here or on another host. A context manager: left, they are gone."""

    @property
    def ends(self) -> tuple[End, End]:
        """The generator's: where it sends, where it receives."""

    @property
    def before(self) -> Sequence[str]:
        """Words before the generator's command, without which it doesn't see its ends."""

    def planned(self, folder: Path) -> list[Planned]:
        """The processes that it would start, with their sockets in `folder`; from then on `ends`
        is as if they ran, where that is known here. Raises as entering it does for what isn't
        here."""

    def __enter__(self) -> Self: ...

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
        /,
    ) -> None: ...

    def check(self) -> None:
        """Raises RunError when a program has ended, with its last words."""

    def ports(self) -> Mapping[str, int]:
        """What the programs' DPDK ports have counted; of several, by program. Raises RunError."""

    def cpu_seconds(self) -> Mapping[int, float]:
        """CPU time that the threads which forward have had, by CPU; empty where it isn't known."""

    def away_seconds(self) -> float | None:
        """For how long the threads which forward wanted their CPUs and did not have them; None
        where it isn't known."""

    def begin_opinion(self) -> None:
        """From now on the programs count for `opinion`."""

    def opinion(self) -> Mapping[str, Estimate]:
        """What they say of themselves since then."""


class _CableNames:
    """Virtual Ethernet that is only spoken of."""

    def pair(self, name: str, frame_bytes: int) -> tuple[str, str]:
        return f"{name}a", f"{name}b"


class LocalLine(Started):
    """Programs under test on this host."""

    def __init__(self, scenario: Scenario, main_cpu: int) -> None:
        """`main_cpu` is for threads that sleep."""
        self._scenario = scenario
        self._main_cpu = main_cpu
        self._stack = ExitStack()
        self._systems: list[Dut] = []
        self.before: Sequence[str] = ()

    def planned(self, folder: Path) -> list[Planned]:
        """The processes that it would start, with their sockets in `folder`. Raises MissingError
        for what isn't here, InputError for what can't be started."""
        if self._scenario.started.cabled:
            self.before = entering("HOLDER")
        wiring = self._wired(folder, _CableNames())
        systems = systems_of(self._scenario, wiring, folder, self._main_cpu, self.before)
        return [process for system in systems for process in system.planned()]

    def stop(self) -> None:
        """Ends them all."""
        self._stack.close()

    def check(self) -> None:
        """Raises RunError when a program has ended, with its last words."""
        for system in self._systems:
            system.check()

    def ports(self) -> Mapping[str, int]:
        """What the programs' DPDK ports have counted; of several, by program. Raises RunError."""
        found: dict[str, int] = {}
        for number, system in enumerate(self._systems):
            before = "" if len(self._systems) == 1 else f"program{number}."
            found |= {before + name: value for name, value in system.ports().items()}
        return found

    def cpu_seconds(self) -> Mapping[int, float]:
        """CPU time that the threads which forward have had, by CPU; programs that share one add up.
        Without a CPU on which a program's thread isn't known by its pinning, or may sleep: one of a
        command of others."""
        found: dict[int, float | None] = {}
        for number, system in enumerate(self._systems):
            cpu, pid = self._cpu_of(number), system.pid
            had = None
            if pid is not None and not isinstance(system, CommandProgram):
                had = pinned_seconds(pid, cpu)
            before = found.get(cpu, 0.0)
            found[cpu] = None if had is None or before is None else before + had
        return {cpu: had for cpu, had in found.items() if had is not None}

    def away_seconds(self) -> float | None:
        """For how long the threads which forward wanted their CPUs and did not have them. Programs
        that share a CPU wait for each other, and one of a command of others may sleep: None."""
        if len(self._systems) > self._scenario.placement.lcores:
            return None
        away = 0.0
        for number, system in enumerate(self._systems):
            if system.pid is None or isinstance(system, CommandProgram):
                return None
            had = away_seconds(system.pid, self._cpu_of(number))
            if had is None:
                return None
            away += had
        return away

    def begin_opinion(self) -> None:
        """From now on the programs count for `opinion`."""
        for system in self._systems:
            system.begin_opinion()

    def opinion(self) -> Mapping[str, Estimate]:
        """What they say of themselves since then."""
        return {
            name: estimate
            for system in self._systems
            for name, estimate in system.opinion().items()
        }

    def _start(self) -> None:
        folder = Path(self._stack.enter_context(private_folder(for_sockets=True)))
        cables = None
        if self._scenario.started.cabled:
            cables = self._stack.enter_context(Namespace(folder))
            self.before = cables.words
        wiring = self._wired(folder, cables)
        self._systems = systems_of(self._scenario, wiring, folder, self._main_cpu, self.before)
        for number, (system, ends) in enumerate(zip(self._systems, wiring.programs, strict=True)):
            self._stack.enter_context(system)
            self._wait_for_sockets(system, ends)
            self._wait_until_polling(system, self._cpu_of(number))

    def _wired(self, folder: Path, cables: Cables | None) -> Wiring:
        """The ends of all links. Raises MissingError for a named device that isn't here."""
        wiring = wiring_of(self._scenario, folder, cables)
        self.ends = wiring.generator
        if not self._scenario.started.cabled:
            check_devices(end for ends in wiring.programs for end in ends)
        return wiring

    def _cpu_of(self, number: int) -> int:
        """Where a program forwards."""
        cpus = cpus_here(self._scenario)
        return cpus[number % len(cpus)]

    def _wait_until_polling(self, system: Dut, cpu: int) -> None:
        """Until its thread that forwards polls: before, a link loses all that comes. How a command
        of others does it is not known. Raises RunError when it never does."""
        pid = system.pid
        if isinstance(system, CommandProgram) or pid is None:
            return
        late = RunError(f"its thread does not poll after {_START_S:.0f} s", system.name)

        def polls() -> bool:
            return (pinned_seconds(pid, cpu) or 0.0) > _POLLING_S

        wait_until(polls, _START_S, system.check, late, step_s=0.002)

    def _wait_for_sockets(self, system: Dut, ends: Sequence[End]) -> None:
        """Who connects to it can't before. Raises RunError when it does not open them."""
        mine = [Path(end.address) for end in ends if end.server and end.kind in MEMORY_KINDS]
        for path in mine:
            late = RunError(f"after {_START_S:.0f} s there is no socket {path.name}", system.name)
            wait_until(path.exists, _START_S, system.check, late)
