"""The policer of flow actions: a meter a flow, of those that a chain of lcores has.

The data plane's meters are two-rate, three-colour ones (RFC 2698) with equal rates and bursts, so
that one bucket in bytes says what is red; no packet comes red. A packet's flow is drawn at random,
as its source draws it.
"""

from __future__ import annotations

from typing import TypedDict

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


def meters(scenario: Scenario) -> Meters:
    """What the stage that meters has; nothing where meters let all through."""
    if not scenario.workload.polices:
        return {}
    return {
        "policer_rate": float(scenario.workload.meter_rate),
        "policer_burst": float(scenario.workload.meter_burst),
        "policer_header_bytes": IP_OFFSET_BYTES,
        "policer_meters": min(_flows(scenario), MOST_METERS),
    }


def metered_share(scenario: Scenario, lcore_pps: float) -> float:
    """Share of the packets of a chain of lcores that its meters let through in the long run."""
    if not scenario.workload.polices:
        return 1.0
    sizes = scenario.traffic.frames
    mean = sum(size * weight for size, weight in sizes) / sum(weight for _, weight in sizes)
    allowed_pps = _flows(scenario) * scenario.workload.meter_rate / (mean - IP_OFFSET_BYTES)
    return min(1.0, allowed_pps / lcore_pps)


def _flows(scenario: Scenario) -> int:
    return max(1, scenario.traffic.flows // len(scenario.placement.chains))
