"""Streams that a workload forwards: what the data plane's own source would make, from outside."""

from __future__ import annotations

from planecast.errors import InputError
from planecast.generators.config import StreamConfig
from planecast.scenario.dataplanes.vpp import Vpp
from planecast.scenario.plain_flows import STATION_MACS, plain_flows
from planecast.scenario.scenario import Scenario

_DSCP = "0,10,12,18,20,26,34,46"
"""The data plane's own code points (docs/reference/interfaces.md, section 1)."""


def plain_stream(scenario: Scenario, name: str = "load") -> StreamConfig:
    """One IPv4 stream of the scenario's frames and flows: for data planes of others. VPP's graphs
    get the addresses that their tables have.

    Raises InputError for IPv6, and for destinations that don't fit."""
    traffic, flows = scenario.traffic, plain_flows(scenario)
    keys: dict[str, object] = {
        "headers": "ipv4",
        "sizes": traffic.frame_bytes,
        "flows": traffic.flows,
        "order": "random",
        "seed": traffic.seed,
        "source_ip": flows.source,
        "source_ip_step": flows.source_step,
        "destination_ip": flows.destination,
        "destination_ip_step": flows.destination_step,
        "source_port": flows.source_port,
        "destination_port": flows.destination_port,
        "source_mac": flows.source_mac,
        "destination_mac": flows.destination_mac,
    }
    if isinstance(scenario.dataplane, Vpp):
        keys |= _vpp_addresses(scenario.dataplane.graph)
    return StreamConfig(name, keys)


def _vpp_addresses(graph: str) -> dict[str, object]:
    """Keys of the stream, by VPP's graph."""
    if graph == "l2bridge":
        source, destination = (mac.to_bytes(6, "big").hex(":") for mac in STATION_MACS)
        return {
            "source_mac": source,
            "source_mac_step": 1,
            "destination_mac": destination,
            "destination_mac_step": 1,
        }
    if graph == "ip6":
        raise InputError(
            "planecast's generator sends no IPv6 frames",
            "dataplane.graph",
            "start VPP with `planecast dataplane` and send with a generator of your own",
        )
    return {}


def matching_stream(scenario: Scenario, name: str = "load") -> StreamConfig:
    """One stream of the scenario's frames over its flows, in random order.

    Its addresses belong to flows, where the in-process source draws some for every packet. Raises
    InputError for a workload that is fed by its own source alone.
    """
    kind, traffic = scenario.workload.kind, scenario.traffic
    shared: dict[str, object] = {
        "sizes": traffic.frame_bytes,
        "flows": traffic.flows,
        "order": "random",
        "seed": traffic.seed,
    }
    if kind == "vpe-upstream":
        return StreamConfig(
            name,
            shared
            | {
                "headers": "qinq-ipv4",
                "inner_vlan_step": 1,  # flow = S-VLAN << 12 | C-VLAN: it is carried over
                "source_ip": "0.0.0.0",
                "destination_ip": "0.0.0.0",
                "destination_ip_step": traffic.destination_step,
                "destination_port": 80,  # the firewall permits up to 1023
                "dscp": _DSCP,
            },
        )
    if kind in ("macswap", "l2patch"):
        return StreamConfig(name, shared | {"headers": "ipv4"})
    raise InputError(
        f"no stream of the generator is known for {kind}",
        "workload.kind",
        "take vpe-upstream, macswap or l2patch",
    )
