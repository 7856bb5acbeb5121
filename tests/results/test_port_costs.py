"""A line through cycles over frame sizes, and what a port takes above the least one."""

from __future__ import annotations

import numpy as np
import pytest

from planecast.results import Manifest
from planecast.results.port_costs import PortCost, PortCosts, line_of

SIZES = [64.0, 256.0, 512.0, 1024.0, 1518.0] * 3


def test_a_line_is_found_again() -> None:
    per_packet, per_byte = line_of(SIZES, [100 + 0.25 * size for size in SIZES])
    assert per_packet.value == pytest.approx(100)
    assert per_byte.value == pytest.approx(0.25)
    assert per_byte.unit == "cycles/byte"


def test_intervals_cover_the_truth_nineteen_times_in_twenty() -> None:
    inside = np.zeros(2)
    for seed in range(400):
        noise = np.random.default_rng(seed).normal(0, 5, len(SIZES))
        estimates = line_of(SIZES, 100 + 0.25 * np.asarray(SIZES) + noise)
        inside += [
            estimate.covers(truth) for estimate, truth in zip(estimates, (100, 0.25), strict=True)
        ]
    assert (inside > 0.92 * 400).all()
    assert (inside < 0.98 * 400).all()


@pytest.mark.parametrize(("sizes", "cycles"), [([64, 1518], [1, 2]), ([64] * 4, [1, 2, 1, 2])])
def test_too_little_for_a_line_is_refused(sizes: list[float], cycles: list[float]) -> None:
    with pytest.raises(ValueError, match="a line takes"):
        line_of(sizes, cycles)


def _port(kind: str, start: float, slope: float) -> PortCost:
    per_packet, per_byte = line_of(SIZES, [start + slope * size for size in SIZES])
    return PortCost(kind=kind, per_packet=per_packet, per_byte=per_byte)


def test_a_ports_own_cost_is_what_it_takes_above_the_least_one(manifest: Manifest) -> None:
    ports = (
        _port("net_null", 40, 0),
        _port("memif", 120, 0.1),
        PortCost(kind="veth", why_not="no namespaces"),
    )
    costs = PortCosts(cpu=1, ports=ports, manifest=manifest)
    assert costs.above_base("memif", 64) == pytest.approx(86.4)
    assert costs.above_base("veth", 64) is None
    assert costs.above_base("pcap", 64) is None
    assert costs == PortCosts.model_validate_json(costs.model_dump_json())
    with pytest.raises(ValueError, match="no namespaces"):
        ports[2].cycles(64)
