"""What a neighbour costs a calibrated data plane: the scenario with that neighbour, predicted.

The last level that they share and memory's latency under what both ask for are the model's
(`model.neighbours`); here a neighbour's work becomes a scenario's, and a division of the machine
becomes ways.
"""

from __future__ import annotations

from dataclasses import dataclass

from planecast.engines.solve import solve
from planecast.engines.solve.engine import throughput
from planecast.generators.neighbour import Work
from planecast.machine.hierarchy import Ways
from planecast.model.calibration import Calibration
from planecast.results.manifest import Manifest
from planecast.results.result import Result
from planecast.scenario.scenario import Scenario

_PARTS = 1000
"""Ways that a division by shares is written in."""


@dataclass(frozen=True)
class Parts:
    """A last level that is divided, and memory that is held back."""

    own: float
    """Share of it that the data plane may fill."""
    other: float
    """Share that the neighbour may fill."""
    held_back: float = 1.0
    """How many times as long memory takes for the neighbour, by its limit of bandwidth."""


@dataclass(frozen=True)
class Asked:
    """A data plane, and the machine that it shares."""

    scenario: Scenario
    calibration: Calibration
    memory_gbs: float | None
    """What memory gives at most, if that is known (`Hierarchy.memory_by_load`)."""
    parts: Parts | None = None
    """Of a division; None: all of it is both's."""

    @property
    def machine(self) -> Calibration:
        """The calibration on its part of the machine."""
        hierarchy = self.calibration.hierarchy.model_copy(
            update={"memory_peak_gbs": self.memory_gbs}
        )
        if self.parts is not None:
            ways = Ways(own=max(1, round(_PARTS * self.parts.own)), of=_PARTS)
            hierarchy = hierarchy.with_last_level(self.parts.own)
            hierarchy = hierarchy.model_copy(update={"ways": ways})
        return self.calibration.model_copy(update={"hierarchy": hierarchy})

    def with_neighbour(self, work: Work) -> Scenario:
        """The scenario with a neighbour that does this work."""
        rate = work.lines_per_s
        if self.parts is not None and self.parts.held_back > 1 and work.bytes:
            hierarchy = self.calibration.hierarchy
            most = hierarchy.tsc_hz / hierarchy.memory_line_cycles / self.parts.held_back
            rate = min(rate, most) if rate else most
        neighbour = work.model_copy(update={"lines_per_s": rate}).as_scenario_has_it()
        if self.parts is not None:
            ways = max(1, round(_PARTS * self.parts.other))
            neighbour = neighbour.model_copy(update={"ways": ways})
        return self.scenario.model_copy(update={"neighbour": neighbour})


def predicted_with_neighbour(
    asked: Asked, work: Work, manifest: Manifest, thread_factor: float = 1.0
) -> Result:
    """The data plane next to a neighbour; `thread_factor` is what a busy sibling thread takes."""
    calibration = asked.machine
    (result,) = solve([asked.with_neighbour(work)], calibration, manifest)
    said = asked.scenario.model_copy(update={"neighbour": work.as_scenario_has_it()})
    result = result.model_copy(update={"scenario": said})
    if thread_factor == 1.0:
        return result
    cost = result.cycles_per_packet.scaled(thread_factor, result.cycles_per_packet.unit)
    lcores = asked.scenario.placement.lcores
    return result.model_copy(
        update={
            "cycles_per_packet": cost,
            "throughput_pps": throughput(cost, calibration, lcores),
        }
    )
