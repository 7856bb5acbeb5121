"""Forty what-ifs: monotone where they must be, never negative, never beyond the machine."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import pairwise

import pytest
from tests.calibrations import base, counts, fitted, hierarchy

from planecast.engines.simulate.limits import limits_of
from planecast.engines.solve import solve
from planecast.machine.ceilings import forward, hottest_queue
from planecast.machine.ddio import Buffers, DeviceWays, spill
from planecast.machine.frame_cost import FrameCost
from planecast.machine.hierarchy import Hierarchy
from planecast.machine.pcie import Link
from planecast.model import transfer
from planecast.model.calibration import Calibration
from planecast.results import Manifest, Result, collect_manifest
from planecast.scenario import Scenario, with_overrides
from planecast.scenario.frames import line_rate_pps
from planecast.scenario.machine import machine_of, microarchitecture_of
from planecast.workload.counts import InstructionCounts

__all__ = ["base", "counts", "hierarchy"]

MANY_FLOWS: dict[str, object] = {"traffic.flows": 1 << 20}
SKYLAKE: dict[str, object] = {"machine": "gold-6152", **MANY_FLOWS}
ZEN: dict[str, object] = {"machine": "epyc-9354", **MANY_FLOWS}
CARD: dict[str, object] = {"nic.link_gbps": 100.0, "traffic.frame_bytes": 1518}
SLACK = 1e-6
"""Share by which a step may go the wrong way: rounding."""


@dataclass(frozen=True)
class WhatIf:
    """A key over values, at a scenario: the rate must not fall, or must not rise."""

    key: str
    values: Sequence[object]
    rises: bool
    at: dict[str, object]

    def __str__(self) -> str:
        where = self.at.get("machine", "host")
        return f"{self.key} {'up' if self.rises else 'down'} on {where}"


FLOWS = (64, 4096, 65536, 1 << 18, 1 << 20)
BY_MODEL = [
    *(
        change
        for at in (SKYLAKE, ZEN, {"machine": "e5-2699v4", **MANY_FLOWS})
        for change in (
            WhatIf("placement.core_ghz", (1.2, 1.8, 2.4, 3.0), True, at),
            WhatIf("placement.lcores", (1, 2, 4, 8, 16), True, at),
            WhatIf("placement.remote_memory", (0.0, 0.25, 0.5, 1.0), False, at),
        )
    ),
    WhatIf("placement.llc_ways", (1, 2, 4, 8, 11), True, SKYLAKE),
    WhatIf("placement.llc_ways", (1, 4, 8, 16), True, ZEN),
    WhatIf("traffic.flows", FLOWS, False, {"machine": "gold-6152"}),
    WhatIf("traffic.flows", FLOWS, False, {}),
    WhatIf("workload.acl_rules", (4, 64, 1024, 16384, 65536), False, {}),
    WhatIf("workload.acl_rules", (4, 64, 1024, 16384, 65536), False, SKYLAKE),
    WhatIf("workload.acl_rules", (4, 64, 1024, 16384, 65536), False, ZEN),
    WhatIf("workload.flows", (1 << 20, 1 << 21, 1 << 22), False, SKYLAKE),
    WhatIf("workload.routes", (2, 256, 4096, 65536), False, MANY_FLOWS),
    WhatIf("placement.rx_ring", (32, 128, 512, 2048, 8192), False, {}),
    WhatIf("placement.rx_ring", (32, 128, 512, 2048, 8192), False, SKYLAKE),
    WhatIf("placement.rx_ring", (32, 128, 512, 2048, 8192), False, ZEN),
    # From 16 packets on rte_acl is another search, and the step to it may cost.
    WhatIf("placement.burst", (1, 2, 4, 8), True, {}),
    WhatIf("placement.burst", (16, 32, 64, 128), True, SKYLAKE),
    WhatIf("placement.busy_siblings", (False, True), False, SKYLAKE),
    WhatIf("neighbour.walk", (None, 1 << 20, 1 << 24), False, MANY_FLOWS),
    WhatIf("neighbour.cores", (1, 2, 4, 8), False, {**SKYLAKE, "neighbour.walk": 1 << 26}),
]


def _limit(
    part: str, key: str, values: Sequence[object], at: dict[str, object] | None = None
) -> list[float]:
    keys = {**CARD, **(at or {})}
    points = [with_overrides(Scenario(name="card"), {**keys, key: value}) for value in values]
    return [limits_of(point)[part] for point in points]


def _kept(**varied: Sequence[float]) -> list[float]:
    """What a card's lines find in the cache, one of three things varied."""
    ((key, values),) = varied.items()
    usual = {"count": 4096.0, "frame": 1518.0, "ways": 2.0}
    found = []
    for value in values:
        point = {**usual, key: value}
        cache = DeviceWays(1 << 15, int(point["ways"]))
        found.append(spill(Buffers(int(point["count"]), point["frame"]), cache).kept)
    return found


FRAMES = (64, 128, 256, 512, 1024, 1518, 9000)
PCIE: dict[str, object] = {"nic.pcie": "gen3x8", "nic.link_gbps": 400.0}
BY_MECHANISM: dict[str, tuple[bool, Callable[[], list[float]]]] = {
    "link by frame": (False, lambda: _limit("link", "traffic.frame_bytes", FRAMES)),
    "link by speed": (True, lambda: _limit("link", "nic.link_gbps", (1, 10, 40, 100, 400))),
    "link by ports": (
        True,
        lambda: _limit("link", "nic.ports", (1, 2, 4, 8), {"placement.cpus": "1-8"}),
    ),
    "PCIe by frame": (False, lambda: _limit("PCIe", "traffic.frame_bytes", FRAMES, PCIE)),
    "PCIe by link": (
        True,
        lambda: _limit("PCIe", "nic.pcie", ("gen2x8", "gen3x8", "gen3x16", "gen4x16", "gen5x16")),
    ),
    "memory by rings": (
        False,
        lambda: _limit(
            "memory", "placement.rx_ring", (64, 512, 2048, 8192), {"machine": "gold-6152"}
        ),
    ),
    "PCIe write by MPS": (
        True,
        lambda: [
            1 / link.ns(link.write_bytes(2048))
            for link in (Link(3, 8, max_payload=payload) for payload in (128, 256, 512))
        ],
    ),
    "queues by flows": (
        True,
        lambda: [1 / hottest_queue(flows, 8) for flows in (8, 64, 4096, 1 << 20)],
    ),
    "cores under a ceiling": (
        True,
        lambda: [forward(5e6, cores, {"NIC": 35e6}).pps for cores in (1, 2, 4, 8, 16)],
    ),
    "device's ways": (True, lambda: _kept(ways=(0, 1, 2, 4, 7, 11))),
    "device's buffers": (False, lambda: _kept(count=(16, 256, 1024, 4096, 65536))),
    "device's frames": (False, lambda: _kept(frame=(64, 512, 1518, 9000))),
    "copies by frame": (
        False,
        lambda: [1e9 / FrameCost(300.0, 0.3).ns(frame) for frame in FRAMES],
    ),
    "line rate by frame": (False, lambda: [line_rate_pps(100, frame) for frame in FRAMES]),
}


@pytest.fixture(scope="module")
def calibration(
    base: Scenario, hierarchy: Hierarchy, counts: dict[str, InstructionCounts]
) -> Calibration:
    return fitted(base, hierarchy, counts, collect_manifest("solve", 1, "what if"), 0.0)


@pytest.fixture(autouse=True)
def _skylake_host(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(transfer, "_own_core", lambda _: microarchitecture_of("skylake").values)


def monotone(rates: Sequence[float], *, rises: bool) -> bool:
    steps = pairwise(rates if rises else tuple(reversed(rates)))
    return all(after >= before * (1 - SLACK) for before, after in steps)


def test_there_are_forty() -> None:
    assert len(BY_MODEL) + len(BY_MECHANISM) == 40
    assert len({str(one) for one in BY_MODEL}) == len(BY_MODEL)


@pytest.mark.parametrize("change", BY_MODEL, ids=str)
def test_the_model_goes_the_way_it_must(
    base: Scenario, calibration: Calibration, manifest: Manifest, change: WhatIf
) -> None:
    points = [with_overrides(base, {**change.at, change.key: value}) for value in change.values]
    found = solve(points, calibration, manifest)
    rates = [one.throughput_pps.value for one in found]
    assert monotone(rates, rises=change.rises), rates
    for point, one in zip(points, found, strict=True):
        check_possible(point, one)


def check_possible(point: Scenario, found: Result) -> None:
    """Nothing is negative or without end, and no core retires more than it can begin."""
    low, high = found.throughput_pps.interval or (0.0, 0.0)
    assert 0 < low <= found.throughput_pps.value <= high
    assert found.cycles_per_packet.value > 0
    assert found.ipc is not None
    core = "skylake" if point.machine == "host" else machine_of(point.machine).microarchitecture
    assert found.ipc.value <= microarchitecture_of(core).values.issue_width.value
    assert all(
        stage.cycles_per_packet is None or stage.cycles_per_packet.value >= 0
        for stage in found.stages.values()
    )


@pytest.mark.parametrize("name", BY_MECHANISM)
def test_a_mechanism_goes_the_way_it_must(name: str) -> None:
    rises, values = BY_MECHANISM[name]
    found = values()
    assert all(value >= 0 for value in found)
    assert monotone(found, rises=rises), found
    assert found[0] != found[-1]
