"""A machine that is made up: known parameters make its measurements, which calibrations fit.

`measured` makes results of scenarios from the truth, `fitted` calibrates on them. Any network
function whose stages have descriptors will do.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pytest

from planecast.machine.hierarchy import Flight, Hierarchy, Level
from planecast.model.calibrate import calibrate
from planecast.model.calibration import Calibration
from planecast.model.posterior import parameters_of
from planecast.model.stage_cost import stage_cost
from planecast.model.supported import columns_of
from planecast.results import Estimate, Manifest, Result, StageResult, collect_manifest
from planecast.scenario import Scenario, with_overrides
from planecast.scenario.workload import FUNCTIONS
from planecast.workload.counts import InstructionCounts, RawCounts, solve_counts
from planecast.workload.profile import WorkloadProfile

Counts = dict[str, InstructionCounts]
Point = Mapping[str, Any]

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
USUAL_PER_PACKET, USUAL_PER_BURST = 45, 60
"""Instructions of any other stage."""

OF_TODAY = {"pads_short_bursts": True, "spreads_buffers": True}
"""What `InstructionCounts` say of today's data plane."""

TRUTH = {
    "core.cpi": 0.27,
    "core.cpi:acl": 1.2,
    "core.cpi:classify": 0.9,
    "core.burst": 0.4,
    "lock_step.scalar_step": 12.0,
    "overlap.prefetched": 0.8,
    "overlap.loaded": 1.2,
}
"""What differs from the priors' medians."""

POINTS: tuple[Point, ...] = (
    {},
    *({"traffic.flows": n} for n in (256, 4096, 16384, 65536, 524288, 1048576)),
    *({"placement.burst": n, "traffic.flows": 4096} for n in (4, 8, 16, 64)),
    {"placement.burst": 8, "traffic.flows": 65536},
    {"placement.page_size": "4KiB"},
    {"workload.stages": "none"},
    {"workload.stages": "acl"},
    {"workload.stages": "key,classify", "traffic.flows": 65536},
    {"workload.stages": "key,actions", "traffic.flows": 4096},
    {"workload.stages": "key,route", "traffic.flows": 4096},
    *({"workload.acl_rules": 256, "placement.burst": n} for n in (8, 32)),
)
HELD: tuple[Point, ...] = (
    {"traffic.flows": 1024},
    {"traffic.flows": 131072},
    {"placement.burst": 48},
    {"workload.stages": "acl,key,classify", "traffic.flows": 8192},
    {"placement.lcores": 2, "traffic.flows": 65536},
)
ANY_FUNCTION: tuple[Point, ...] = (
    {},
    *({"traffic.flows": n} for n in (256, 4096, 65536)),
    *({"placement.burst": n, "traffic.flows": 4096} for n in (4, 8, 64)),
    {"workload.stages": "none"},
)
"""Points that every network function can have."""


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


def counts_of_function(kind: str) -> Counts:
    """Made-up instruction counts of a network function's whole pipeline."""
    own = FUNCTIONS[kind]  # type: ignore[index]
    runs = {}
    for burst in (4, 8, 32, 64):
        for packets in (64, 128):
            stages = {
                name: PER_PACKET.get(name, USUAL_PER_PACKET) * packets
                + PER_BURST.get(name, 0 if name in PER_PACKET else USUAL_PER_BURST)
                * (packets // burst)
                for name in ("source", *own, "tx")
            }
            runs[packets, burst] = RawCounts(total=sum(stages.values()) + 50, stages=stages)
    counted = solve_counts("singlestep", "native", runs)
    return {",".join(own) or "none": counted.model_copy(update=OF_TODAY)}


@pytest.fixture(scope="session")
def counts() -> Counts:
    return counts_of_function("vpe-upstream")


@pytest.fixture(scope="session")
def base() -> Scenario:
    return with_overrides(Scenario(name="base"), {"workload.flows": 1 << 20})


@pytest.fixture(scope="session")
def manifest() -> Manifest:
    """This machine's, as if it had CPUs for all lcores that are asked about."""
    made = collect_manifest("measure", 1, "planecast measure")
    return made.model_copy(update={"host": {**made.host, "cpus": 64}})


@pytest.fixture(scope="session")
def calibration(
    base: Scenario, hierarchy: Hierarchy, counts: Counts, manifest: Manifest
) -> Calibration:
    return fitted(base, hierarchy, counts, manifest, 0.01)


def true_costs(
    scenarios: Sequence[Scenario],
    hierarchy: Hierarchy,
    counts: Counts,
    truth: Mapping[str, float] = TRUTH,
) -> Mapping[str, np.ndarray]:
    """TSC cycles a packet by stage on a machine whose parameters are `truth`, else the medians."""
    profile = WorkloadProfile.of(columns_of(scenarios), counts)
    medians = {one.name: one.median for one in parameters_of(profile, hierarchy)}
    return stage_cost(profile, hierarchy, {**medians, **truth}).by_stage()


def measured(
    points: Sequence[Point],
    base: Scenario,
    hierarchy: Hierarchy,
    counts: Counts,
    manifest: Manifest,
    *,
    noise: float = 0.0,
    truth: Mapping[str, float] = TRUTH,
) -> list[Result]:
    """What a machine would measure whose parameters are `truth`, with relative noise."""
    scenarios = [with_overrides(base, dict(point)) for point in points]
    by_stage = true_costs(scenarios, hierarchy, counts, truth)
    factor = np.exp(noise * np.random.default_rng(7).standard_normal(len(points)))

    def cycles(value: float) -> Estimate:
        low, high = value * (1 - noise), value * (1 + noise)
        return Estimate(
            value=value, low=low, high=high, samples=100, unit="cycles/packet", kind="measured"
        )

    found = []
    for i, scenario in enumerate(scenarios):
        own = ("source", *scenario.workload.stages, "tx")
        stages = {name: float(by_stage[name][i]) * factor[i] for name in own}
        found.append(
            Result(
                scenario=scenario,
                throughput_pps=Estimate(value=1e6, unit="pps", kind="measured"),
                cycles_per_packet=cycles(sum(stages.values())),
                stages={
                    name: StageResult(cycles_per_packet=cycles(value))
                    for name, value in stages.items()
                },
                manifest=manifest,
            )
        )
    return found


def fitted(
    base: Scenario,
    hierarchy: Hierarchy,
    counts: Counts,
    manifest: Manifest,
    noise: float,
    *,
    points: Sequence[Point] = POINTS,
) -> Calibration:
    """A calibration on what that machine would measure."""
    results = measured(points, base, hierarchy, counts, manifest, noise=noise)
    return calibrate(results, hierarchy, counts, manifest)


def fitted_function(kind: str, hierarchy: Hierarchy, manifest: Manifest) -> Calibration:
    """A calibration of a network function with all of its stages."""
    base = with_overrides(
        Scenario(name=kind),
        {
            "workload.kind": kind,
            "workload.stages": ",".join(FUNCTIONS[kind]) or "none",  # type: ignore[index]
        },
    )
    points = [one for one in ANY_FUNCTION if FUNCTIONS[kind] or "workload.stages" not in one]  # type: ignore[index]
    return fitted(base, hierarchy, counts_of_function(kind), manifest, 0.01, points=points)
