"""What card, link, PCIe and device let through, in closed form: packets a second.

Line rate: link / (8 · (frame + 20)). PCIe: a write of s bytes takes ⌈s/MPS⌉·24 + s bytes of its
link, a read ⌈s/MRRS⌉·24 out and ⌈s/RCB⌉·20 + s back, of raw · (1 − 8/ack − 8/fc − 4/1538); a frame
is written to memory and read again, a descriptor of 16 bytes read and written for each, four at a
time (Neugebauer et al., SIGCOMM 2018).
"""

from __future__ import annotations

import math

from planecast.engines.simulate.ddio_overflow import ddio_overflow
from planecast.scenario.scenario import Scenario

WIRE_BYTES = 20
"""Preamble and gap."""

_GENERATIONS = {"gen2": 5e9 * 8 / 10, "gen3": 8e9 * 128 / 130}
_GENERATIONS |= {"gen4": 2 * _GENERATIONS["gen3"], "gen5": 4 * _GENERATIONS["gen3"]}
MAX_PAYLOAD = 256
MAX_READ = 512
DLLP_EVERY = 203
"""Bytes for which an acknowledgement and a flow-control update come: makes gen3 x8 57.9 Gbit/s."""
DESCRIPTOR_BYTES = 16
DESCRIPTORS_AT_ONCE = 4


def pcie_raw_bps(link: str) -> float:
    """Bits a second of one direction after line coding; 0 without a limit."""
    if link == "none":
        return 0.0
    generation, _, lanes = link.partition("x")
    return _GENERATIONS[generation] * int(lanes)


def pcie_data_bps(link: str) -> float:
    """The same less acknowledgements, flow control and clock compensation."""
    return pcie_raw_bps(link) * (1 - 8 / DLLP_EVERY - 8 / DLLP_EVERY - 4 / 1538)


def _pcie_seconds(link: str, frame_bytes: int) -> float:
    """Time of a frame that is received and sent, in the busier direction."""
    if link == "none":
        return 0.0
    rate = pcie_data_bps(link)
    batch = DESCRIPTOR_BYTES * DESCRIPTORS_AT_ONCE
    write, read = write_bytes(frame_bytes), read_bytes(frame_bytes)
    descriptor = (write_bytes(batch)[0] + read_bytes(batch)[0]) / DESCRIPTORS_AT_ONCE
    to_memory = write[0] + read[0] + 2 * descriptor
    from_memory = write[1] + read[1] + 2 * read_bytes(batch)[1] / DESCRIPTORS_AT_ONCE
    return max(to_memory, from_memory) * 8 / rate


def write_bytes(size: int) -> tuple[float, float]:
    """Bytes of the link that a device's write of so many takes: (to memory, from memory)."""
    return math.ceil(size / MAX_PAYLOAD) * 24 + size, 0.0


def read_bytes(size: int) -> tuple[float, float]:
    """The same of a device's read: requests go to memory, completions come back."""
    return math.ceil(size / MAX_READ) * 24, math.ceil(size / MAX_PAYLOAD) * 20 + size


def limits_of(
    scenario: Scenario, frames: tuple[tuple[int, float], ...] | None = None
) -> dict[str, float]:
    """Packets a second that each part lets through, of those that limit at all.

    `frames` are the sizes and their weights where the scenario doesn't say them: a capture's.
    """
    sizes = frames or scenario.traffic.frames
    total = sum(weight for _, weight in sizes)
    nic, device = scenario.nic, scenario.accelerator
    found: dict[str, float] = {}
    if nic.link_gbps is not None:
        mean = sum(weight * (size + WIRE_BYTES) for size, weight in sizes) / total
        found["link"] = nic.port_count * nic.link_gbps * 1e9 / (8 * mean)
    ports = [rate * nic.port_count for rate in (nic.port_rx_pps, nic.port_tx_pps) if rate]
    if ports:
        found["port"] = min(ports)
    card = [rate for rate in (nic.rx_pps, nic.tx_pps) if rate]
    if card:
        found["NIC"] = min(card)
    if nic.pcie != "none":
        seconds = sum(weight * _pcie_seconds(nic.pcie, size) for size, weight in sizes) / total
        found["PCIe"] = 1 / seconds
    spills = ddio_overflow(scenario)
    if spills is not None and math.isfinite(spills.memory_pps):
        found["memory"] = spills.memory_pps
    if device.stage != "none" and device.pps is not None:
        found["accelerator"] = device.pps * len(scenario.placement.chains)
    return found
