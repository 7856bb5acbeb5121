"""A made-up program of others: its counts and traces, and a machine that obeys the model."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from planecast.machine.hierarchy import Hierarchy
from planecast.model.posterior import parameters_of
from planecast.model.stage_cost import stage_cost
from planecast.model.supported import columns_of
from planecast.results import Estimate, Manifest, Result, StageResult
from planecast.scenario import Scenario, with_overrides
from planecast.workload.counts import BurstInstructions, InstructionCounts, StageInstructions
from planecast.workload.profile import WorkloadProfile
from planecast.workload.traced.profile import (
    DistanceBin,
    TouchHistogram,
    TracedProfile,
    TracedStage,
)
from planecast.workload.traced.program_profile import ProgramProfile, TracedPoint

FLOWS, FRAME = "traffic.flows", "traffic.frame_bytes"
TRUTH = {"core.cpi": 0.25, "core.cpi:lookup": 1.3}
BASE = Scenario.model_validate(
    {"name": "made-up", "dataplane": {"kind": "l3fwd"}, "traffic": {"flows": 1000}}
)
POINTS: tuple[Mapping[str, Any], ...] = (
    {},
    *({FLOWS: n} for n in (10, 10_000, 100_000)),
    *({"placement.burst": n} for n in (4, 8, 16)),
    {"placement.burst": 8, FLOWS: 100_000},
    {FRAME: 1024},
)
HELD: tuple[Mapping[str, Any], ...] = (
    {FLOWS: 50_000},
    {"placement.burst": 12},
    {FRAME: 300, FLOWS: 200},
)


def stage_counts(each: float, a_burst: float = 8.0) -> StageInstructions:
    counted = tuple(BurstInstructions(burst=n, per_packet=each + a_burst / n) for n in (4, 8, 32))
    return StageInstructions(per_packet=each, per_burst=a_burst, counted=counted)


def counts(source: float = 40.0) -> InstructionCounts:
    """Of two stages and what makes the packets."""
    return InstructionCounts(
        instrument="callgrind",
        instruction_set="AVX2",
        burst=32,
        stages={
            "rx": stage_counts(30, 60),
            "lookup": stage_counts(100),
            "source": stage_counts(source),
        },
        other=stage_counts(-0.25),
        total=stage_counts(170),
        functions=(),
        runs=(),
    )


def trace(distance: int, per_packet: float = 100.0, prefetches: float = 0.0) -> TracedProfile:
    """A look-up that touches two lines, `distance` other lines after it last did, and 18 near; and
    as many pages of 64 such lines."""
    far = TouchHistogram(
        references_per_packet=20,
        bins=(DistanceBin(2, 3, 18.0), DistanceBin(distance, distance + 1, 2.0)),
    )
    page = max(distance // 64, 3)
    stage = TracedStage(
        instructions_per_packet=per_packet,
        prefetches_per_packet=prefetches,
        mispredictions_per_packet=per_packet / 200,
        loads=far,
        stores=TouchHistogram(references_per_packet=0),
        pages=TouchHistogram(
            references_per_packet=20,
            bins=(DistanceBin(2, 3, 18.0), DistanceBin(page, page + 1, 2.0)),
        ),
    )
    return TracedProfile(
        program="made up",
        tracer="this test",
        instruction_set="none",
        packets=1024,
        burst=32,
        lines=distance,
        pages=page,
        stages={"lookup": stage},
    )


PROFILE = ProgramProfile(
    subject="l3fwd",
    counts=counts(),
    base={FLOWS: 1000.0, FRAME: 64.0},
    points=(
        TracedPoint(keys={}, trace=trace(2000, 100)),
        TracedPoint(keys={FLOWS: 10.0}, trace=trace(20, 90)),
        TracedPoint(keys={FLOWS: 100_000.0}, trace=trace(200_000, 140)),
        TracedPoint(keys={FRAME: 1024.0}, trace=trace(2000, 100), counts=counts(80.0)),
    ),
)


def measured_program(
    points: Sequence[Mapping[str, Any]],
    hierarchy: Hierarchy,
    manifest: Manifest,
    noise: float = 0.0,
) -> list[Result]:
    """What a machine would measure whose parameters are `TRUTH`, with relative noise; the clock
    reads source, rx and all else that is the program's."""
    scenarios = [with_overrides(BASE, dict(point)) for point in points]
    profile = WorkloadProfile.of(columns_of(scenarios), {}, PROFILE)
    medians = {one.name: one.median for one in parameters_of(profile, hierarchy)}
    by_stage = stage_cost(profile, hierarchy, {**medians, **TRUTH}).by_stage()
    factor = np.exp(noise * np.random.default_rng(7).standard_normal(len(points)))

    def cycles(value: float) -> Estimate:
        low, high = value * (1 - noise), value * (1 + noise)
        return Estimate(
            value=value, low=low, high=high, samples=100, unit="cycles/packet", kind="measured"
        )

    found = []
    for i, scenario in enumerate(scenarios):
        read = {"source": "source", "rx": "rx", "lookup": "program"}
        stages = {read[name]: cycles(cost[i] * factor[i]) for name, cost in by_stage.items()}
        found.append(
            Result(
                scenario=scenario,
                throughput_pps=Estimate(value=1e6, unit="pps", kind="measured"),
                cycles_per_packet=cycles(sum(stage.value for stage in stages.values())),
                stages={name: StageResult(cycles_per_packet=one) for name, one in stages.items()},
                manifest=manifest,
            )
        )
    return found
