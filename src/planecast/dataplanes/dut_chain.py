"""DutChain: programs under test in series on this host, and the two ports left for a generator."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import TypeVar

from planecast.cleanup import private_folder
from planecast.dataplanes.command import CommandProgram
from planecast.dataplanes.devices import check_devices
from planecast.dataplanes.dut import Dut, Program, Turns
from planecast.dataplanes.dut_factory import programs_of, title_of
from planecast.dataplanes.link_topology import Cables, LinkTopology, link_topology_of
from planecast.dataplanes.memory import pages_of_process
from planecast.dataplanes.namespace import Namespace, entering
from planecast.dataplanes.port import MEMORY_KINDS, Port
from planecast.errors import RunError
from planecast.host.cpu_time import away_seconds, pinned_seconds, pinned_slices
from planecast.process import Planned, wait_until
from planecast.results.estimate import Estimate
from planecast.scenario.dataplanes.command import Command
from planecast.scenario.host_cpus import cpus_here
from planecast.scenario.scenario import Scenario

_START_S = 60.0
_POLLING_S = 0.004
"""CPU time that shows that a thread polls: one that waits for a request takes none."""


_Said = TypeVar("_Said")


class _CableNames:
    """Virtual Ethernet that is only spoken of."""

    def pair(self, name: str, frame_bytes: int) -> tuple[str, str]:
        return f"{name}a", f"{name}b"


class DutChain(Dut):
    """Programs under test on this host."""

    def __init__(self, scenario: Scenario, main_cpu: int) -> None:
        """`main_cpu` is for threads that sleep."""
        self._scenario = scenario
        self._main_cpu = main_cpu
        self._stack = ExitStack()
        self._programs: list[Program] = []
        self.name = title_of(scenario)

    def planned(self, folder: Path) -> list[Planned]:
        """The processes that it would start, with their sockets in `folder`. Raises MissingError
        for what isn't here, InputError for what can't be started."""
        if self._scenario.started.cabled:
            self.before = entering("HOLDER")
        topology = self._topology(folder, _CableNames())
        programs = programs_of(self._scenario, topology, folder, self._main_cpu, self.before)
        return [process for program in programs for process in program.planned()]

    @property
    def ready_note(self) -> str:
        """What is not known when it has started, in a sentence; empty when it is known to
        forward."""
        wanted = self._scenario.dataplane
        if not isinstance(wanted, Command) or wanted.ready is not None:
            return ""
        return (
            "the command was started, but when it forwards is not known; name words of its output "
            "in dataplane.ready, or send until packets come back"
        )

    def stop(self) -> None:
        """Ends them all."""
        self._stack.close()

    def check(self) -> None:
        """Raises RunError when a program has ended, with its last words."""
        for program in self._programs:
            program.check()

    def counters(self) -> Mapping[str, int]:
        """What the programs' DPDK ports have counted; of several, by program. Raises RunError."""
        return self._by_program(lambda program: program.counters())

    def cpu_seconds(self) -> Mapping[int, float]:
        """CPU time that the threads which forward have had, by CPU; programs that share one add up.
        Without a CPU on which a program's thread isn't known by its pinning, or may sleep: one of a
        command of others."""
        found: dict[int, float | None] = {}
        for number, program in enumerate(self._programs):
            cpu, pid = self._cpu_of(number), program.pid
            had = None
            if pid is not None and not isinstance(program, CommandProgram):
                had = pinned_seconds(pid, cpu)
            before = found.get(cpu, 0.0)
            found[cpu] = None if had is None or before is None else before + had
        return {cpu: had for cpu, had in found.items() if had is not None}

    def away_seconds(self) -> float | None:
        """For how long the threads which forward wanted their CPUs and did not have them. Programs
        that share a CPU wait for each other, and one of a command of others may sleep: None."""
        if len(self._programs) > self._scenario.placement.lcores:
            return None
        away = 0.0
        for number, program in enumerate(self._programs):
            if program.pid is None or isinstance(program, CommandProgram):
                return None
            had = away_seconds(program.pid, self._cpu_of(number))
            if had is None:
                return None
            away += had
        return away

    def turns(self) -> Mapping[int, tuple[Turns, ...]]:
        """Of each CPU on which several programs forward; without one of which the kernel says
        nothing."""
        found: dict[int, list[Turns]] = {}
        for number, program in enumerate(self._programs):
            cpu, pid = self._cpu_of(number), program.pid
            seconds = None if pid is None else pinned_seconds(pid, cpu)
            count = None if pid is None else pinned_slices(pid, cpu)
            if seconds is not None and count is not None:
                found.setdefault(cpu, []).append(Turns(seconds, count))
        return {cpu: tuple(turns) for cpu, turns in found.items() if len(turns) > 1}

    def pages(self) -> str | None:
        """Of all programs whose memory can be looked at."""
        found = {pages_of_process(program.pid) for program in self._programs} - {None}
        return "+".join(sorted(filter(None, found))) or None

    def begin_opinion(self) -> None:
        """From now on the programs count for `opinion`."""
        for program in self._programs:
            program.begin_opinion()

    def opinion(self) -> Mapping[str, Estimate]:
        """What they say of themselves since then; of several, by program."""
        return self._by_program(lambda program: program.opinion())

    def _by_program(self, asked: Callable[[Program], Mapping[str, _Said]]) -> dict[str, _Said]:
        found: dict[str, _Said] = {}
        for number, program in enumerate(self._programs):
            before = "" if len(self._programs) == 1 else f"program{number}."
            found |= {before + name: value for name, value in asked(program).items()}
        return found

    def _start(self) -> None:
        folder = Path(self._stack.enter_context(private_folder(for_sockets=True)))
        cables = None
        if self._scenario.started.cabled:
            cables = self._stack.enter_context(Namespace(folder))
            self.before = cables.words
        topology = self._topology(folder, cables)
        self._programs = programs_of(self._scenario, topology, folder, self._main_cpu, self.before)
        for number, (program, ports) in enumerate(
            zip(self._programs, topology.programs, strict=True)
        ):
            self._stack.enter_context(program)
            self._wait_for_sockets(program, ports)
            self._wait_until_polling(program, self._cpu_of(number))

    def _topology(self, folder: Path, cables: Cables | None) -> LinkTopology:
        """The ports of all links. Raises MissingError for a named device that isn't here."""
        topology = link_topology_of(self._scenario, folder, cables)
        self.ports = topology.generator
        if not self._scenario.started.cabled:
            check_devices(port for ports in topology.programs for port in ports)
        return topology

    def _cpu_of(self, number: int) -> int:
        """Where a program forwards."""
        cpus = cpus_here(self._scenario)
        return cpus[number % len(cpus)]

    def _wait_until_polling(self, program: Program, cpu: int) -> None:
        """Until its thread that forwards polls: before, a link loses all that comes. How a command
        of others does it is not known. Raises RunError when it never does."""
        pid = program.pid
        if isinstance(program, CommandProgram) or pid is None:
            return
        late = RunError(f"its thread does not poll after {_START_S:.0f} s", program.name)

        def polls() -> bool:
            return (pinned_seconds(pid, cpu) or 0.0) > _POLLING_S

        wait_until(polls, _START_S, program.check, late, step_s=0.002)

    def _wait_for_sockets(self, program: Program, ports: Sequence[Port]) -> None:
        """Who connects to it can't before. Raises RunError when it does not open them."""
        mine = [Path(port.address) for port in ports if port.server and port.kind in MEMORY_KINDS]
        for path in mine:
            late = RunError(f"after {_START_S:.0f} s there is no socket {path.name}", program.name)
            wait_until(path.exists, _START_S, program.check, late)
