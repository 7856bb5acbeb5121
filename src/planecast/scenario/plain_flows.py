"""The plain IPv4 and UDP packets that a scenario's data plane gets, of others than ours.

Whoever makes packets (a generator, a port in memory) and whoever makes tables for them has these
from here, so that the two agree.
"""

from __future__ import annotations

from ipaddress import IPv4Address, IPv6Address

from planecast.errors import InputError
from planecast.scenario.dataplanes.l3fwd import EVERY_ADDRESS
from planecast.scenario.dataplanes.packets import IPV4_ADDRESSES, Addressed, Packets, as_number
from planecast.scenario.scenario import Scenario
from planecast.scenario.traffic import Traffic

UDP_PORTS = (Packets().source_port, Packets().destination_port)
"""Source and destination of all packets that programs with tables of ours get."""
STATION_MACS = (0x0200_0000_0000, 0x0200_0100_0000)
"""Of flow 0's source and destination over a bridge; each further flow's are the next ones."""
IP6_DEPTH = 48
"""Bits of an IPv6 route."""
_IP6_ROUTES = int(IPv6Address("2001:db8::"))
_ROUTED = IPv4Address("128.0.0.0")
_ROUTED_ADDRESSES = 1 << 30


def plain_flows(scenario: Scenario) -> Packets:
    """The flows of a scenario: as it says, of a program that only its user knows. Where routes lie
    around destinations, these lie in 128.0.0.0/2, at ``traffic.destination_step``, as those of our
    own router do.

    Raises InputError for flows that leave it, or all addresses.
    """
    if isinstance(scenario.dataplane, Addressed):
        return _within(scenario.dataplane.packets, scenario.traffic.active_flows)
    if not has_routes(scenario):
        return Packets()
    traffic = scenario.traffic
    step = IPv4Address(traffic.destination_step)
    if (traffic.active_flows - 1) * int(step) >= _ROUTED_ADDRESSES:
        raise InputError(
            f"{traffic.active_flows} flows with a step of {step} leave 128.0.0.0/2",
            "traffic.destination_step",
            "lower one of the two",
        )
    return Packets(destination=str(_ROUTED), destination_step=str(step))


def _within(packets: Packets, flows: int) -> Packets:
    for name in ("source", "destination"):
        first, step = (as_number(getattr(packets, key)) for key in (name, f"{name}_step"))
        if first + (flows - 1) * step >= IPV4_ADDRESSES:
            raise InputError(
                f"{flows} flows go beyond the last IPv4 address",
                f"dataplane.packets.{name}",
                f"lower it, dataplane.packets.{name}_step or traffic.flows",
            )
    return packets


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
