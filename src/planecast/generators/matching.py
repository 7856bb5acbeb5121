"""Streams that a workload forwards: what the data plane's own source would make, from outside."""

from __future__ import annotations

from planecast.errors import InputError
from planecast.generators.config import StreamConfig
from planecast.scenario.scenario import Scenario

_DSCP = "0,10,12,18,20,26,34,46"
"""The data plane's own code points (docs/design/interfaces.md, section 1)."""


def plain_stream(scenario: Scenario, name: str = "load") -> StreamConfig:
    """One IPv4 stream of the scenario's frames and flows, whatever its workload: for data planes
    of others."""
    traffic = scenario.traffic
    keys: dict[str, object] = {
        "headers": "ipv4",
        "sizes": traffic.frame_bytes,
        "flows": traffic.flows,
        "order": "random",
        "seed": traffic.seed,
        "source_ip_step": "0.0.0.1",
        "destination_ip_step": "0.0.0.1",
    }
    return StreamConfig(name, keys)


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
