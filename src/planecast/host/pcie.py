"""A PCI function's PCIe link, as its configuration space shows it.

Offsets are those of the PCI Express Base Specification, section 7.5.3: the capability with number
0x10, found along the list that begins at 0x34. Without root Linux shows the first 64 bytes alone,
and the capability lies behind them.
"""

from __future__ import annotations

import struct
from dataclasses import dataclass

from planecast.host.root import Root

_CAPABILITIES_AT = 0x34
_PCIE = 0x10
_GIGATRANSFERS = {1: 2.5, 2: 5.0, 3: 8.0, 4: 16.0, 5: 32.0, 6: 64.0}


@dataclass(frozen=True)
class PcieLink:
    """How a card is connected."""

    payload_bytes: int
    """Largest payload of a write, MaxPayload."""
    payload_most_bytes: int
    """What the device could take."""
    read_request_bytes: int
    """Largest read that it asks for, MaxReadReq."""
    aspm: str
    """Power states the link may fall into: ``off``, ``L0s``, ``L1``, ``L0s L1``."""
    gigatransfers: float
    """Speed of a lane now, GT/s; 0 when unknown."""
    lanes: int
    most_gigatransfers: float
    most_lanes: int


def pcie_link(root: Root, address: str) -> PcieLink | None:
    """The link of a PCI function; None when it has none or it may not be read."""
    try:
        space = (root.path / f"sys/bus/pci/devices/{address}/config").read_bytes()
    except OSError:
        return None
    at = _capability(space)
    if at is None:
        return None
    _, device, control = struct.unpack_from("<HIH", space, at + 2)
    link, link_control, status = struct.unpack_from("<IHH", space, at + 12)
    return PcieLink(
        payload_bytes=128 << (control >> 5 & 7),
        payload_most_bytes=128 << (device & 7),
        read_request_bytes=128 << (control >> 12 & 7),
        aspm={0: "off", 1: "L0s", 2: "L1", 3: "L0s L1"}[link_control & 3],
        gigatransfers=_GIGATRANSFERS.get(status & 0xF, 0.0),
        lanes=status >> 4 & 0x3F,
        most_gigatransfers=_GIGATRANSFERS.get(link & 0xF, 0.0),
        most_lanes=link >> 4 & 0x3F,
    )


def _capability(space: bytes) -> int | None:
    """Where the PCIe capability begins; the list may be damaged, so steps are counted."""
    at = space[_CAPABILITIES_AT] if len(space) > _CAPABILITIES_AT else 0
    for _ in range(48):
        at &= 0xFC
        if at < 0x40 or at + 20 > len(space):
            return None
        if space[at] == _PCIE:
            return at
        at = space[at + 1]
    return None
