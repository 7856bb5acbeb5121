"""From a scenario to the data planes under test, link by link."""

from __future__ import annotations

from pathlib import Path

from planecast.dataplanes.command import CommandProgram, filled_words
from planecast.dataplanes.dpdk_program import l3fwd_between, testpmd_between
from planecast.dataplanes.ovs import OpenVswitch
from planecast.dataplanes.system import Link, System
from planecast.dataplanes.vpp import Vpp
from planecast.scenario.scenario import Scenario


def links_of(scenario: Scenario, folder: Path) -> list[tuple[Link, Link]]:
    """Of each program its two ends. Whoever comes later on the way connects to whoever is there
    already; the generator, last of all, to both ends of the chain."""
    placement, count = scenario.placement, scenario.dataplane.chain
    rings = [placement.rx_ring] * count + [placement.tx_ring]
    found = []
    for number in range(count):
        first = Link(folder / f"link{number}.sock", "client" if number else "server", rings[number])
        last = Link(folder / f"link{number + 1}.sock", "server", rings[number + 1])
        found.append((first, last))
    return found


def generator_links(scenario: Scenario, folder: Path) -> tuple[Link, Link]:
    """The generator's ends: where it sends, where it receives."""
    programs = links_of(scenario, folder)
    first, last = programs[0][0], programs[-1][1]
    return (
        Link(first.socket, "client", first.ring),
        Link(last.socket, "client", last.ring),
    )


def systems_of(scenario: Scenario, folder: Path, main_cpu: int) -> list[System]:
    """The programs in series, each between its links, in the order in which they start.

    Raises InputError and MissingError for what can't be started.
    """
    cpus = scenario.placement.cpus
    found: list[System] = []
    for number, links in enumerate(links_of(scenario, folder)):
        own = folder / f"program{number}"
        own.mkdir()
        found.append(_system(scenario, links, own, cpus[number % len(cpus)], main_cpu))
    return found


def _system(
    scenario: Scenario, links: tuple[Link, Link], folder: Path, cpu: int, main_cpu: int
) -> System:
    wanted = scenario.dataplane
    if wanted.kind == "testpmd":
        return testpmd_between(links, wanted.mode, cpu, main_cpu)
    if wanted.kind == "l3fwd":
        return l3fwd_between(links, wanted.program, cpu, folder)
    if wanted.kind in ("ovs", "vpp"):
        maker = OpenVswitch if wanted.kind == "ovs" else Vpp
        made: System = maker(links, folder, cpu=cpu, main_cpu=main_cpu, program=wanted.program)
        return made
    assert wanted.command is not None
    words = filled_words(wanted.command, links, cpu, main_cpu, folder)
    return CommandProgram(words, folder, ready=wanted.ready)


def title_of(scenario: Scenario) -> str:
    """What is under test, in words."""
    wanted = scenario.dataplane
    name = {
        "ours": f"planecast's {scenario.workload.kind}",
        "ovs": "Open vSwitch",
        "vpp": "VPP",
        "external": "what is between the generator's ports",
    }
    title = name.get(wanted.kind, wanted.kind)
    if wanted.kind == "testpmd":
        title += f" {wanted.mode}"
    if wanted.kind == "command" and wanted.command:
        title = wanted.command.split()[0]
    return title if wanted.chain == 1 else f"{wanted.chain} times {title} in series"
