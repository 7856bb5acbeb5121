"""From a scenario to the programs under test, each with its ports, in the order of their starts."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from planecast.dataplanes.command import (
    CommandProgram,
    filled_words,
    has_eal_ports,
    ready_words,
)
from planecast.dataplanes.dpdk_program import ConnectedPlan, l3fwd_between, testpmd_between
from planecast.dataplanes.dut import Program
from planecast.dataplanes.link_topology import LinkTopology
from planecast.dataplanes.memory import env_words, memory_environment, pages_for
from planecast.dataplanes.ovs import THREADS, OpenVswitch
from planecast.dataplanes.own_program import OwnProgram
from planecast.dataplanes.port import Port
from planecast.dataplanes.vpp import Vpp
from planecast.dataplanes.vpp_in_memory import VppInMemory
from planecast.scenario.dataplanes.command import Command
from planecast.scenario.dataplanes.ovs import Ovs
from planecast.scenario.dataplanes.testpmd import Testpmd
from planecast.scenario.host_cpus import cpus_here
from planecast.scenario.scenario import Scenario


@dataclass(frozen=True)
class Seat:
    """Where a program runs."""

    cpus: tuple[int, ...]
    """Where it forwards."""
    main_cpu: int
    """For its threads that sleep."""
    folder: Path
    """Empty, private, and its own."""
    before: tuple[str, ...] = ()
    """Words before its command, to run it in a network namespace."""
    fds: tuple[int, ...] = ()
    """File descriptors that a switch, or VPP, inherits."""
    in_memory: bool = False
    """Between ports in memory, with the meter loaded by who starts it."""


def programs_of(
    scenario: Scenario,
    topology: LinkTopology,
    folder: Path,
    main_cpu: int,
    before: Sequence[str] = (),
) -> list[Program]:
    """The programs, in the order in which they start. `before` are words before their commands.

    Raises InputError and MissingError for what can't be started.
    """
    cpus = cpus_here(scenario)
    found: list[Program] = []
    for number, ports in enumerate(topology.programs):
        own = folder / f"program{number}"
        own.mkdir()
        seat = Seat((cpus[number % len(cpus)],), main_cpu, own, tuple(before))
        switch = scenario.dataplane
        if number > 0 and switch.kind == "ovs":
            found.append(_guest(switch, ports, seat))
        else:
            found.append(program_of(scenario, ports, seat))
    return found


def program_of(scenario: Scenario, ports: Sequence[Port], seat: Seat) -> Program:
    """The program of a scenario between two ports. Raises as `programs_of` does."""
    wanted = scenario.started
    cpu = seat.cpus[0]  # of programs that forward on one
    if isinstance(wanted, Testpmd):
        return _testpmd(wanted, scenario.placement.burst, ports, seat)
    if isinstance(wanted, Ovs):
        return OpenVswitch(
            ports,
            seat.folder,
            cpus=seat.cpus,
            main_cpu=seat.main_cpu,
            wanted=wanted,
            before=seat.before,
            fds=seat.fds,
        )
    if wanted.kind == "ours":
        return OwnProgram(scenario, ports, cpu, seat.before)
    if wanted.kind == "l3fwd":
        return l3fwd_between(ports, scenario, seat.cpus, seat.folder, seat.before)
    if wanted.kind == "vpp":
        return _vpp(scenario, ports, seat)
    assert isinstance(wanted, Command)
    words = filled_words(wanted.command, ports, cpu, seat.main_cpu, seat.folder)
    return CommandProgram(
        words,
        seat.folder,
        ready=ready_words(scenario),
        before=seat.before,
        loads=() if seat.in_memory else _loads(wanted, ports),
    )


def _loads(wanted: Command, ports: Sequence[Port]) -> list[str]:
    """What gives a DPDK program packet memory and offloads as it has them with the meter."""
    if not has_eal_ports(wanted.command):
        return []
    pages = pages_for("as-hugepages", ports)
    return env_words(memory_environment(pages, to_generator=wanted.chain == 1))


def _vpp(scenario: Scenario, ports: Sequence[Port], seat: Seat) -> Program:
    cpu = seat.cpus[0]
    if ports[0].kind == "virtual":
        return VppInMemory(scenario, seat.folder, cpu=cpu, before=seat.before, fds=seat.fds)
    return Vpp(scenario, ports, seat.folder, cpu=cpu, main_cpu=seat.main_cpu)


def _guest(switch: Ovs, ports: Sequence[Port], seat: Seat) -> Program:
    """A testpmd behind a switch."""
    queues = THREADS if ports[0].kind == "memif" else None
    mode, memory = switch.guest_mode, switch.memory
    plan = ConnectedPlan(mode, seat.cpus, seat.main_cpu, queues=queues, memory=memory)
    return testpmd_between(ports, plan, seat.before)


def _testpmd(wanted: Testpmd, burst: int, ports: Sequence[Port], seat: Seat) -> Program:
    plan = ConnectedPlan(
        wanted.mode,
        seat.cpus,
        seat.main_cpu,
        burst=burst,
        program=wanted.program,
        memory=wanted.memory,
    )
    return testpmd_between(ports, plan, seat.before)


def title_of(scenario: Scenario) -> str:
    """What is under test, in words."""
    wanted = scenario.dataplane
    if wanted.kind == "external":
        return "what is between the generator's ports"
    title = _program_title(scenario)
    if wanted.programs > 1:
        title = f"{wanted.programs} times {title} in series"
    if wanted.kind == "ovs" and wanted.guests:
        title += f" and {wanted.guests} testpmd {wanted.guest_mode} behind it"
    if wanted.ports == "named":
        title += f" over {' '.join(wanted.devices)}"
    elif wanted.ports != "memif":
        title += f" over {wanted.ports}"
    return title if wanted.host is None else f"{title} on {wanted.host}"


def _program_title(scenario: Scenario) -> str:
    wanted = scenario.dataplane
    if wanted.kind == "ours":
        return f"planecast's {scenario.workload.kind}"
    if wanted.kind == "testpmd":
        return f"testpmd {wanted.mode}"
    if wanted.kind == "vpp":
        return f"VPP {wanted.graph}"
    if wanted.kind == "command":
        return wanted.command.split()[0]
    return {"ovs": "Open vSwitch"}.get(wanted.kind, wanted.kind)
