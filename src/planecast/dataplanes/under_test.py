"""From a scenario to the programs under test, each with its ends, in the order of their starts."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from planecast.dataplanes.command import CommandProgram, filled_words
from planecast.dataplanes.dpdk_program import ConnectedPlan, l3fwd_between, testpmd_between
from planecast.dataplanes.end import End
from planecast.dataplanes.ours_freely import OursFreely
from planecast.dataplanes.ovs import THREADS, OpenVswitch
from planecast.dataplanes.system import System
from planecast.dataplanes.vpp import Vpp
from planecast.dataplanes.wiring import Wiring
from planecast.errors import InputError
from planecast.scenario.scenario import Scenario


@dataclass(frozen=True)
class Seat:
    """Where a program runs."""

    cpu: int
    """Where it forwards."""
    main_cpu: int
    """For its threads that sleep."""
    folder: Path
    """Empty, private, and its own."""
    before: tuple[str, ...] = ()
    """Words before its command, to run it in a network namespace."""


def systems_of(
    scenario: Scenario, wiring: Wiring, folder: Path, main_cpu: int, before: Sequence[str] = ()
) -> list[System]:
    """The programs, in the order in which they start. `before` are words before their commands.

    Raises InputError and MissingError for what can't be started.
    """
    cpus = scenario.placement.cpus
    found: list[System] = []
    for number, ends in enumerate(wiring.programs):
        own = folder / f"program{number}"
        own.mkdir()
        seat = Seat(cpus[number % len(cpus)], main_cpu, own, tuple(before))
        guest = number > 0 and scenario.dataplane.guests > 0
        found.append(_guest(scenario, ends, seat) if guest else system_of(scenario, ends, seat))
    return found


def system_of(scenario: Scenario, ends: Sequence[End], seat: Seat) -> System:
    """The program of a scenario between two ends. Raises as `systems_of` does."""
    wanted = scenario.dataplane
    cpus = {"cpu": seat.cpu, "main_cpu": seat.main_cpu}
    if wanted.kind == "ours":
        return OursFreely(scenario, ends, seat.cpu, seat.before)
    if wanted.kind == "testpmd":
        return _testpmd(scenario, ends, seat)
    if wanted.kind == "l3fwd":
        return l3fwd_between(ends, wanted.program, seat.cpu, seat.folder, seat.before)
    if wanted.kind == "vpp":
        return Vpp(scenario, ends, seat.folder, **cpus)
    if wanted.kind == "ovs":
        return OpenVswitch(ends, seat.folder, **cpus, program=wanted.program, before=seat.before)
    if wanted.kind == "external":
        raise InputError(
            "what forwards is there already: nothing is started", "dataplane.kind", "name a program"
        )
    assert wanted.command is not None
    words = filled_words(wanted.command, ends, seat.cpu, seat.main_cpu, seat.folder)
    return CommandProgram(words, seat.folder, ready=wanted.ready, before=seat.before)


def _guest(scenario: Scenario, ends: Sequence[End], seat: Seat) -> System:
    """A testpmd behind a switch."""
    return _testpmd(scenario, ends, seat, THREADS if ends[0].kind == "memif" else 1)


def _testpmd(scenario: Scenario, ends: Sequence[End], seat: Seat, queues: int = 1) -> System:
    plan = ConnectedPlan(scenario.dataplane.mode, seat.cpu, seat.main_cpu, queues)
    return testpmd_between(ends, plan, seat.before)


def title_of(scenario: Scenario) -> str:
    """What is under test, in words."""
    wanted = scenario.dataplane
    name = {
        "ours": f"planecast's {scenario.workload.kind}",
        "ovs": "Open vSwitch",
        "vpp": f"VPP {scenario.vpp_graph}" if wanted.kind == "vpp" else "",
        "external": "what is between the generator's ports",
    }
    title = name.get(wanted.kind, wanted.kind)
    if wanted.kind == "testpmd":
        title += f" {wanted.mode}"
    if wanted.kind == "command" and wanted.command:
        title = wanted.command.split()[0]
    if wanted.chain > 1:
        title = f"{wanted.chain} times {title} in series"
    if wanted.guests:
        title += f" and {wanted.guests} testpmd {wanted.mode} behind it"
    if wanted.ports != "memif":
        title += f" over {_PORTS.get(wanted.ports, ' '.join(wanted.devices))}"
    return title if wanted.host is None else f"{title} on {wanted.host}"


_PORTS = {"vhost-user": "vhost-user", "veth": "veth"}
