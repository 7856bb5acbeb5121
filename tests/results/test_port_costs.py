"""A line through cycles over frame sizes, and what a port takes above the least one."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from planecast.results import Estimate, Manifest
from planecast.results.manifest import host_facts
from planecast.results.port_costs import (
    PORT_COSTS,
    PortCost,
    PortCosts,
    SizeCost,
    latest_port_costs,
    line_of,
)

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


def _port(kind: str, start: float, slope: float, half: float = 0.0) -> PortCost:
    per_packet, per_byte = line_of(SIZES, [start + slope * size for size in SIZES])
    costs = ((size, start + slope * size) for size in (64, 512, 1518))
    sizes = tuple(
        SizeCost(
            frame_bytes=size,
            cycles_per_packet=Estimate(
                value=cost,
                low=cost - half,
                high=cost + half,
                samples=3,
                unit="cycles/packet",
                kind="measured",
            ),
        )
        for size, cost in costs
    )
    return PortCost(kind=kind, sizes=sizes, per_packet=per_packet, per_byte=per_byte)


@pytest.fixture
def costs(manifest: Manifest) -> PortCosts:
    ports = (
        _port("net_null", 40, 0, half=3),
        _port("memif", 120, 0.1, half=4),
        PortCost(kind="veth", why_not="no namespaces"),
    )
    return PortCosts(cpu=1, ports=ports, manifest=manifest)


def test_a_ports_own_cost_is_what_it_takes_above_the_least_one(costs: PortCosts) -> None:
    own = costs.above_base("memif", 256)
    assert own is not None
    assert own.value == pytest.approx(120 + 25.6 - 40)
    assert own.interval == pytest.approx((own.value - 5, own.value + 5))
    assert costs.above_base("veth", 64) is None
    assert costs.above_base("pcap", 64) is None
    assert costs.above_base("memif", 9000) is None  # beyond what was measured
    assert costs == PortCosts.model_validate_json(costs.model_dump_json())


def test_the_latest_of_this_host_is_taken(
    costs: PortCosts, tmp_path: Path, manifest: Manifest
) -> None:
    assert latest_port_costs(tmp_path) is None
    here = manifest.model_copy(update={"host": dict(host_facts())})
    elsewhere = manifest.model_copy(update={"host": {"cpu": "another"}})
    for name, of in (("20260101", here), ("20260102", here), ("20260103", elsewhere)):
        (tmp_path / name).mkdir()
        text = costs.model_copy(update={"manifest": of}).model_dump_json()
        (tmp_path / name / PORT_COSTS).write_text(text)
    (tmp_path / "20260104").mkdir()
    (tmp_path / "20260104" / PORT_COSTS).write_text("{}")
    found = latest_port_costs(tmp_path)
    assert found is not None
    assert found[1] == "20260102"
