"""The stages of a scenario laid over the lcores of a chain."""

from __future__ import annotations

from planecast.engines.simulate.handover import LineCosts, hand, refilled, take
from planecast.engines.simulate.port import PORT
from planecast.engines.simulate.service import Service, StageService
from planecast.scenario.scenario import Scenario
from planecast.scenario.workload import FUNCTIONS

Segment = tuple[StageService, ...]
"""What one lcore does with a burst, in order."""


def segments_of(scenario: Scenario, service: Service, lines: LineCosts) -> tuple[Segment, ...]:
    """What each lcore of a chain does. A stage that a device serves costs the core its hand-over.

    An uncut pipeline is one segment; `lines` says what hand-overs cost in a cut one.
    """
    placement = scenario.placement
    own = {stage.name: stage for stage in service.stages}
    device = scenario.accelerator
    if device.stage != "none":
        own[device.stage] = StageService(device.stage, 0.0, device.core_cycles)
    if placement.cuts and "source" in own:
        own["source"] = refilled(own["source"], lines, placement.burst)
    parts: list[list[StageService]] = [[]]
    for name in ("source", PORT, *FUNCTIONS[scenario.workload.kind], "tx"):
        if name in placement.cuts:
            parts[-1].append(hand(lines, placement.burst, first=len(parts) == 1))
            parts.append([take(lines)])
        if name in own:
            parts[-1].append(own[name])
    return tuple(map(tuple, parts))


def per_packet(segment: Segment, burst: float) -> float:
    """TSC cycles a packet of a segment in bursts of so many packets on average."""
    return sum(stage.per_packet(burst) for stage in segment)


def bottleneck(segments: tuple[Segment, ...], burst: float) -> float:
    """TSC cycles a packet of the segment that takes longest."""
    return max(per_packet(segment, burst) for segment in segments)
