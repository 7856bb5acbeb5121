"""The plain IPv4 and UDP packets that data planes of others get, and the addresses of their flows.

Whoever makes packets (a generator, a port in memory) and whoever makes tables for them has these
from here, so that the two agree.
"""

from __future__ import annotations

from dataclasses import dataclass
from ipaddress import IPv4Address, IPv6Address

from planecast.errors import InputError
from planecast.scenario.dataplanes.l3fwd import EVERY_ADDRESS
from planecast.scenario.scenario import Scenario
from planecast.scenario.traffic import Traffic

UDP_PORTS = (49152, 49153)
"""Source and destination of all packets."""
STATION_MACS = (0x0200_0000_0000, 0x0200_0100_0000)
"""Of flow 0's source and destination over a bridge; each further flow's are the next ones."""
IP6_DEPTH = 48
"""Bits of an IPv6 route."""
_IP6_ROUTES = int(IPv6Address("2001:db8::"))
_STEP = IPv4Address("0.0.0.1")
_SOURCE, _DESTINATION = IPv4Address("10.0.0.1"), IPv4Address("11.0.0.1")
_ROUTED = IPv4Address("128.0.0.0")
_ROUTED_ADDRESSES = 1 << 30


@dataclass(frozen=True)
class PlainFlows:
    """Addresses of flows: those of the first one, and what is added from each to the next."""

    source: IPv4Address = _SOURCE
    destination: IPv4Address = _DESTINATION
    source_step: IPv4Address = _STEP
    destination_step: IPv4Address = _STEP

    def source_of(self, flow: int) -> IPv4Address:
        """Source address of a flow."""
        return IPv4Address(int(self.source) + flow * int(self.source_step))

    def destination_of(self, flow: int) -> IPv4Address:
        """Destination address of a flow."""
        return IPv4Address(int(self.destination) + flow * int(self.destination_step))


def plain_flows(scenario: Scenario) -> PlainFlows:
    """The flows of a scenario. Where routes lie around destinations, these lie in 128.0.0.0/2, at
    ``traffic.destination_step``, as those of our own router do.

    Raises InputError for flows that leave it.
    """
    if not has_routes(scenario):
        return PlainFlows()
    traffic = scenario.traffic
    step = IPv4Address(traffic.destination_step)
    if (traffic.active_flows - 1) * int(step) >= _ROUTED_ADDRESSES:
        raise InputError(
            f"{traffic.active_flows} flows with a step of {step} leave 128.0.0.0/2",
            "traffic.destination_step",
            "lower one of the two",
        )
    return PlainFlows(destination=_ROUTED, destination_step=step)


def ip6_route(number: int) -> IPv6Address:
    """2001:db8:0::, 2001:db8:1::, …"""
    return IPv6Address(_IP6_ROUTES + (number << (128 - IP6_DEPTH)))


def traffic_of_tables(scenario: Scenario) -> Traffic:
    """The traffic that a program's tables are made for; other traffic meets them, too, when this
    is equal."""
    wanted = scenario.dataplane
    if not has_routes(scenario) and not (wanted.kind == "l3fwd" and wanted.lookup == "em"):
        return Traffic()
    own = scenario.traffic
    return Traffic(flows=own.active_flows, destination_step=own.destination_step)


def has_routes(scenario: Scenario) -> bool:
    """Whether there are routes for some destinations only."""
    wanted = scenario.dataplane
    if wanted.kind == "vpp":
        return wanted.graph == "ip4"
    return wanted.kind == "l3fwd" and wanted.lookup != "em" and wanted.routes > EVERY_ADDRESS
