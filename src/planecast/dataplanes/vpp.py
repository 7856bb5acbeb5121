"""VPP as a data plane under test: two memory interfaces, and between them what the scenario says.

VPP is in no Debian archive, so an installed one is used as it comes; a private start-up file and
command socket keep it apart from one that already runs. `show runtime` is its second opinion.
"""

from __future__ import annotations

import re
import shutil
from collections.abc import Mapping, Sequence
from pathlib import Path

from planecast.dataplanes import vpp_host
from planecast.dataplanes.command import CommandProgram
from planecast.dataplanes.dut import Program
from planecast.dataplanes.port import Port
from planecast.dataplanes.vpp_cli import NAME, PACKAGE, VppCli
from planecast.dataplanes.vpp_graph import Graph, graph_of, hardware_addresses
from planecast.dataplanes.vpp_runtime import (
    opinion_of,
    parse_clock_hz,
    parse_interfaces,
    parse_runtime,
    received,
)
from planecast.errors import MissingError, RunError
from planecast.process import Planned
from planecast.results.estimate import Estimate
from planecast.scenario.dataplanes.vpp import Vpp as VppDataplane
from planecast.scenario.scenario import Scenario

_STARTUP = """\
unix {{ nodaemon cli-listen {folder}/cli.sock runtime-dir {folder} }}
api-segment {{ prefix {segment} }}
cpu {{ {threads} }}
plugins {{ plugin default {{ disable }} plugin memif_plugin.so {{ enable }} }}
"""
_INTERFACE_ID = 0
"""Of every memory interface: the generator's end has the same, and the two have to agree."""


class Vpp(Program):
    """Two memory interfaces, and a graph between them."""

    name = NAME

    def __init__(
        self,
        scenario: Scenario,
        ports: Sequence[Port],
        folder: Path,
        *,
        cpu: int,
        main_cpu: int,
        before: Sequence[str] = (),
        fds: Sequence[int] = (),
    ) -> None:
        """`folder` is empty, private, and the caller's; `ports` are memory interfaces; `before` are
        words before the command, `fds` file descriptors that it inherits.

        Raises InputError for tables that don't fit the traffic."""
        self._ports = ports
        self._folder = folder
        self._before, self._fds = tuple(before), tuple(fds)
        self._cpu, self._main_cpu = cpu, main_cpu
        wanted = scenario.dataplane
        assert isinstance(wanted, VppDataplane)
        self._program = wanted.program or "vpp"
        self._running: CommandProgram | None = None
        self._interfaces = self._names()
        self._graph = graph_of(scenario, self._interfaces)

    def planned(self) -> list[Planned]:
        """One process. Raises MissingError when it isn't installed."""
        startup = str(self._folder / "startup.conf")
        text = _STARTUP.format(folder=self._folder, segment=self._segment, threads=self._threads())
        return [Planned((*self._before, str(self._found()), "-c", startup), startup, text)]

    def _names(self) -> list[str]:
        """Of the interfaces: where packets come in, and where they go out."""
        return [f"memif{number}/{_INTERFACE_ID}" for number, _ in enumerate(self._ports, 1)]

    def _threads(self) -> str:
        """The CPUs of its threads, in its own words."""
        return f"main-core {self._main_cpu} corelist-workers {self._cpu}"

    @property
    def _segment(self) -> str:
        """What the names of its shared memory begin with: of the private folder, whose name says
        which process of ours made it."""
        return self._folder.parent.name

    def _start(self) -> None:
        (plan,) = self.planned()
        Path(plan.file).write_text(plan.text, encoding="utf-8")
        self._running = CommandProgram(
            plan.words, self._folder, name=self.name, fds=self._fds, started_in=self._folder
        )
        socket = self._folder / "cli.sock"
        self._cli = VppCli(self._found(), socket, self._running.check, self._running.said)
        vpp_host.starts(self._segment)
        self._running.__enter__()
        self.version = self._cli.wait()
        self._connect()

    def stop(self) -> None:
        """Ends it."""
        if self._running is not None:
            self._running.stop()
        vpp_host.ended(self._segment)

    @property
    def pid(self) -> int | None:
        """Its process; None when it doesn't run."""
        return None if self._running is None else self._running.pid

    def counters(self) -> Mapping[str, int]:
        """What its interfaces have counted since its start, or since `begin_opinion`."""
        counters = parse_interfaces(self._cli.show("show interface"))
        return {
            f"{name} {counter}": count
            for name in self._interfaces
            for counter, count in counters.get(name, {}).items()
        }

    def check(self) -> None:
        """Raises RunError with its last words when it has ended."""
        assert self._running is not None
        self._running.check()

    def begin_opinion(self) -> None:
        """Clears the counts of all nodes and interfaces, in one call, so that they begin together.

        A VPP that reads one command of a call shows no interfaces: it is asked to clear them again.
        """
        text = self._cli.show("clear runtime", "clear interfaces", "show interface")
        if self._interfaces[0] not in parse_interfaces(text):
            self._cli.show("clear interfaces")

    def opinion(self) -> Mapping[str, Estimate]:
        """Clocks a packet, of the thread, of all nodes and of each; vectors a call."""
        text = self._cli.show("show runtime", "show interface")
        counters = parse_interfaces(text)
        if self._interfaces[0] not in counters:  # it reads one command of a call
            counters = parse_interfaces(self._cli.show("show interface"))
        taken = received(counters, self._interfaces)
        return opinion_of(parse_runtime(text), taken, self._clock_hz())

    def _clock_hz(self) -> float | None:
        return parse_clock_hz(self._cli.show("show clock verbose"))

    def _found(self) -> Path:
        path = shutil.which(self._program)
        if path is None:
            raise MissingError("VPP is not installed", self._program, PACKAGE)
        return Path(path)

    def _connect(self) -> None:
        self._make_interfaces()
        for command in self._graph.commands:
            self._cli.configure(command)
        if self._graph.neighbours:
            self._cli.execute(self._folder / "neighbours", self._graph.neighbours)
        if self._graph.entries:
            self._add_entries(self._graph)
        for name in self._interfaces:
            self._cli.configure(f"set interface state {name} up")

    def _make_interfaces(self) -> None:
        for number, (port, mac) in enumerate(
            zip(self._ports, hardware_addresses(), strict=True), 1
        ):
            role = "master" if port.server else "slave"
            self._cli.configure(f"create memif socket id {number} filename {port.address}")
            self._cli.configure(
                f"create interface memif id {_INTERFACE_ID} socket-id {number} {role} "
                f"rx-queues 1 tx-queues 1 ring-size {port.ring} hw-addr {mac}"
            )

    def _add_entries(self, graph: Graph) -> None:
        """Fills the table, and counts what that added: VPP has entries of its own, and one for each
        neighbour. Old releases report no error of a file. Raises RunError for entries that are
        missing."""
        before = entries_in(self._cli.show(graph.counted))
        self._cli.execute(self._folder / "entries", graph.entries)
        added = entries_in(self._cli.show(graph.counted)) - before
        if added < graph.count:
            raise RunError(
                f"{max(added, 0):,} of {graph.count:,} table entries are there",
                f"VPP: {graph.counted}",
            )


def entries_in(text: str) -> int:
    """How many entries ``show ip fib summary`` (and ip6) or ``show l2fib`` counts."""
    stations = re.search(r"L2FIB total/learned entries: (\d+)", text)
    if stations is not None:
        return int(stations[1])
    return sum(int(count) for count in re.findall(r"^\s+\d+\s+(\d+)\s*$", text, re.M))
