"""A machine and instruction counts that every test of the model shares."""

from __future__ import annotations

import pytest

from planecast.instruments.counts import InstructionCounts, RawCounts, solve_counts
from planecast.machine.hierarchy import Flight, Hierarchy, Level
from planecast.scenario import Scenario, with_overrides

PER_PACKET = {
    "source": 30,
    "acl": 80,
    "key": 25,
    "classify": 130,
    "actions": 55,
    "route": 40,
    "tx": 4,
}
PER_BURST = {"source": 300, "acl": 160, "key": 30, "classify": 250, "actions": 30, "route": 20}


@pytest.fixture(scope="session")
def hierarchy() -> Hierarchy:
    return Hierarchy(
        tsc_hz=2.5e9,
        core_hz=3.5e9,
        levels=(
            Level(name="L1", size_bytes=32 << 10, latency_cycles=3, line_cycles=0.4, shared=False),
            Level(name="L2", size_bytes=1 << 20, latency_cycles=10, line_cycles=1.4, shared=False),
            Level(name="LLC", size_bytes=16 << 20, latency_cycles=35, line_cycles=5, shared=True),
        ),
        memory_latency_cycles=400,
        flights=tuple(Flight(width=n, line_cycles=20 + 380 / n) for n in (1, 2, 4, 8, 16, 32)),
        walk_cycles=20,
        tlb_pages=3072,
    )


@pytest.fixture(scope="session")
def counts() -> dict[str, InstructionCounts]:
    runs = {}
    for burst in (4, 8, 32, 64):
        for packets in (64, 128):
            stages = {
                name: value * packets + PER_BURST.get(name, 0) * (packets // burst)
                for name, value in PER_PACKET.items()
            }
            runs[packets, burst] = RawCounts(total=sum(stages.values()) + 50, stages=stages)
    return {"acl,key,classify,actions,route": solve_counts("singlestep", "native", runs)}


@pytest.fixture(scope="session")
def base() -> Scenario:
    return with_overrides(Scenario(name="base"), {"workload.flows": 1 << 20})
