"""PCIe: bytes a transfer takes of its link, bytes a second of a link, and what a device adds.

A write of s bytes takes ceil(s/MPS) * 24 + s bytes of the link towards memory; a read takes
ceil(s/MRRS) * 24 towards memory and ceil(s/MPS) * 20 + s back (64-bit headers; completions of the
largest payload). A link moves

    raw * (1 - 8/e - 8/e - 4/1538) bytes, e = floor((MPS + 28) * AckFactor / lanes + delay)

an acknowledgement and a flow-control update of 8 bytes going with each e bytes: e is the limit of
the PCI Express base specification (tables of the acknowledgement latency: AckFactor by lanes and
MPS, delay by generation), read as in Neugebauer et al., SIGCOMM 2018: gen3 x8 at an MPS of 256
moves 57.9 Gbit/s. Generations after the third take its delay, which is assumed.

A device may handle a transfer in pieces: 128 bytes each in the one that was measured, whatever the
host. Then a transfer takes first + more * (pieces - 1) nanoseconds, or the link's time if that is
longer, to which `odd` adds if the length isn't a multiple of 4 (reads).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Self

from planecast.scenario.machine import Machine

WRITE_HEADER, READ_HEADER, COMPLETION_HEADER = 24, 24, 20
_GBPS = {1: 2.5 * 8 / 10, 2: 5.0 * 8 / 10, 3: 8.0 * 128 / 130}
_GBPS |= {4: 2 * _GBPS[3], 5: 4 * _GBPS[3]}
_DELAY = {1: 19, 2: 70, 3: 115, 4: 115, 5: 115}
"""Symbol times inside of the ports."""
_FACTOR = {1: 1.4, 2: 1.4, 4: 1.4, 8: 2.5, 16: 3.0}
"""AckFactor up to an MPS of 256."""
_FACTOR_LARGE = {1: 1.0, 2: 1.0, 4: 1.0, 8: 1.0, 16: 2.0}
"""From an MPS of 512 on."""
_OVERHEAD = 28
USUAL_PAYLOAD, USUAL_READ = 256, 512
DESCRIPTOR_BYTES = 16
"""Of a frame that is received, and of one that is sent; a card reads and writes some together."""
DESCRIPTORS_AT_ONCE = 4
PIECE_BYTES = 128
"""In which a device handles a transfer."""


@dataclass(frozen=True)
class Link:
    """A PCIe link, with what its host lets a packet carry."""

    generation: int
    lanes: int
    max_payload: int = USUAL_PAYLOAD
    """Bytes of a write or a completion (MPS)."""
    max_read: int = USUAL_READ
    """Bytes of a read request (MRRS)."""

    @classmethod
    def of(cls, name: str, machine: Machine | None = None) -> Self:
        """A link by its name in a scenario, such as gen3x8, with a machine's MPS and MRRS."""
        generation, _, lanes = name.removeprefix("gen").partition("x")
        values = None if machine is None else machine.values
        payload = None if values is None else values.pcie_max_payload
        read = None if values is None else values.pcie_max_read
        return cls(
            int(generation),
            int(lanes),
            int(payload.value) if payload else USUAL_PAYLOAD,
            int(read.value) if read else USUAL_READ,
        )

    @property
    def raw_bps(self) -> float:
        """Bits a second of one direction after line coding."""
        return _GBPS[self.generation] * self.lanes * 1e9

    @property
    def every_bytes(self) -> int:
        """Bytes for which an acknowledgement and a flow-control update come."""
        factors = _FACTOR if self.max_payload <= USUAL_PAYLOAD else _FACTOR_LARGE
        symbols = (self.max_payload + _OVERHEAD) * factors[self.lanes] / self.lanes
        return int(symbols + _DELAY[self.generation])

    @property
    def data_bps(self) -> float:
        """Raw less acknowledgements, flow control and clock compensation."""
        return self.raw_bps * (1 - 2 * 8 / self.every_bytes - 4 / 1538)

    def write_bytes(self, size: float) -> tuple[float, float]:
        """Bytes of the link that a device's write takes: (to memory, from memory)."""
        return math.ceil(size / self.max_payload) * WRITE_HEADER + size, 0.0

    def read_bytes(self, size: float) -> tuple[float, float]:
        """The same of a device's read: requests go to memory, completions come back."""
        to_memory = math.ceil(size / self.max_read) * READ_HEADER
        return to_memory, math.ceil(size / self.max_payload) * COMPLETION_HEADER + size

    def ns(self, sent: tuple[float, float]) -> float:
        """Nanoseconds of the busier direction."""
        return max(sent) * 8e9 / self.data_bps

    def frame_seconds(self, received_bytes: float, sent_bytes: float | None = None) -> float:
        """Time of a frame that is written to memory and read again, with a descriptor read and
        written for each, in the busier direction.

        `sent_bytes` is its size on the way out, where that is another.
        """
        batch = DESCRIPTOR_BYTES * DESCRIPTORS_AT_ONCE
        write = self.write_bytes(received_bytes)
        read = self.read_bytes(received_bytes if sent_bytes is None else sent_bytes)
        for_batch = self.read_bytes(batch)
        descriptor = (self.write_bytes(batch)[0] + for_batch[0]) / DESCRIPTORS_AT_ONCE
        to_memory = write[0] + read[0] + 2 * descriptor
        from_memory = write[1] + read[1] + 2 * for_batch[1] / DESCRIPTORS_AT_ONCE
        return self.ns((to_memory, from_memory)) / 1e9

    def frames_pps(self, sizes: Sequence[tuple[int, float]]) -> float:
        """Such frames a second, of these sizes with their weights."""
        seconds = sum(weight * self.frame_seconds(size) for size, weight in sizes)
        return 1 / (seconds / sum(weight for _, weight in sizes))


@dataclass(frozen=True)
class Device:
    """What a device takes for one transfer, whatever the link."""

    first_ns: float
    more_ns: float
    """For each further piece."""
    odd_ns: float = 0.0
    """More than the link's time where the length isn't a multiple of 4."""

    def ns(self, size: int, link_ns: float) -> float:
        """Nanoseconds of a transfer, given what the link takes for it."""
        pieces = math.ceil(size / PIECE_BYTES)
        odd = self.odd_ns if size % 4 else 0.0
        return max(self.first_ns + self.more_ns * (pieces - 1), link_ns + odd)
