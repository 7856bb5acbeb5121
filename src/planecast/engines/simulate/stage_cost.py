"""What a burst of n packets costs, stage by stage, as tables over n = 1 … the burst limit.

The cost model predicts cycles a packet c(n) at any burst limit n, so a burst of n packets costs
n·c(n) cycles. The prediction is of the scenario as it is: its machine, its neighbours, and memory
under the load of lcores that never wait for packets. No other file of the simulator asks the cost
model for costs.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from planecast.machine.overlap import BY_CLASS, blocking
from planecast.model.calibration import Calibration
from planecast.model.prediction import predict
from planecast.model.target_platform import Site
from planecast.model.transfer import transferred
from planecast.scenario.scenario import Scenario
from planecast.workload.regions import Overlap

Floats = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class StageCost:
    """One stage's cost of a burst."""

    name: str
    cycles: Floats
    """TSC cycles of a burst of 1, 2, … packets, up to the burst limit."""
    poll_cycles: float | None = None
    """TSC cycles of a poll that finds nothing, of a stage that takes packets; None: not known."""

    @classmethod
    def linear(
        cls,
        name: str,
        limit: int,
        *,
        burst_cycles: float = 0.0,
        packet_cycles: float = 0.0,
        poll_cycles: float | None = None,
    ) -> StageCost:
        """A stage with a cost per burst and a cost per packet, in TSC cycles."""
        return cls(name, burst_cycles + packet_cycles * _sizes(limit), poll_cycles)

    def plus(self, packet_cycles: float) -> StageCost:
        """The stage with so many more TSC cycles a packet."""
        return replace(self, cycles=self.cycles + packet_cycles * _sizes(self.cycles.size))

    def of_burst(self, packets: float) -> float:
        """TSC cycles of a burst of so many packets, interpolated between whole numbers."""
        return float(np.interp(packets, _sizes(self.cycles.size), self.cycles))

    def per_packet(self, burst: float) -> float:
        """TSC cycles a packet in bursts of so many packets."""
        return self.of_burst(burst) / burst

    @property
    def empty_cycles(self) -> float:
        """TSC cycles of a burst without packets: where the line through the shortest and the
        longest burst begins."""
        limit = self.cycles.size
        if limit == 1:
            return 0.0
        rise = (self.cycles[-1] - self.cycles[0]) / (limit - 1)
        return max(0.0, float(self.cycles[0] - rise))


@dataclass(frozen=True, eq=False)
class PipelineCost:
    """A scenario's cost of a burst, stage by stage in pipeline order."""

    stages: tuple[StageCost, ...]

    def times(self, factor: float) -> PipelineCost:
        """The cost with every burst so many times as expensive; polls stay as they are."""
        stages = (replace(stage, cycles=stage.cycles * factor) for stage in self.stages)
        return PipelineCost(tuple(stages))

    def per_packet(self, burst: float) -> float:
        """TSC cycles a packet in bursts of so many packets."""
        return sum(stage.per_packet(burst) for stage in self.stages)


def stage_costs(scenarios: Sequence[Scenario], calibration: Calibration) -> list[PipelineCost]:
    """What bursts cost in each scenario. Raises InputError for what the cost model doesn't know."""
    asked = [
        scenario.in_bursts(n)
        for scenario in scenarios
        for n in range(1, scenario.placement.burst + 1)
    ]
    predicted = predict(asked, calibration)
    found, row = [], 0
    for scenario in scenarios:
        sizes = _sizes(scenario.placement.burst)
        rows = slice(row, row + sizes.size)
        row += sizes.size
        costs = {
            name: values[rows] * sizes
            for name, (values, _) in predicted.stages.items()
            if name in scenario.all_stages
        }
        found.append(tabulated(costs, predicted.value[rows] * sizes))
    return found


def header_miss_cycles(scenario: Scenario, calibration: Calibration) -> float:
    """TSC cycles that a packet's headers cost more from memory than from the last level; 0 of a
    calibration that knows no lines."""
    at = transferred(calibration, Site.of(scenario)).calibration
    if BY_CLASS[Overlap.STORED] not in at.values:
        return 0.0
    memory = float(at.hierarchy.line_cycles(np.array([32.0]))[0])
    return blocking(Overlap.STORED, at.values) * max(
        0.0, memory - at.hierarchy.levels[-1].line_cycles
    )


def _sizes(limit: int) -> Floats:
    return np.arange(1, limit + 1, dtype=np.float64)


def tabulated(costs: dict[str, Floats], whole: Floats) -> PipelineCost:
    """The tables of each stage from what bursts of one packet up to the limit cost.

    Stages are scaled to add up to `whole`, which is more than their sum where memory is the limit.
    A stage takes no less than nothing: cycles by which a wait overlaps another stage are the sum's.
    """
    costs = {name: np.maximum(cost, 0.0) for name, cost in costs.items()}
    scale = whole / sum(costs.values())
    return PipelineCost(tuple(StageCost(name, cost * scale) for name, cost in costs.items()))
