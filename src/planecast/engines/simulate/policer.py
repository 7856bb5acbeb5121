"""The policer of flow actions: a meter a flow, of those that a chain of lcores has.

The data plane's meters are two-rate, three-colour ones (RFC 2698) with equal rates and bursts, so
that one bucket in bytes says what is red. A packet's flow is drawn at random,
as its source draws it.
"""

from __future__ import annotations

from typing import TypedDict

from planecast.scenario.frames import mean_bytes
from planecast.scenario.scenario import Scenario

IP_OFFSET_BYTES = 26.0
"""Bytes of a frame that meters don't count: Ethernet's header, two VLAN tags and the FCS."""
MOST_METERS = 1 << 22
"""That the simulator keeps for a stage."""


class Meters(TypedDict, total=False):
    """Fields of the simulator's stage."""

    policer_rate: float
    policer_burst: float
    policer_header_bytes: float
    policer_meters: int
    policer_class_meters: list[int]


def meters(scenario: Scenario) -> Meters:
    """What the stage that meters has; nothing where meters let all through."""
    if not scenario.workload.polices:
        return {}
    found: Meters = {
        "policer_rate": float(scenario.workload.meter_rate),
        "policer_burst": float(scenario.workload.meter_burst),
        "policer_header_bytes": IP_OFFSET_BYTES,
    }
    flows = _flows(scenario)
    if len(flows) == 1:
        return {**found, "policer_meters": min(flows[0], MOST_METERS)}
    scale = min(1.0, MOST_METERS / sum(flows))
    return {**found, "policer_class_meters": [max(1, int(own * scale)) for own in flows]}


def metered_share(scenario: Scenario, lcore_pps: float) -> float:
    """Share of the packets of a chain of lcores that its meters let through in the long run."""
    if not scenario.workload.polices:
        return 1.0
    kept = 0.0
    for one, flows in zip(scenario.traffic.by_class, _flows(scenario), strict=True):
        metered_bytes = mean_bytes(one.frames) - IP_OFFSET_BYTES
        allowed_pps = flows * scenario.workload.meter_rate / metered_bytes
        kept += one.share * min(1.0, allowed_pps / (one.share * lcore_pps))
    return kept


def _flows(scenario: Scenario) -> list[int]:
    """Flows of each class that a chain of lcores has."""
    chains = len(scenario.placement.chains)
    return [max(1, one.flows // chains) for one in scenario.traffic.by_class]
