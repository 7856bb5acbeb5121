"""testpmd and l3fwd as data planes under test: external programs that run free."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from ipaddress import IPv4Address
from pathlib import Path

from planecast.dataplanes.dut import Program
from planecast.dataplanes.external_dpdk import ExternalDpdk, ExternalDpdkPlan
from planecast.dataplanes.ip4_routes import ip4_prefixes
from planecast.dataplanes.l3fwd import plan_l3fwd, write_flows, write_rules
from planecast.dataplanes.memory import pages_for
from planecast.dataplanes.port import Port, port_numbers
from planecast.dataplanes.testpmd import Mode, plan_testpmd
from planecast.errors import MissingError, RunError
from planecast.instruments.dpdk_telemetry import port_counters, started_ports
from planecast.native import peers_folder, set_up
from planecast.process import Planned, wait_until
from planecast.results.estimate import Estimate
from planecast.scenario.dataplanes.dpdk_memory import MemoryLayout
from planecast.scenario.dataplanes.l3fwd import L3fwd
from planecast.scenario.plain_flows import plain_flows
from planecast.scenario.scenario import Scenario

L3FWD_PLACES = (peers_folder() / "l3fwd", Path("/usr/local/bin/l3fwd"))
"""Where it is looked for: the first is where this project's own set-up builds it."""
_START_S = 60.0
"""On a machine that is busy with others a start takes ten seconds."""


class DpdkProgram(Program):
    """A program that is not metered: it forwards at full speed from its start to its end."""

    def __init__(self, plan: ExternalDpdkPlan, ports: int) -> None:
        """It is up when so many ports are started."""
        self.name = plan.name
        self._ports = ports
        self._watched = False
        self._external = ExternalDpdk(replace(plan, metered=False, telemetry=True))

    def planned(self) -> list[Planned]:
        """One process. Raises MissingError when the program isn't here."""
        return [Planned(tuple(self._external.command()))]

    def _start(self) -> None:
        """Raises RunError when it ends, or never starts its ports."""
        self._external.__enter__()
        late = RunError(f"its ports are not started after {_START_S:.0f} s", self.name)
        wait_until(self._ports_started, _START_S, self.check, late, step_s=0.05)

    def stop(self) -> None:
        """Ends it."""
        self._external.stop()

    @property
    def pid(self) -> int | None:
        """Its process; None when it doesn't run."""
        return self._external.pid

    def check(self) -> None:
        """Raises RunError with its last words when it has ended."""
        self._external.check()

    def counters(self) -> dict[str, int]:
        """What its ports have counted since its start; empty when it doesn't report.

        Raises RunError when it ought to and doesn't answer.
        """
        socket = self._external.telemetry_socket
        return {} if socket is None else port_counters(socket)

    def begin_opinion(self) -> None:
        """Its polls are counted from now on, where one queue of the port has all of them."""
        self.opinion()  # one that nobody asked for ends
        with suppress(RunError):  # several queues
            self._external.watch(out=self._ports - 1)
            self._watched = True

    def opinion(self) -> Mapping[str, Estimate]:
        """TSC cycles a packet of polls that found some, of these in the drivers' receive and send
        functions, and packets that such a poll found."""
        if not self._watched:
            return {}
        self._watched = False
        return self._external.unwatch().opinion()

    def _ports_started(self) -> bool:
        socket = self._external.telemetry_socket
        with suppress(RunError):  # the socket is there before it answers
            return socket is not None and started_ports(socket) >= self._ports
        return False


@dataclass(frozen=True)
class ConnectedPlan:
    """How testpmd connects two ports."""

    mode: Mode
    cpus: tuple[int, ...]
    main_cpu: int
    queues: int | None = None
    """Of each port, each way; None: as many as CPUs."""
    burst: int = 32
    """Packets that it takes at a time, at most."""
    program: str | None = None
    """Path of the binary; None: in the search path."""
    memory: MemoryLayout = "as-hugepages"


def testpmd_between(
    ports: Sequence[Port], wanted: ConnectedPlan, before: Sequence[str]
) -> DpdkProgram:
    """testpmd between two ports, each packet from one to the other."""
    devices = [port.device(number) for number, port in enumerate(ports)]
    plan = plan_testpmd(
        wanted.mode,
        devices,
        cpus=wanted.cpus,
        main_cpu=wanted.main_cpu,
        burst=wanted.burst,
        queues=wanted.queues,
        pages=pages_for(wanted.memory, ports),
    )
    if wanted.program is not None:
        plan = replace(plan, program=wanted.program)
    # A link comes up when the other side does, which may be later.
    arguments = (*plan.arguments, "--disable-link-check")
    return DpdkProgram(replace(plan, arguments=arguments, before=tuple(before)), len(ports))


def l3fwd_program(program: str | None) -> Path:
    """The named one, or the one that is found here. Raises MissingError without one."""
    path = next((place for place in L3FWD_PLACES if place.is_file()), None)
    if program is not None:
        path = Path(program)
    if path is None:
        raise MissingError(
            "l3fwd is not installed",
            str(L3FWD_PLACES[0]),
            f"build it with {set_up('bench')}, or name it (dataplane.program)",
        )
    return path


def l3fwd_between(
    ports: Sequence[Port],
    scenario: Scenario,
    cpus: Sequence[int],
    folder: Path,
    before: Sequence[str] = (),
) -> DpdkProgram:
    """l3fwd that routes every flow to the second port. Raises MissingError without one, InputError
    for routes that can't be."""
    wanted = scenario.dataplane
    assert isinstance(wanted, L3fwd)
    path = l3fwd_program(wanted.program)
    rules, out = folder / "rules", port_numbers(ports)[1]
    if wanted.lookup == "em":
        write_flows(rules, plain_flows(scenario), scenario.traffic.active_flows, port=out)
    else:
        routes = ip4_prefixes(scenario, wanted.routes, wanted.route_depth)
        write_rules(rules, [f"{IPv4Address(address)}/{bits}" for address, bits in routes], 1, out)
    devices = [port.device(number) for number, port in enumerate(ports)]
    plan = plan_l3fwd(
        path.absolute(),
        devices,
        rules,
        cpus=cpus,
        lookup=wanted.lookup,
        pages=pages_for(wanted.memory, ports),
    )
    return DpdkProgram(replace(plan, before=tuple(before)), len(ports))
