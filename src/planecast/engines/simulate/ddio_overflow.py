"""What of a card's frames the last-level cache no longer holds: cost of a packet, and a ceiling.

A card writes into the ways for devices (`machine.ddio`). What they no longer hold, cores
fetch headers from memory, and every frame passes through it, so memory's bandwidth is a limit. The
catalogue's machines show how many ways there are; of this host nobody does, so nothing is said.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from planecast.engines.simulate.stage_cost import PipelineCost
from planecast.machine.ddio import Buffers, DeviceWays, Spill, spill
from planecast.scenario.frames import mean_bytes
from planecast.scenario.machine import HOST, machine_of
from planecast.scenario.scenario import Scenario

_WORTH_A_WORD = 0.005
_LEAST_BYTES = 1.0
"""A packet, through memory, below which its bandwidth limits nothing."""


@dataclass(frozen=True)
class DdioOverflow:
    """What a scenario's card spills."""

    spill: Spill
    memory_pps: float
    """Packets a second that memory's bandwidth lets through; infinite where nothing spills."""

    @property
    def notes(self) -> tuple[str, ...]:
        """As a sentence, where it is worth one."""
        if 1 - self.spill.kept < _WORTH_A_WORD:
            return ()
        return (
            f"{100 * (1 - self.spill.kept):.0f} % of what the card writes does not fit in the "
            f"ways for devices and goes to memory, cores miss {100 * self.spill.missed:.0f} % "
            f"of their headers; {self.spill.memory_bytes:.0f} B a packet",
        )


def ddio_overflow(scenario: Scenario) -> DdioOverflow | None:
    """What the card of a scenario spills; None without a card, or on a machine nobody described."""
    if not scenario.nic.there or scenario.machine == HOST:
        return None
    machine, placement = machine_of(scenario.machine), scenario.placement
    rings = len(placement.chains)
    buffers = rings * (placement.rx_ring + placement.tx_ring)
    sizes = scenario.traffic.frames
    share = placement.rx_ring / (placement.rx_ring + placement.tx_ring)
    found = spill(Buffers(buffers, mean_bytes(sizes), waiting=share), DeviceWays.of(machine))
    moved = found.memory_bytes
    peak = machine.values.memory_gbs.value * 1e9
    return DdioOverflow(found, peak / moved if moved >= _LEAST_BYTES else float("inf"))


def with_ddio_overflow(
    cost: PipelineCost, found: DdioOverflow, header_cycles: float
) -> PipelineCost:
    """The cost of a burst where headers come from memory, each `header_cycles` slower than from the
    cache."""
    more = found.spill.missed * header_cycles
    return replace(
        cost,
        stages=tuple(
            stage.plus(more) if stage.name == "source" else stage for stage in cost.stages
        ),
    )
