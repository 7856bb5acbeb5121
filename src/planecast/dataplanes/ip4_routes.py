"""The IPv4 destinations of a scenario's flows and the routes to them, by the rule of planecast's
own router (native/dataplane/ip4_routes.h), for routers of others."""

from __future__ import annotations

from planecast.errors import InputError
from planecast.scenario.dataplanes.packets import Packets
from planecast.scenario.dataplanes.routes import RouteDepth, base_routes
from planecast.scenario.plain_flows import plain_flows
from planecast.scenario.scenario import Scenario

_DESTINATIONS = 0b10
"""The highest bits of all destinations."""
_DESTINATION_BITS = 30
_MIXED_LEAST, _DEEPEST = 9, 32
_BLOCKS = 64
_MIX = (0x7FEB352D, 0x846CA68B)
_WORD = 0xFFFFFFFF

Prefix = tuple[int, int]
"""Address and depth."""


def ip4_prefixes(scenario: Scenario, routes: int, depth: RouteDepth) -> list[Prefix]:
    """As many different prefixes, around the destinations of the scenario's flows.

    Raises InputError when there are fewer prefixes of that depth, and for flows without a route."""
    found: dict[Prefix, None] = {}
    flows, count = plain_flows(scenario), scenario.traffic.active_flows
    if depth == "mixed":
        _add_mixed(flows, count, routes, found)
    else:
        if routes > 1 << depth:
            raise InputError(
                f"{routes} routes of {depth} bits don't exist",
                "dataplane.routes",
                "lower it, or raise dataplane.route_depth",
            )
        for flow in range(count):
            if len(found) == routes:
                break
            found[_around(int(flows.destination_of(flow)), depth)] = None
        _check_covered(flows, count, depth, found)
    _add_random(routes, depth, found)
    return list(found)


def _add_mixed(flows: Packets, count: int, routes: int, found: dict[Prefix, None]) -> None:
    base = base_routes(routes)
    others = routes - base
    found.update(dict.fromkeys(_part(base, index) for index in range(base)))
    for number in range(others):
        flow = number * count // others
        block = flow * _BLOCKS // count
        depth = _MIXED_LEAST + block % (_DEEPEST - _MIXED_LEAST + 1)
        found[_around(int(flows.destination_of(flow)), depth)] = None


def _add_random(routes: int, wanted: RouteDepth, found: dict[Prefix, None]) -> None:
    """Fills up with prefixes around random addresses, off the flows' where depths are mixed."""
    number = 0
    while len(found) < routes:
        number += 1
        address, depth = _mixed_up(number), wanted
        if depth == "mixed":
            if address >> _DESTINATION_BITS == _DESTINATIONS:
                address ^= 1 << 31
            depth = _MIXED_LEAST + number % (_DEEPEST - _MIXED_LEAST + 1)
        found[_around(address, depth)] = None


def _check_covered(flows: Packets, active: int, depth: int, found: dict[Prefix, None]) -> None:
    """Raises InputError for active flows that no route leads on: a router drops them."""
    addresses = (int(flows.destination_of(flow)) for flow in range(active))
    without = sum(_around(address, depth) not in found for address in addresses)
    if without:
        raise InputError(
            f"{without:,} of {active:,} active flows have no route of {depth} bits",
            "dataplane.routes",
            "raise it, lower traffic.flows, or take route_depth: mixed",
        )


def _around(address: int, depth: int) -> Prefix:
    return address & (_WORD << (32 - depth) & _WORD), depth


def _part(count: int, index: int) -> Prefix:
    """Number `index` of the `count` prefixes that split the address space evenly."""
    depth = (count - 1).bit_length()
    wide = (1 << depth) - count
    if index < wide:
        return index << (33 - depth), depth - 1
    return (2 * wide + index - wide) << (32 - depth), depth


def _mixed_up(number: int) -> int:
    value = number
    value ^= value >> 16
    value = value * _MIX[0] & _WORD
    value ^= value >> 15
    value = value * _MIX[1] & _WORD
    return value ^ value >> 16
