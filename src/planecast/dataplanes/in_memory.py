"""A program of others between two ports in memory, with planecast-meter.so loaded into it.

Nothing sends to it: its ports are ``net_null``, and the library, in the receive function of the
first one, gives packets the frames of the scenario's flows. VPP has a packet generator of its own
(`vpp_in_memory`). So one CPU is enough, and neither links
nor copies of a generator are in what is counted, traced or measured.
"""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from pathlib import Path

from planecast.dataplanes.command import has_both_eal_ports
from planecast.dataplanes.dpdk_program import l3fwd_program
from planecast.dataplanes.dut import Program
from planecast.dataplanes.dut_factory import Seat, program_of
from planecast.dataplanes.link_topology import guests_of
from planecast.dataplanes.ovs import OpenVswitch
from planecast.dataplanes.port import Port
from planecast.errors import InputError, RunError
from planecast.instruments.window import PORTS
from planecast.scenario.host_cpus import cpus_here, refuse_offline
from planecast.scenario.longest_frames import too_long_in_memory
from planecast.scenario.scenario import Scenario
from planecast.scenario.starter import NO_LARGE_PAGES

PORTABLE = "-v3"
"""What a program's build for AVX2 at most is called, after its name."""
_OF_MEMORY = {
    "-m": 1, "--socket-mem": 1, "--numa-mem": 1, "--socket-limit": 1, "--numa-limit": 1,
    "--huge-dir": 1, "--huge-unlink": 0, "--single-file-segments": 0, "--no-shconf": 0,
}  # fmt: skip
"""EAL's options that exclude ``--no-huge`` or come with it, and how many words each has after
it."""
COUNTED = "counted"
_ON_ONE = {
    "command": "how a program of your own divides its work over them is not known",
    "vpp": "VPP forwards by one thread between ports in memory",
}
"""Kinds that have one lcore, with the reason."""
FORWARDED = 0.9
"""Share of the packets that has to come out; a program may hold some back in its own buffers."""
BURST_MOST = 256
"""What testpmd asks its port for: the library limits bursts, and changes the limit as it runs."""


def refuse_outside(scenario: Scenario, verb: str) -> None:
    """Raises InputError for a program that can't run between ports in memory, with the reason;
    `verb` is what can't be done to it, such as counted."""
    wanted = scenario.dataplane

    def refused(reason: str, key: str) -> InputError:
        return InputError(f"this can't be {verb}: {reason}", f"dataplane.{key}")

    if wanted.kind == "external":
        raise refused("an external data plane is already running, and is not started here", "kind")
    if wanted.host is not None:
        raise refused(f"it runs on {wanted.host}; start planecast there", "host")
    if guests_of(scenario):
        raise refused("it is one program of several; take a switch without guests", "guests")
    if wanted.programs > 1:
        raise refused("they are several programs; take a chain of 1", "chain")
    if wanted.kind == "command" and not has_both_eal_ports(wanted.command):
        raise refused(
            "its command does not take its ports as {in_eal} and {out_eal}, as DPDK programs do",
            "command",
        )
    if wanted.kind in _ON_ONE and scenario.placement.lcores > 1:
        raise InputError(
            f"{scenario.placement.lcores} lcores are named, but {_ON_ONE[wanted.kind]}",
            "placement.lcores",
            "name one",
        )
    if scenario.traffic.frame_mix != "none" or scenario.traffic.classes != "none":
        raise InputError(
            f"frames of one size are {verb}", "traffic", "set traffic.frame_bytes alone"
        )
    if too_long := too_long_in_memory(wanted, scenario.traffic):
        raise InputError(too_long, "traffic.frame_bytes", "lower it")


def refuse_lost(
    came: int,
    left: int,
    verb: str,
    name: str,
    *,
    share: float = FORWARDED,
    held: int = 0,
    what_to_do: str = "",
) -> None:
    """Raises RunError when less than this share of the packets that came has left, but for those
    that the program may hold; `verb` is what was done to them, such as counted."""
    if left < share * came - held:
        raise RunError(
            f"only {left:,} of {came:,} packets came out, so the {verb} packets are not those that "
            "it forwards",
            name,
            what_to_do,
        )


def program_in_memory(
    scenario: Scenario, folder: Path, before: Sequence[str] = (), fds: Sequence[int] = ()
) -> Program:
    """The program between its two ports; `folder` is empty, private, and its own; `fds` are file
    descriptors that it inherits. Raises MissingError when it isn't here, InputError for a CPU that
    isn't."""
    ports = [Port(kind="virtual", address=port) for port in PORTS]
    cpus = cpus_here(scenario)
    refuse_offline(cpus)
    seat = Seat(cpus, cpus[0], folder, tuple(before), tuple(fds), in_memory=True)
    return program_of(scenario, ports, seat)


def program_words(scenario: Scenario, folder: Path) -> list[str]:
    """The command that would be run. Raises MissingError when the program isn't here."""
    words = list(program_in_memory(scenario, folder).planned()[-1].words)
    if scenario.dataplane.kind == "testpmd":
        burst = next(i for i, word in enumerate(words) if word.startswith("--burst="))
        words[burst] = f"--burst={BURST_MOST}"
    return words


def portable(scenario: Scenario) -> Scenario:
    """As instruments can run it: with l3fwd's build for those that know no AVX-512, where there is
    one next to it, and a command of a person's own on small pages, for valgrind maps no large
    ones."""
    if scenario.dataplane.kind == "command":
        command = _without_large_pages(scenario.dataplane.command)
        wanted = scenario.dataplane.model_copy(update={"command": command})
        return scenario.model_copy(update={"dataplane": wanted})
    if scenario.dataplane.kind != "l3fwd":
        return scenario
    program = l3fwd_program(scenario.dataplane.program)
    other = program.with_name(program.name + PORTABLE)
    return _with_program(scenario, other if other.is_file() else program)


def _without_large_pages(command: str) -> str:
    """A command whose EAL reserves no large pages; one that says so itself, or whose memory has no
    files, as it is."""
    try:
        words = shlex.split(command)
    except ValueError:
        return command  # what is wrong with it is said where it is started
    place = next((i for i, word in enumerate(words) if "_eal}" in word), None)
    if place is None or not {"--no-huge", "--in-memory"}.isdisjoint(words):
        return command
    end = words.index("--") if "--" in words else len(words)
    kept = _without_memory(words[place:end])
    return shlex.join([*_without_memory(words[:place]), *NO_LARGE_PAGES, *kept, *words[end:]])


def _without_memory(words: Sequence[str]) -> list[str]:
    """EAL's words without those that are about large pages, or are said again."""
    found: list[str] = []
    skip = 0
    for word in words:
        if skip:
            skip -= 1
            continue
        name, joined, _ = word.partition("=")
        if name in _OF_MEMORY:
            skip = 0 if joined else _OF_MEMORY[name]
        else:
            found.append(word)
    return found


def switch_by_script(
    scenario: Scenario,
    folder: Path,
    prefix: Sequence[str],
    before: Sequence[str],
    fds: Sequence[int] = (),
) -> OpenVswitch:
    """Open vSwitch, started by a script in `folder` that has `prefix` before its command: an
    emulator runs no setpriv, and what is loaded into the switch is not for the words `before`."""
    own = folder / "program"
    own.mkdir(exist_ok=True)
    script = folder / "switch"
    switch = program_words(scenario, own)[0]
    words = shlex.join(prefix)
    if "-plugin" in prefix:  # the emulator's libraries may not be the switch's
        words += ' ${LD_LIBRARY_PATH:+-E "LD_LIBRARY_PATH=$LD_LIBRARY_PATH"}'
    script.write_text(f'#!/bin/sh\nexec {words} {shlex.quote(switch)} "$@"\n', encoding="utf-8")
    script.chmod(0o700)
    program = program_in_memory(_with_program(scenario, script), own, before, fds)
    assert isinstance(program, OpenVswitch)
    return program


def _with_program(scenario: Scenario, program: Path) -> Scenario:
    wanted = scenario.dataplane.model_copy(update={"program": str(program)})
    return scenario.model_copy(update={"dataplane": wanted})
