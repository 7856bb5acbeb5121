"""Instructions of a scenario's program, whosever it is.

It is started under callgrind between two ports in memory, counted over a window of packets, and its
functions are divided among stages by a map.
"""

from __future__ import annotations

import os
import shlex
import signal
import subprocess
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from planecast.controlled import STOP_TIMEOUT_S, end_politely
from planecast.dataplanes.command import dying_with_us
from planecast.dataplanes.dpdk_program import l3fwd_program
from planecast.dataplanes.end import End
from planecast.dataplanes.meter import meter_library
from planecast.dataplanes.namespace import Namespace
from planecast.dataplanes.ovs import OpenVswitch
from planecast.dataplanes.peer import ended_error
from planecast.dataplanes.system import System
from planecast.dataplanes.under_test import Seat, system_of
from planecast.errors import InputError, PlanecastError, RunError
from planecast.instruments.callgrind import INSTRUCTION_SET
from planecast.instruments.callgrind_output import CallgrindProfile, parse_callgrind
from planecast.instruments.callgrind_stacks import counts_by_stage, stacks_words
from planecast.instruments.elf import Elf
from planecast.instruments.window import PORTS, Window, read_report, window_environment
from planecast.leftovers import private_folder
from planecast.scenario.scenario import Scenario
from planecast.workload.counts import InstructionCounts, RawCounts, run_plan, solve_counts
from planecast.workload.stage_map import Called, StageMap, stage_map

PACKETS = {"ovs": 131072}
"""Packets of the shorter window by kind: what Open vSwitch does once in 1,024 turns, and by its
timers, has to come often enough for two runs to agree."""
_PACKETS = 32768
_LEAD = 32768
_SWITCH_LEAD = 262144
"""Open vSwitch looks up anew what it decided before its flows came."""
_PACKETS_TO_LEARN_A_FLOW = 600
"""Open vSwitch takes a flow into its exact-match cache with one packet of a hundred, at random."""
_SLOWER = 60.0
"""Callgrind, against running natively."""
_START_S = 180.0
_FORWARDED = 0.9
"""Share of the packets that has to come out; some may wait in a program's own buffers."""
PORTABLE = "-v3"
"""What a program's build for AVX2 at most is called, after its name."""
Tool = Callable[[Mapping[str, str]], list[str]]
"""From what the program's environment gets in addition to the words before its command."""
_MAPS = {"testpmd": "testpmd", "l3fwd": "l3fwd", "ovs": "ovs", "command": "dpdk"}


def check_program(scenario: Scenario) -> None:
    """Raises InputError for a data plane that can't be counted, with the reason."""
    wanted = scenario.dataplane
    if wanted.kind == "external":
        raise _refused("what forwards is there already, and is not started here", "kind")
    if wanted.kind == "vpp":
        raise _refused("VPP's ports are its own, and no window of packets can be marked", "kind")
    if wanted.host is not None:
        raise _refused(f"it runs on {wanted.host}; profile it there", "host")
    if wanted.guests:
        raise _refused("it is one program of several; take a switch without guests", "guests")
    if wanted.chain > 1:
        raise _refused("they are several programs; take a chain of 1", "chain")
    if wanted.kind == "command" and "_eal}" not in (wanted.command or ""):
        raise _refused(
            "its command does not take its ports as {in_eal} and {out_eal}, as DPDK programs do",
            "command",
        )
    if scenario.traffic.frame_mix != "none" or scenario.traffic.classes != "none":
        raise InputError("profile counts frames of one size", "traffic", "set traffic.frame_bytes")


def _refused(reason: str, key: str) -> InputError:
    return InputError(f"this can't be counted: {reason}", f"dataplane.{key}")


def map_of(scenario: Scenario) -> StageMap:
    """The stage map of the scenario's program: its own, or the catalogue's."""
    return stage_map(_MAPS[scenario.dataplane.kind], scenario.dataplane.stage_map)


def count_program(
    scenario: Scenario,
    bursts: Sequence[int],
    *,
    packets: int | None = None,
    done: Callable[[int, int], None] = lambda done, total: None,
) -> InstructionCounts:
    """Instructions a packet by stage, function and burst size, one run after the other.

    Raises InputError for what can't be counted, MissingError without the program or valgrind,
    RunError when a run fails.
    """
    check_program(scenario)
    stages, names = map_of(scenario), names_of(scenario)
    plan = run_plan(packets or PACKETS.get(scenario.dataplane.kind, _PACKETS), bursts)
    found: dict[tuple[int, int], RawCounts] = {}
    for number, (count, burst) in enumerate(plan):
        done(number, len(plan))
        found[count, burst] = counts_by_stage(_counted(scenario, count, burst), stages, names)
    done(len(plan), len(plan))
    counts = solve_counts("callgrind", INSTRUCTION_SET, found)
    ordered = {name: counts.stages[name] for name in stages.in_order(list(counts.stages))}
    return counts.model_copy(update={"stages": ordered})


def names_of(scenario: Scenario) -> Mapping[Called, str]:
    """What the map knows of functions without a symbol in this build of the program."""
    with private_folder() as folder:
        words = program_words(scenario, Path(folder))
    try:
        return map_of(scenario).names_of(Elf(Path(words[0])).build_id)
    except OSError:
        return {}  # the start says why


def _counted(scenario: Scenario, packets: int, burst: int) -> list[CallgrindProfile]:
    """One run's costs by thread."""
    with private_folder(for_sockets=True) as name:
        folder = Path(name)
        output = folder / "callgrind.out"

        def tool(given: Mapping[str, str]) -> list[str]:
            return [*stacks_words(output), "env", *(f"{k}={v}" for k, v in given.items())]

        run_window(scenario, folder, tool, _window(scenario, folder, packets, burst))
        found = []
        for file in sorted(folder.glob("callgrind.out-*")):
            with file.open(encoding="utf-8", errors="replace") as lines:
                found.append(parse_callgrind(lines))
        return [thread for thread in found if thread.exclusive]


def _window(scenario: Scenario, folder: Path, packets: int, burst: int) -> Window:
    return Window(
        packets=packets,
        burst=burst,
        lead=lead_packets(scenario, burst),
        warmup=burst,
        mark="callgrind",
        slower=_SLOWER,
        report=folder / "window.json",
        go=go_file(scenario, folder),
    )


def go_file(scenario: Scenario, folder: Path) -> Path | None:
    """What a switch waits for: packets before its flows are there would be dropped."""
    return folder / "go" if scenario.dataplane.kind == "ovs" else None


def lead_packets(scenario: Scenario, burst: int) -> int:
    """Packets until the program is as it stays, in whole bursts."""
    lead = _LEAD
    if scenario.dataplane.kind == "ovs":
        lead = max(_SWITCH_LEAD, _PACKETS_TO_LEARN_A_FLOW * scenario.traffic.flows)
    return -(-lead // burst) * burst


def program_words(scenario: Scenario, folder: Path, before: Sequence[str] = ()) -> list[str]:
    """The command that would be run. Raises MissingError when the program isn't here."""
    return list(_system(scenario, folder, before).planned()[-1].words)


def run_window(scenario: Scenario, folder: Path, tool: Tool, window: Window) -> None:
    """Runs the program with `tool` before its command until the window is over.

    Raises RunError when it fails, or takes too long.
    """
    prefix = tool(window_environment(meter_library(), window, scenario.traffic))
    own = folder / "program"
    own.mkdir()
    if scenario.dataplane.kind == "ovs":
        _run_switch(scenario, folder, prefix, window)
    else:
        words = program_words(scenario, own)
        if scenario.dataplane.kind == "testpmd":
            words.append("--no-mlockall")  # an instrument would touch all of that memory
        _run([*prefix, *words], own, Path(words[0]).name)
    report = read_report(window)
    if scenario.dataplane.kind != "command" and report.sent < _FORWARDED * report.packets:
        raise RunError(
            f"only {report.sent} of {report.packets} packets came out, so others were counted than "
            "those that it forwards",
            scenario.dataplane.kind,
        )


def _run_switch(scenario: Scenario, folder: Path, prefix: Sequence[str], window: Window) -> None:
    """Starts it by a script that has the tool before it: the emulator runs no setpriv."""
    own = folder / "program"
    script = folder / "switch"
    switch = program_words(scenario, own)[0]
    before = shlex.join(prefix)
    if "-plugin" in prefix:  # the emulator's libraries may not be the switch's
        before += ' ${LD_LIBRARY_PATH:+-E "LD_LIBRARY_PATH=$LD_LIBRARY_PATH"}'
    script.write_text(f'#!/bin/sh\nexec {before} {shlex.quote(switch)} "$@"\n', encoding="utf-8")
    script.chmod(0o700)
    wanted = scenario.dataplane.model_copy(update={"program": str(script)})
    with Namespace(folder) as inside:
        system = _system(scenario.model_copy(update={"dataplane": wanted}), own, list(inside.words))
        assert isinstance(system, OpenVswitch)
        _wait_for_switch(system, window)


def _portable(scenario: Scenario) -> Scenario:
    """With l3fwd's build for valgrind, where there is one beside it."""
    if scenario.dataplane.kind != "l3fwd":
        return scenario
    program = l3fwd_program(scenario.dataplane.program)
    other = program.with_name(program.name + PORTABLE)
    wanted = scenario.dataplane.model_copy(
        update={"program": str(other if other.is_file() else program)}
    )
    return scenario.model_copy(update={"dataplane": wanted})


def _system(scenario: Scenario, folder: Path, before: Sequence[str]) -> System:
    ends = [End(kind="virtual", address=port) for port in PORTS]
    cpu = scenario.placement.cpus[0]
    return system_of(_portable(scenario), ends, Seat(cpu, cpu, folder, tuple(before)))


def _wait_for_switch(switch: OpenVswitch, window: Window) -> None:
    """Starts it, and waits until its window is over: then it ends."""
    until = time.monotonic() + _START_S
    try:
        with switch:
            assert window.go is not None
            window.go.touch()  # its flows are there
            while time.monotonic() < until:
                switch.check()
                time.sleep(0.1)
            raise RunError(f"it counted no window of packets in {_START_S:.0f} s", switch.name)
    except PlanecastError:
        if not window.report.exists():
            raise


def _run(words: Sequence[str], folder: Path, name: str) -> None:
    """Runs a command to its end. Raises RunError when it fails or takes too long."""
    said = folder / "said"
    with said.open("wb") as out:
        process = subprocess.Popen(
            dying_with_us(words),
            stdin=subprocess.PIPE,  # testpmd ends when it is closed
            stdout=out,
            stderr=out,
            cwd=folder,
            env={**os.environ, "RUNTIME_DIRECTORY": str(folder)},
            start_new_session=True,  # a Ctrl-C is ours to pass on, once
        )
    try:
        code = process.wait(_START_S)
    except subprocess.TimeoutExpired:
        raise RunError(f"it counted no window of packets in {_START_S:.0f} s", name) from None
    finally:
        end_politely(process, STOP_TIMEOUT_S)
        if process.stdin is not None:
            process.stdin.close()
    if code == -signal.SIGILL:
        raise RunError(
            "it is compiled with instructions that the instrument does not know (AVX-512)",
            name,
            what_to_do="compile it for x86-64-v3 (l3fwd: tools/setup.sh bench), and name that one",
        )
    if code != 0:
        raise ended_error(name, code, said.read_text("utf-8", errors="replace"))
