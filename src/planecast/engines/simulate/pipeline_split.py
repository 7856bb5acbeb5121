"""The stages of a scenario laid over the lcores of a chain."""

from __future__ import annotations

import numpy as np

from planecast.engines.simulate.handoff import LineCosts, dequeue, enqueue, refilled
from planecast.engines.simulate.port import PORT
from planecast.engines.simulate.stage_cost import Floats, PipelineCost, StageCost
from planecast.scenario.scenario import Scenario
from planecast.scenario.workload import FUNCTIONS

Segment = tuple[StageCost, ...]
"""What one lcore does with a burst, in order."""


def split_pipeline(scenario: Scenario, cost: PipelineCost, lines: LineCosts) -> tuple[Segment, ...]:
    """What each lcore of a chain does. A stage that a device serves costs the core its handoff.

    An uncut pipeline is one segment; `lines` says what handoffs cost in a cut one.
    """
    placement = scenario.placement
    own = {stage.name: stage for stage in cost.stages}
    device = scenario.accelerator
    if device.stage != "none":
        own[device.stage] = StageCost.linear(
            device.stage, placement.burst, packet_cycles=device.core_cycles
        )
    if placement.cuts and "source" in own:
        own["source"] = refilled(own["source"], lines, placement.burst)
    parts: list[list[StageCost]] = [[]]
    for name in ("source", PORT, *FUNCTIONS[scenario.workload.kind], "tx"):
        if name in placement.cuts:
            parts[-1].append(enqueue(lines, placement.burst, first=len(parts) == 1))
            parts.append([dequeue(lines, placement.burst)])
        if name in own:
            parts[-1].append(own[name])
    return tuple(map(tuple, parts))


def per_packet(segment: Segment, burst: float) -> float:
    """TSC cycles a packet of a segment in bursts of so many packets on average."""
    return sum(stage.per_packet(burst) for stage in segment)


def bottlenecks(segments: tuple[Segment, ...]) -> Floats:
    """TSC cycles a packet of the segment that takes longest, in bursts of 1, 2, … packets."""
    cycles = np.array([np.sum([stage.cycles for stage in one], axis=0) for one in segments])
    return np.asarray(cycles.max(axis=0) / np.arange(1, cycles.shape[1] + 1))
