"""The longest frames that data planes take, in bytes with FCS, as tried with DPDK 22.11 and Open
vSwitch 3.1: longer ones are dropped, or end the program."""

from __future__ import annotations

from typing import NamedTuple

from planecast.scenario.dataplanes.hosted import Hosted, Kind
from planecast.scenario.dataplanes.own import OwnDataplane
from planecast.scenario.traffic import Traffic


class _Longest(NamedTuple):
    size: int
    why: str


_BUFFER = "its packet buffers hold 2048 bytes, and the FCS is not in them"
_ANYWHERE = {"ovs": _Longest(1522, "its ports have an MTU of 1500, and room for a VLAN tag")}
_CABLED = _Longest(1518, "the ports of virtual Ethernet take Ethernet's usual frames")
_IN_MEMORY = {"testpmd": _Longest(2052, _BUFFER), "l3fwd": _Longest(2052, _BUFFER)}
"""Between two ports in memory, where no frame has several buffers."""
_OWN_AT_SOCKETS = _Longest(2048, "DPDK's ports at a socket take no larger MTU from it")


def too_long_anywhere(dataplane: Kind, traffic: Traffic) -> str:
    """Why frames can't pass, whatever asks; empty where they can."""
    cabled = isinstance(dataplane, Hosted) and dataplane.cabled
    return _too_long(_CABLED if cabled else _ANYWHERE.get(dataplane.kind), dataplane, traffic)


def too_long_in_memory(dataplane: Kind, traffic: Traffic) -> str:
    """The same between two ports in memory."""
    return _too_long(_IN_MEMORY.get(dataplane.kind), dataplane, traffic)


def too_long_over_links(dataplane: Kind, traffic: Traffic) -> str:
    """The same where a generator sends to it."""
    sockets = isinstance(dataplane, OwnDataplane) and dataplane.ports in ("memif", "vhost-user")
    return _too_long(_OWN_AT_SOCKETS if sockets else None, dataplane, traffic)


def _too_long(longest: _Longest | None, dataplane: Kind, traffic: Traffic) -> str:
    most = max(size for size, _ in traffic.frames)
    if longest is None or most <= longest.size:
        return ""
    name = "planecast's own data plane" if dataplane.kind == "ours" else dataplane.kind
    return f"frames of {most} bytes are longer than {name} takes, {longest.size}: {longest.why}"
