"""What card, link, PCIe and device let through, in closed form: packets a second.

Line rate: link / (8 · (frame + 20)). PCIe: `machine.pcie`.
"""

from __future__ import annotations

import math

from planecast.engines.simulate.ddio_overflow import ddio_overflow
from planecast.machine.pcie import Link
from planecast.scenario.frames import line_rate_pps, mean_bytes
from planecast.scenario.machine import HOST, machine_of
from planecast.scenario.scenario import Scenario


def link_of(scenario: Scenario) -> Link | None:
    """The card's PCIe link, as the scenario's machine sets it; None without a limit."""
    if scenario.nic.pcie == "none":
        return None
    known = scenario.machine != HOST
    return Link.of(scenario.nic.pcie, machine_of(scenario.machine) if known else None)


def limits_of(
    scenario: Scenario, frames: tuple[tuple[int, float], ...] | None = None
) -> dict[str, float]:
    """Packets a second that each part lets through, of those that limit at all.

    `frames` are the sizes and their weights where the scenario doesn't say them: a capture's.
    """
    sizes = frames or scenario.traffic.frames
    nic, device = scenario.nic, scenario.accelerator
    found: dict[str, float] = {}
    if nic.link_gbps is not None:
        found["link"] = nic.port_count * line_rate_pps(nic.link_gbps, mean_bytes(sizes))
    ports = [rate * nic.port_count for rate in (nic.port_rx_pps, nic.port_tx_pps) if rate]
    if ports:
        found["port"] = min(ports)
    card = [rate for rate in (nic.rx_pps, nic.tx_pps) if rate]
    if card:
        found["NIC"] = min(card)
    link = link_of(scenario)
    if link is not None:
        found["PCIe"] = link.frames_pps(sizes)
    spills = ddio_overflow(scenario)
    if spills is not None and math.isfinite(spills.memory_pps):
        found["memory"] = spills.memory_pps
    if device.stage != "none" and device.pps is not None:
        found["accelerator"] = device.pps * len(scenario.placement.chains)
    return found
