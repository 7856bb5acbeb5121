"""What VPP forwards by: the commands that connect two interfaces as a scenario says.

The tables have the sizes that the scenario says: routes and neighbours of ip4 and ip6, stations of
l2bridge. Packets come in at the first interface and go out at the second.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from ipaddress import IPv4Address, IPv4Network, IPv6Address

from planecast.dataplanes.ip4_routes import ip4_prefixes
from planecast.errors import InputError
from planecast.scenario.dataplanes.vpp import MAX_STATIONS
from planecast.scenario.dataplanes.vpp import Vpp as VppDataplane
from planecast.scenario.plain_flows import IP6_DEPTH, STATION_MACS, ip6_route
from planecast.scenario.scenario import Scenario

IN_MAC = "02:00:00:00:00:02"
"""Of the interface that packets come in at: where the generator's frames are addressed to."""
_OUT_MAC = "02:00:00:00:00:03"
_NEIGHBOUR_MACS = 0x0200_0200_0000
_BRIDGE = 1
_ADDRESSES = {"ip4": ("192.0.2.1/24", "198.18.0.1/15"), "ip6": ("fd00:1::1/64", "fd00:2::1/64")}
"""Of the two interfaces: outside the routes' prefixes of the scenarios here."""
_NEIGHBOURS = {"ip4": int(IPv4Address("198.18.0.2")), "ip6": int(IPv6Address("fd00:2::2"))}
_IP4_OWN = {"0.0.0.0/0", "0.0.0.0/32", "224.0.0.0/4", "240.0.0.0/4", "255.255.255.255/32"}
"""Prefixes that each IPv4 table of VPP has from the start: a route to one of them adds no entry."""


@dataclass(frozen=True)
class Graph:
    """The commands of a graph."""

    commands: tuple[str, ...]
    """A few, one by one."""
    neighbours: tuple[str, ...] = ()
    """Next hops, from a file, before the entries that lead to them."""
    entries: tuple[str, ...] = ()
    """Table entries, from a file."""
    counted: str = ""
    """A command that shows how many entries there are; empty without."""
    count: int = 0
    """How many of them the entries add at the least."""


def hardware_addresses() -> tuple[str, str]:
    """Of the interface that packets come in at, and of the other."""
    return IN_MAC, _OUT_MAC


def graph_of(scenario: Scenario, names: Sequence[str]) -> Graph:
    """The commands between two interfaces. Raises InputError for tables that don't fit the
    traffic."""
    comes_in, goes_out = names
    pairs = ((comes_in, goes_out), (goes_out, comes_in))
    wanted = scenario.dataplane
    assert isinstance(wanted, VppDataplane)
    graph = wanted.graph
    if graph == "l2xc":
        return Graph(tuple(f"set interface l2 xconnect {one} {other}" for one, other in pairs))
    if graph == "l2patch":
        return Graph(tuple(f"test l2patch rx {one} tx {other}" for one, other in pairs))
    if graph == "l2bridge":
        return _bridge(scenario, wanted.stations // 2, names)
    return _routed(scenario, wanted, names)


def _bridge(scenario: Scenario, stations: int, names: Sequence[str]) -> Graph:
    """A learning bridge that knows so many stations at either port from the start. Raises
    InputError for flows to others: a bridge floods what it does not know."""
    active = scenario.traffic.active_flows
    if active > stations:
        enough = f"raise it to {2 * active}, two of each flow, or lower traffic.flows"
        raise InputError(
            f"{active:,} flows are active, but the bridge knows the stations of {stations:,} and "
            "would flood the others",
            "dataplane.stations",
            enough if 2 * active <= MAX_STATIONS else f"lower traffic.flows to {stations} or less",
        )
    entries = (
        f"l2fib add {_mac(first + flow)} {_BRIDGE} {name}"
        for name, first in zip(names, STATION_MACS, strict=True)
        for flow in range(stations)
    )
    return Graph(
        (
            f"create bridge-domain {_BRIDGE} learn 1 forward 1 uu-flood 1 flood 1 arp-term 0",
            *(f"set interface l2 bridge {name} {_BRIDGE}" for name in names),
        ),
        entries=tuple(entries),
        counted="show l2fib",
        count=2 * stations,
    )


def _routed(scenario: Scenario, wanted: VppDataplane, names: Sequence[str]) -> Graph:
    """Routes through static neighbours behind the second interface, in turn."""
    hops, version = wanted.next_hops, wanted.graph
    prefixes = list(
        _ip4_routes(scenario, wanted) if version == "ip4" else _ip6_routes(wanted.routes)
    )
    first, address = _NEIGHBOURS[version], (IPv4Address if version == "ip4" else IPv6Address)
    neighbours = [str(address(first + hop)) for hop in range(hops)]
    out = names[1]
    return Graph(
        tuple(
            f"set interface ip address {name} {own}"
            for name, own in zip(names, _ADDRESSES[version], strict=True)
        ),
        tuple(
            f"set ip neighbor {out} {neighbour} {_mac(_NEIGHBOUR_MACS + hop)} static"
            for hop, neighbour in enumerate(neighbours)
        ),
        tuple(
            f"ip route add {prefix} via {neighbours[number % hops]} {out}"
            for number, prefix in enumerate(prefixes)
        ),
        "show ip fib summary" if version == "ip4" else "show ip6 fib summary",
        len(set(prefixes) - _own_prefixes(version, neighbours)),
    )


def _own_prefixes(version: str, neighbours: Sequence[str]) -> set[str]:
    """Prefixes that VPP has without our routes: of every table, of the interfaces' networks, and of
    the neighbours. Of IPv6 none is among the routes."""
    if version == "ip6":
        return set()
    found = _IP4_OWN | {f"{neighbour}/32" for neighbour in neighbours}
    for own in _ADDRESSES[version]:
        network = IPv4Network(own, strict=False)
        edges = (network.network_address, own.partition("/")[0], network.broadcast_address)
        found |= {str(network)} | {f"{edge}/32" for edge in edges}
    return found


def _ip4_routes(scenario: Scenario, wanted: VppDataplane) -> Iterator[str]:
    for address, depth in ip4_prefixes(scenario, wanted.routes, wanted.route_depth):
        yield f"{IPv4Address(address)}/{depth}"


def _ip6_routes(count: int) -> Iterator[str]:
    """2001:db8:0::/48, 2001:db8:1::/48, …"""
    for number in range(count):
        yield f"{ip6_route(number)}/{IP6_DEPTH}"


def _mac(number: int) -> str:
    return number.to_bytes(6, "big").hex(":")
