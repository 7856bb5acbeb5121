"""From a scenario to the ports of its links: who has which, and who makes the socket.

Programs start in their order and the generator last. Who starts earlier makes a link's socket, but
Open vSwitch's vhost-user ports are clients (its server ports are deprecated): there the other makes
it, and the switch connects when it is there.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from planecast.dataplanes.port import Kind, Port, named_port
from planecast.scenario.dataplanes.linked import Linked
from planecast.scenario.scenario import Scenario


class Cables(Protocol):
    """What makes pairs of network interfaces."""

    def pair(self, name: str, frame_bytes: int) -> tuple[str, str]:
        """The two interfaces of a new pair."""


@dataclass(frozen=True)
class LinkTopology:
    """The ports of all links."""

    generator: tuple[Port, Port]
    """Where the generator sends, where it receives."""
    programs: tuple[tuple[Port, ...], ...]
    """Of each program in the order of their starts its ports: what comes in at the first goes out
    at the second, and of a switch's further ones in the same way."""

    @property
    def ports(self) -> list[Port]:
        """All of them."""
        return [*self.generator, *(port for program in self.programs for port in program)]


def link_topology_of(scenario: Scenario, folder: Path, cables: Cables | None) -> LinkTopology:
    """The ports of a scenario's links; sockets lie in `folder`, `cables` is for cables alone."""
    wires = _Wires(scenario, folder, cables)
    guests = guests_of(scenario)
    return wires.switch(guests) if guests else wires.series()


def guests_of(scenario: Scenario) -> int:
    """Programs behind a switch; 0 for others."""
    return scenario.dataplane.guests if scenario.dataplane.kind == "ovs" else 0


class _Wires:
    def __init__(self, scenario: Scenario, folder: Path, cables: Cables | None) -> None:
        self._scenario = scenario
        self._folder = folder
        self._cables = cables
        self._made = 0

    def series(self) -> LinkTopology:
        """generator, first, …, last, generator."""
        placement, count = self._scenario.placement, self._scenario.dataplane.programs
        sends, comes_in = self._outer(0, placement.rx_ring)
        programs = []
        for _ in range(count - 1):
            goes_out, next_in = self._inner(placement.rx_ring)
            programs.append((comes_in, goes_out))
            comes_in = next_in
        receives, goes_out = self._outer(1, placement.tx_ring)
        return LinkTopology((sends, receives), (*programs, (comes_in, goes_out)))

    def switch(self, count: int) -> LinkTopology:
        """generator, switch, guest, switch, …, generator: the switch has all other ports."""
        placement = self._scenario.placement
        sends, first = self._outer(0, placement.rx_ring)
        at_switch, guests = [first], []
        for _ in range(count):
            pair = (self._inner(placement.rx_ring), self._inner(placement.rx_ring))
            at_switch += [switch for switch, _ in pair]
            guests.append(tuple(guest for _, guest in pair))
        receives, last = self._outer(1, placement.tx_ring)
        return LinkTopology((sends, receives), ((*at_switch, last), *guests))

    def _outer(self, side: int, ring: int) -> tuple[Port, Port]:
        """A link at the generator: its port, and the program's."""
        wanted, frame = self._scenario.started, self._scenario.traffic.frame_bytes
        if isinstance(wanted, Linked) and wanted.ports == "named":
            return (
                named_port(wanted.generator_devices[side], ring, frame),
                named_port(wanted.devices[side], ring, frame),
            )
        earlier, later = self._inner(ring)
        if later.kind == "xdp":  # whose driver's libraries are not linked into our generator
            later = later.model_copy(update={"kind": "interface"})
        return later, earlier

    def _inner(self, ring: int) -> tuple[Port, Port]:
        """A link of this machine: the end of who starts earlier, and the other's."""
        wanted, frame = self._scenario.started, self._scenario.traffic.frame_bytes
        number, self._made = self._made, self._made + 1
        socket = str(self._folder / f"link{number}.sock")

        def port(kind: Kind, address: str, *, server: bool = False) -> Port:
            return Port(kind=kind, address=address, ring=ring, server=server, frame_bytes=frame)

        if wanted.cabled:
            assert self._cables is not None
            one, other = self._cables.pair(f"link{number}", frame)
            kind: Kind = "interface" if wanted.ports == "veth" else "xdp"
            return port(kind, one), port(kind, other)
        if wanted.ports == "vhost-user":
            waits = wanted.kind != "ovs"
            return port("vhost", socket, server=waits), port("virtio", socket, server=not waits)
        return port("memif", socket, server=True), port("memif", socket)
