"""Which keys span a calibration, and which of a scenario's values lie outside of them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from planecast.scenario.scenario import Scenario


def coordinates(scenario: Scenario) -> dict[str, float]:
    """The numbers that place a scenario among others."""
    return {
        "workload.acl_rules": scenario.workload.acl_rules,
        "workload.flows": scenario.workload.flows,
        "workload.routes": scenario.workload.routes,
        "traffic.flows": scenario.traffic.flows,
        "traffic.frame_bytes": max(size for size, _ in scenario.traffic.frames),
        "placement.burst": scenario.placement.burst,
        "placement.rx_ring": scenario.placement.rx_ring,
        "placement.tx_ring": scenario.placement.tx_ring,
        "lcores": len(scenario.placement.cpus),
        "4KiB pages": float(scenario.placement.page_size == "4KiB"),
    }


def ranges_of(scenarios: Sequence[Scenario]) -> dict[str, tuple[float, ...]]:
    """Lowest and highest value of each key."""
    columns = [coordinates(scenario) for scenario in scenarios]
    return {key: (min(c[key] for c in columns), max(c[key] for c in columns)) for key in columns[0]}


def outside(scenario: Scenario, ranges: Mapping[str, Sequence[float]]) -> list[str]:
    """The keys whose value lies outside the calibrated range, with both, as sentences."""
    found = []
    for key, value in coordinates(scenario).items():
        low, high = ranges.get(key, (value, value))
        if not low <= value <= high:
            found.append(f"{key}={value:g} lies outside the calibrated {low:g} to {high:g}")
    return found
