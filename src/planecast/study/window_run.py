"""A run of a scenario's program until its window of packets is over, with an instrument's words
before its command."""

from __future__ import annotations

import signal
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from pathlib import Path
from subprocess import PIPE

from planecast.dataplanes.command import folder_started_in, ready_words, wait_ready
from planecast.dataplanes.dut import Program
from planecast.dataplanes.dut_factory import title_of
from planecast.dataplanes.in_memory import (
    COUNTED,
    portable,
    program_in_memory,
    program_words,
    refuse_lost,
    switch_by_script,
)
from planecast.dataplanes.meter import meter_library
from planecast.dataplanes.namespace import Namespace
from planecast.dataplanes.ovs import SEEN
from planecast.dataplanes.vpp_in_memory import MADE, VppInMemory
from planecast.errors import PlanecastError, RunError, last_words
from planecast.instruments.window import Mark, Window, read_report, window_environment
from planecast.native import set_up
from planecast.process import Process, dying_with_us, eal_environment, ended_error
from planecast.scenario.scenario import Scenario

_LEAD = 32768
_START_S = 180.0
UNSEEN = "none of its ports says what it sent: whether packets were forwarded is not known"
Tool = Callable[[Mapping[str, str]], list[str]]
"""From what the program's environment gets in addition to the words before its command."""


def window_of(
    scenario: Scenario,
    folder: Path,
    packets: int,
    burst: int,
    *,
    warmup: int,
    mark: Mark,
    slower: float,
) -> Window:
    """The window of a scenario's program, once the program is as it stays.

    A switch waits for a file: packets before its flows are there would be dropped. Those of a
    program that says when it is up wait for one, too. What forwards after the lead waits for
    another; between them it can be asked.
    """
    return Window(
        packets=packets,
        burst=burst,
        lead=_lead_packets(scenario, burst),
        warmup=warmup,
        mark=mark,
        slower=slower,
        report=folder / "window.json",
        go=folder / "go" if scenario.dataplane.kind == "ovs" else None,
        ready=None if ready_words(scenario) is None else folder / "ready",
        hold=folder / "hold" if scenario.dataplane.kind in ("ovs", "vpp") else None,
    )


def _lead_packets(scenario: Scenario, burst: int) -> int:
    """Packets until the program is as it stays, in whole bursts."""
    wanted, lead = scenario.dataplane, _LEAD
    if wanted.kind == "ovs":
        lead = max(_LEAD, SEEN * max(scenario.traffic.flows, wanted.rules))
    return -(-lead // burst) * burst


def run_window(scenario: Scenario, folder: Path, tool: Tool, window: Window) -> tuple[str, ...]:
    """Runs the program with `tool` before its command until the window is over; what is to be known
    of the answer.

    Raises RunError when it fails, or takes too long.
    """
    library = meter_library(scenario.dataplane.kind)
    prefix = tool(window_environment(library, window, scenario))
    own = folder / "program"
    own.mkdir()
    if scenario.dataplane.kind == "ovs":
        _run_switch(scenario, folder, prefix, window)
    elif scenario.dataplane.kind == "vpp":
        _run_vpp(scenario, own, prefix, window)
    else:
        words = program_words(portable(scenario), own)
        if scenario.dataplane.kind == "testpmd":
            words.append("--no-mlockall")  # an instrument would touch all of that memory
        _run(scenario, [*prefix, *words], own, window)
    report = read_report(window)
    if scenario.dataplane.kind == "vpp":
        return ()  # that its packets come out was checked before the window
    if not report.sent_reported:
        return (UNSEEN,)
    refuse_lost(
        report.packets,
        report.sent,
        COUNTED,
        title_of(scenario),
        what_to_do="see that its ports send what the first one receives",
    )
    return ()


def _run_switch(scenario: Scenario, folder: Path, prefix: Sequence[str], window: Window) -> None:
    """Starts it by a script that has the tool before it: the emulator runs no setpriv."""
    with Namespace(folder) as inside:
        switch = switch_by_script(scenario, folder, prefix, inside.words)
        _wait_for(switch, window, switch.learning)


def _run_vpp(scenario: Scenario, folder: Path, prefix: Sequence[str], window: Window) -> None:
    """Sees that the packets of the lead come out; nobody sees those of the window."""
    vpp = program_in_memory(scenario, folder, prefix)
    assert isinstance(vpp, VppInMemory)

    def led() -> None:
        came, went = vpp.forwarded()
        refuse_lost(came, went, COUNTED, vpp.name, share=1.0, held=MADE + window.burst)

    sent = scenario.in_bursts(window.burst)
    _wait_for(vpp, window, started=lambda: vpp.send(sent), led=led)


def _wait_for(
    program: Program,
    window: Window,
    learning: Callable[[], AbstractContextManager[object]] = nullcontext,
    started: Callable[[], None] = lambda: None,
    led: Callable[[], None] = lambda: None,
) -> None:
    """Starts it, and waits until its window is over: then it ends. `learning` is around the lead,
    `led` after it."""
    until = time.monotonic() + _START_S
    try:
        with program:
            assert window.hold is not None
            started()
            with learning():
                if window.go is not None:
                    window.go.touch()  # what it forwards by is there
                while not window.led and time.monotonic() < until:
                    program.check()
                    time.sleep(0.02)
            led()
            window.hold.touch()
            while time.monotonic() < until:
                program.check()
                time.sleep(0.1)
            raise RunError(f"it counted no window of packets in {_START_S:.0f} s", program.name)
    except PlanecastError:
        if not window.report.exists():
            raise


def _run(scenario: Scenario, words: Sequence[str], folder: Path, window: Window) -> None:
    """Runs a command to its end. Raises RunError when it fails or takes too long."""
    environment, name = eal_environment(folder), title_of(scenario)
    with Process(
        name,
        dying_with_us(words),
        folder / "said",
        environment=environment,
        folder=folder_started_in(scenario, folder),
        stdin=PIPE,  # testpmd ends when it is closed
    ) as process:
        if window.ready is not None:
            wait_ready(ready_words(scenario), process, _START_S)
            window.ready.touch()
        code = process.ended(_START_S)
    if code is None:
        raise RunError(
            f"it counted no window of packets in {_START_S:.0f} s",
            name,
            said=last_words(None, process.said()),
        )
    if code == -signal.SIGILL:
        raise RunError(
            "it is compiled with instructions that the instrument does not know (AVX-512)",
            name,
            what_to_do=f"compile it for x86-64-v3 (l3fwd: {set_up('bench')}), and name that one",
        )
    if code != 0:
        raise ended_error(name, code, process.said())
