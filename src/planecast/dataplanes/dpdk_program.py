"""testpmd and l3fwd as data planes under test: peers that forward freely."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Self

from planecast.controlled import Planned
from planecast.dataplanes.end import End, port_numbers
from planecast.dataplanes.l3fwd import plan_l3fwd, write_rules
from planecast.dataplanes.peer import PageSize, Peer, PeerPlan
from planecast.dataplanes.testpmd import Mode, plan_testpmd
from planecast.errors import MissingError, RunError
from planecast.instruments.dpdk_telemetry import port_counters, started_ports
from planecast.native import peers_folder
from planecast.results.estimate import Estimate

L3FWD_PLACES = (peers_folder() / "l3fwd", Path("/usr/local/bin/l3fwd"))
"""Where it is looked for: the first is where this project's own set-up builds it."""
_START_S = 60.0
"""On a machine that is busy with others a start takes ten seconds."""
_ALL_ADDRESSES = ("0.0.0.0/1", "128.0.0.0/1")


class DpdkProgram:
    """A peer that is not metered: it forwards at full speed from its start to its end."""

    def __init__(self, plan: PeerPlan, ports: int) -> None:
        """It is up when so many ports are started."""
        self.name = plan.name
        self._ports = ports
        self._peer = Peer(replace(plan, metered=False, telemetry=True))

    def planned(self) -> list[Planned]:
        """One process. Raises MissingError when the program isn't here."""
        return [Planned(tuple(self._peer.command()))]

    def __enter__(self) -> Self:
        self._peer.__enter__()
        try:
            self._wait_for_ports()
        except BaseException:
            self._peer.stop()
            raise
        return self

    def __exit__(self, *about: object) -> None:
        self._peer.stop()

    @property
    def pid(self) -> int | None:
        """Its process; None when it doesn't run."""
        return self._peer.pid

    def check(self) -> None:
        """Raises RunError with its last words when it has ended."""
        self._peer.check()

    def ports(self) -> dict[str, int]:
        """What its ports have counted since its start; empty when it doesn't tell.

        Raises RunError when it ought to and doesn't answer.
        """
        socket = self._peer.telemetry_socket
        return {} if socket is None else port_counters(socket)

    def _wait_for_ports(self) -> None:
        """Raises RunError when it ends, or never starts them."""
        until = time.monotonic() + _START_S
        while time.monotonic() < until:
            self.check()
            socket = self._peer.telemetry_socket
            with suppress(RunError):  # the socket is there before it answers
                if socket is not None and started_ports(socket) >= self._ports:
                    return
            time.sleep(0.05)
        raise RunError(f"its ports are not started after {_START_S:.0f} s", self.name)

    def begin_opinion(self) -> None:
        """Nothing: it counts no cycles without a price."""

    def opinion(self) -> Mapping[str, Estimate]:
        """Nothing."""
        return {}


@dataclass(frozen=True)
class ConnectedPlan:
    """How testpmd connects two ports."""

    mode: Mode
    cpu: int
    main_cpu: int
    queues: int = 1
    """Of each port, each way."""


def testpmd_between(
    ends: Sequence[End], wanted: ConnectedPlan, before: Sequence[str]
) -> DpdkProgram:
    """testpmd between two ends, each packet from one to the other."""
    devices = [end.device(number) for number, end in enumerate(ends)]
    plan = plan_testpmd(
        wanted.mode, devices, cpu=wanted.cpu, main_cpu=wanted.main_cpu, page_size=_pages(ends)
    )
    queues = (f"--rxq={wanted.queues}", f"--txq={wanted.queues}")
    # A link comes up when the other side does, which may be later.
    arguments = (*plan.arguments, "--disable-link-check", *queues)
    return DpdkProgram(replace(plan, arguments=arguments, before=tuple(before)), len(ends))


def l3fwd_program(program: str | None) -> Path:
    """The named one, or the one that is found here. Raises MissingError without one."""
    path = next((place for place in L3FWD_PLACES if place.is_file()), None)
    if program is not None:
        path = Path(program)
    if path is None:
        raise MissingError(
            "l3fwd is not here",
            str(L3FWD_PLACES[0]),
            "build it with tools/setup.sh bench, or name it (dataplane.program)",
        )
    return path


def l3fwd_between(
    ends: Sequence[End],
    program: str | None,
    cpu: int,
    folder: Path,
    before: Sequence[str] = (),
) -> DpdkProgram:
    """l3fwd that routes every address to the second end. Raises MissingError without one."""
    path = l3fwd_program(program)
    rules = folder / "rules"
    write_rules(rules, _ALL_ADDRESSES, ports=1, first=port_numbers(ends)[1])
    devices = [end.device(number) for number, end in enumerate(ends)]
    plan = plan_l3fwd(path.absolute(), devices, rules, cpu=cpu, page_size=_pages(ends))
    return DpdkProgram(replace(plan, before=tuple(before)), len(ends))


def _pages(ends: Sequence[End]) -> PageSize:
    """Memory that others read stays the one of EAL, whose pages are small."""
    return "4KiB" if any(end.shares_memory for end in ends) else "2MiB"
