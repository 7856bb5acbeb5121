"""What a burst of n packets costs, from the cost model: a part a burst and a part a packet.

The closed form knows cycles a packet at any burst limit, so a burst of n costs n·c(n). The
simulator's stages cost burst + n·packet, so each stage gets the two parts that are exact at the
burst limit and nearest to n·c(n) below it: least squares over n = 1 … limit of the deviation as a
share of the whole burst's cost. `Service.misfit` says what is left of it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from planecast.engines.solve.rounds import WIDE_SEARCH
from planecast.errors import InputError
from planecast.model.calibration import Calibration
from planecast.model.prediction import predict
from planecast.scenario.scenario import Scenario

if TYPE_CHECKING:
    from planecast.engines.simulate.shared import StageMemory

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class StageService:
    """One stage's cost of a burst, in TSC cycles."""

    name: str
    burst_cycles: float
    packet_cycles: float
    poll_cycles: float | None = None
    """A poll that finds nothing, of a stage that takes packets; None: its part a burst."""
    memory: StageMemory | None = None
    """What of it the memory system decides, besides; None: nothing."""

    def per_packet(self, burst: float) -> float:
        """Cycles a packet in bursts of so many packets on average, with the usual memory."""
        usual = 0.0 if self.memory is None else self.memory.usual_cycles
        return self.packet_cycles + self.burst_cycles / burst + usual


@dataclass(frozen=True)
class Service:
    """A scenario's cost of a burst, stage by stage in pipeline order."""

    stages: tuple[StageService, ...]
    misfit: float
    """Largest deviation from the closed form below the burst limit, as a share of the cost."""
    fitted_from: int
    """Smallest burst that the calibration can predict: the fit rests on those from here on."""

    def per_packet(self, burst: float) -> float:
        """Cycles a packet in bursts of so many packets on average."""
        return sum(stage.per_packet(burst) for stage in self.stages)


def services(scenarios: Sequence[Scenario], calibration: Calibration) -> list[Service]:
    """What bursts cost in each scenario. Raises InputError where the closed form can't say."""
    try:
        return _services(scenarios, calibration, 1)
    except InputError:
        # A calibration without small bursts has no parameters for the narrow search.
        return _services(scenarios, calibration, WIDE_SEARCH)


def _services(
    scenarios: Sequence[Scenario], calibration: Calibration, smallest: int
) -> list[Service]:
    sizes = [_sizes(scenario.placement.burst, smallest) for scenario in scenarios]
    asked = [
        _at_burst(scenario, int(n))
        for scenario, own in zip(scenarios, sizes, strict=True)
        for n in own
    ]
    predicted = predict(asked, calibration)
    found, first = [], 0
    for scenario, own in zip(scenarios, sizes, strict=True):
        rows = slice(first, first + len(own))
        first += len(own)
        costs = {
            name: values[rows] * own
            for name, (values, _) in predicted.stages.items()
            if name in ("source", "tx") or name in scenario.workload.stages
        }
        found.append(fitted(costs, predicted.value[rows] * own, own))
    return found


def _sizes(burst: int, smallest: int) -> Floats:
    return np.arange(min(smallest, burst), burst + 1, dtype=np.float64)


def _at_burst(scenario: Scenario, burst: int) -> Scenario:
    placement = scenario.placement.model_copy(update={"burst": burst})
    return scenario.model_copy(update={"placement": placement})


def fitted(costs: dict[str, Floats], whole: Floats, sizes: Floats) -> Service:
    """The two parts of each stage from what bursts of these sizes cost, the last the limit.

    Stages are scaled to add up to `whole`, which is more than their sum where memory is the limit.
    """
    scale = whole / sum(costs.values())
    stages = tuple(_parts(name, cost * scale, whole, sizes) for name, cost in costs.items())
    service = Service(stages, 0.0, int(sizes[0]))
    deviation = [abs(service.per_packet(n) * n / c - 1) for n, c in zip(sizes, whole, strict=True)]
    return Service(stages, float(max(deviation)), int(sizes[0]))


def _parts(name: str, cost: Floats, whole: Floats, sizes: Floats) -> StageService:
    limit, at_limit = sizes[-1], cost[-1]
    # With burst·packet = at_limit − a, only a, the part a burst, is free: a·x should be y.
    x = (1 - sizes / limit) / whole
    y = (cost - at_limit * sizes / limit) / whole
    squares = float(x @ x)
    a = min(max(float(x @ y) / squares, 0.0), float(at_limit)) if squares > 0 else 0.0
    return StageService(name, a, float(at_limit - a) / float(limit))
