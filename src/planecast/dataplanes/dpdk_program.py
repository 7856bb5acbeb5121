"""testpmd and l3fwd as data planes under test: peers that forward freely."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Self

from planecast.controlled import Planned
from planecast.dataplanes.end import End, port_numbers
from planecast.dataplanes.l3fwd import plan_l3fwd, write_rules
from planecast.dataplanes.peer import PageSize, Peer, PeerPlan
from planecast.dataplanes.testpmd import Mode, plan_testpmd
from planecast.errors import MissingError
from planecast.instruments.dpdk_telemetry import port_counters
from planecast.results.estimate import Estimate

L3FWD_PLACES = (Path("build/peers/l3fwd"), Path("/usr/local/bin/l3fwd"))
"""Where it is looked for: the first is where this project's own set-up builds it."""
_ALL_ADDRESSES = ("0.0.0.0/1", "128.0.0.0/1")


class DpdkProgram:
    """A peer that is not metered: it forwards at full speed from its start to its end."""

    def __init__(self, plan: PeerPlan) -> None:
        self.name = plan.name
        self._peer = Peer(replace(plan, metered=False, telemetry=True))

    def planned(self) -> list[Planned]:
        """One process. Raises MissingError when the program isn't here."""
        return [Planned(tuple(self._peer.command()))]

    def __enter__(self) -> Self:
        self._peer.__enter__()
        return self

    def __exit__(self, *about: object) -> None:
        self._peer.stop()

    def check(self) -> None:
        """Raises RunError with its last words when it has ended."""
        self._peer.check()

    def ports(self) -> dict[str, int]:
        """What its ports have counted since its start; empty when it doesn't tell.

        Raises RunError when it ought to and doesn't answer.
        """
        socket = self._peer.telemetry_socket
        return {} if socket is None else port_counters(socket)

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
    return DpdkProgram(replace(plan, arguments=arguments, before=tuple(before)))


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
    return DpdkProgram(replace(plan, before=tuple(before)))


def _pages(ends: Sequence[End]) -> PageSize:
    """Memory that others read stays the one of EAL, whose pages are small."""
    return "4KiB" if any(end.shares_memory for end in ends) else "2MiB"
