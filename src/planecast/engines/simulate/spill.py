"""What of a card's frames the last-level cache no longer holds: cost of a packet, and a ceiling.

A card writes into the ways for devices (`machine.ddio`). What they no longer hold, cores
fetch headers from memory, and every frame passes through it, so memory's bandwidth is a limit. The
catalogue's machines tell how many ways there are; of this host nobody does, so nothing is said.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from planecast.engines.simulate.service import Service
from planecast.engines.solve import Calibration
from planecast.engines.solve.site import HOST
from planecast.machine.ddio import Buffers, DeviceWays, Spill, spill
from planecast.scenario.machine import machine_of
from planecast.scenario.scenario import Scenario

_SOURCE, _BF = "source", "source.bf"
_WORTH_A_WORD = 0.005


@dataclass(frozen=True)
class Spilled:
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
            f"{100 * (1 - self.spill.kept):.0f} % of what the card writes finds no place in the "
            f"ways for devices and goes to memory, cores miss {100 * self.spill.missed:.0f} % "
            f"of their headers; {self.spill.memory_bytes:.0f} B a packet",
        )


def spilled(scenario: Scenario) -> Spilled | None:
    """What the card of a scenario spills; None without a card, or on a machine nobody described."""
    if not scenario.nic.there or scenario.machine == HOST:
        return None
    machine, placement = machine_of(scenario.machine), scenario.placement
    rings = len(placement.chains)
    buffers = rings * (placement.rx_ring + placement.tx_ring)
    sizes = scenario.traffic.frames
    mean = sum(size * weight for size, weight in sizes) / sum(weight for _, weight in sizes)
    share = placement.rx_ring / (placement.rx_ring + placement.tx_ring)
    found = spill(Buffers(buffers, mean, waiting=share), DeviceWays.of(machine))
    moved = found.memory_bytes
    peak = machine.values.memory_gbs.value * 1e9
    return Spilled(found, peak / moved if moved else float("inf"))


def with_spill(service: Service, found: Spilled | None, calibration: Calibration) -> Service:
    """The cost of a burst with what headers from memory add to those from the cache."""
    if found is None or not found.spill.missed:
        return service
    hierarchy = calibration.hierarchy
    blocking = next((p.value for p in calibration.parameters if p.name == _BF), 0.0)
    memory = float(hierarchy.line_cycles(np.array([32.0]))[0])
    more = found.spill.missed * blocking * max(0.0, memory - hierarchy.levels[-1].line_cycles)
    stages = tuple(
        replace(stage, packet_cycles=stage.packet_cycles + more) if stage.name == _SOURCE else stage
        for stage in service.stages
    )
    return replace(service, stages=stages)
