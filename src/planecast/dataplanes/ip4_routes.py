"""The IPv4 destinations of a scenario's flows and the routes to them, by the rule of planecast's
own router (native/dataplane/ip4_routes.h), for routers of others."""

from __future__ import annotations

from ipaddress import IPv4Address

from planecast.errors import InputError
from planecast.scenario.scenario import Scenario

DESTINATIONS = IPv4Address("128.0.0.0")
"""Of flow 0; the others follow at ``traffic.destination_step``, within 128.0.0.0/2."""
_DESTINATION_BITS = 30
_BASE_MOST = 256
_MIXED_LEAST, _DEEPEST = 9, 32
_BLOCKS = 64
_MIX = (0x7FEB352D, 0x846CA68B)
_WORD = 0xFFFFFFFF

Prefix = tuple[int, int]
"""Address and depth."""


def destination(scenario: Scenario, flow: int) -> int:
    """The destination address of a flow."""
    step = int(IPv4Address(scenario.traffic.destination_step))
    return int(DESTINATIONS) | (flow * step & ((1 << _DESTINATION_BITS) - 1))


def ip4_prefixes(scenario: Scenario) -> list[Prefix]:
    """As many different prefixes as the workload has routes.

    Raises InputError when there are fewer prefixes of that depth, and for flows without a route."""
    workload = scenario.workload
    found: dict[Prefix, None] = {}
    if workload.route_depth == "mixed":
        _add_mixed(scenario, found)
    else:
        if workload.routes > 1 << workload.route_depth:
            raise InputError(
                f"{workload.routes} routes of {workload.route_depth} bits don't exist",
                "workload.routes",
                "lower it, or raise workload.route_depth",
            )
        for flow in range(workload.flows):
            if len(found) == workload.routes:
                break
            found[_around(destination(scenario, flow), workload.route_depth)] = None
    _check_covered(scenario, found)
    _add_random(scenario, found)
    return list(found)


def _add_mixed(scenario: Scenario, found: dict[Prefix, None]) -> None:
    workload = scenario.workload
    base = max(2, min(workload.routes // 2, _BASE_MOST))
    others = workload.routes - base
    found.update(dict.fromkeys(_part(base, index) for index in range(base)))
    for number in range(others):
        flow = number * workload.flows // others
        block = flow * _BLOCKS // workload.flows
        depth = _MIXED_LEAST + block % (_DEEPEST - _MIXED_LEAST + 1)
        found[_around(destination(scenario, flow), depth)] = None


def _add_random(scenario: Scenario, found: dict[Prefix, None]) -> None:
    """Fills up with prefixes around random addresses, off the flows' where depths are mixed."""
    workload, number = scenario.workload, 0
    while len(found) < workload.routes:
        number += 1
        address, depth = _mixed_up(number), workload.route_depth
        if depth == "mixed":
            if address >> _DESTINATION_BITS == int(DESTINATIONS) >> _DESTINATION_BITS:
                address ^= 1 << 31
            depth = _MIXED_LEAST + number % (_DEEPEST - _MIXED_LEAST + 1)
        found[_around(address, depth)] = None


def _check_covered(scenario: Scenario, found: dict[Prefix, None]) -> None:
    """Raises InputError for active flows that no route leads on: a router drops them."""
    depth = scenario.workload.route_depth
    if depth == "mixed":
        return
    active = scenario.traffic.active_flows
    without = sum(
        _around(destination(scenario, flow), depth) not in found for flow in range(active)
    )
    if without:
        raise InputError(
            f"{without:,} of {active:,} active flows have no route of {depth} bits",
            "workload.routes",
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
