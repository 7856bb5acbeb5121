"""testpmd and l3fwd as data planes under test: peers that forward freely."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Self

from planecast.dataplanes.l3fwd import plan_l3fwd, write_rules
from planecast.dataplanes.peer import Peer, PeerPlan
from planecast.dataplanes.system import Link
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


def testpmd_between(links: Sequence[Link], mode: Mode, cpu: int, main_cpu: int) -> DpdkProgram:
    """testpmd from the first link to the second."""
    vdevs = [link.vdev(number) for number, link in enumerate(links)]
    plan = plan_testpmd(mode, vdevs, cpu=cpu, main_cpu=main_cpu)
    # A link comes up when the other side does, which may be later.
    arguments = (*plan.arguments, "--disable-link-check")
    return DpdkProgram(replace(plan, arguments=arguments))


def l3fwd_between(
    links: Sequence[Link], program: str | None, cpu: int, folder: Path
) -> DpdkProgram:
    """l3fwd that routes every address to the second link. Raises MissingError without one."""
    path = next((place for place in L3FWD_PLACES if place.is_file()), None)
    if program is not None:
        path = Path(program)
    if path is None:
        raise MissingError(
            "l3fwd is not here",
            str(L3FWD_PLACES[0]),
            "build it with tools/setup.sh bench, or name it (dataplane.program)",
        )
    rules = folder / "rules"
    write_rules(rules, _ALL_ADDRESSES, ports=1, first=1)
    vdevs = [link.vdev(number) for number, link in enumerate(links)]
    return DpdkProgram(plan_l3fwd(path.absolute(), vdevs, rules, cpu=cpu))
