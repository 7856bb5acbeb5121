"""Ports of the model: a location is a DPDK device; and the link rate that ``layer1`` says.

A location is what follows ``--vdev`` (``net_memif0,role=client,socket=…``), or ``pci:`` and the
address of a device that is bound to vfio-pci.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from planecast.generators.otg.node import Node

_VDEV = re.compile(r"(?:net|eth)_[A-Za-z0-9_]+(,[^\s]*)?")
_PCI = re.compile(r"pci:([0-9a-fA-F]{4}:)?[0-9a-fA-F]{2}:[0-9a-fA-F]{2}\.[0-7](,[^\s]*)?")
_SPEED = re.compile(r"speed_([0-9]+)_(?:(?:fd|hd)_)?(m|g)bps")


@dataclass(frozen=True)
class Port:
    """A port of the model."""

    name: str
    location: str

    @property
    def device(self) -> str:
        """The device's name without its arguments: two ports can't have the same."""
        return self.location.partition(",")[0]


def ports_of(config: Node) -> dict[str, Port]:
    """``ports``, by name."""
    found: dict[str, Port] = {}
    for node in config.children("ports"):
        port = Port(node.text("name"), node.text("location"))
        node.finish()
        if not port.name:
            node.refuse("name", "is missing")
        elif port.name in found:
            node.refuse("name", f"there are two ports '{port.name}'")
        elif not (_VDEV.fullmatch(port.location) or _PCI.fullmatch(port.location)):
            node.refuse(
                "location",
                f"got '{port.location}'; name a DPDK device, such as "
                "net_memif0,role=client,socket=/run/m.sock or pci:0000:18:00.0",
            )
        elif any(port.device == other.device for other in found.values()):
            node.refuse("location", f"device {port.device} is another port's already")
        found.setdefault(port.name, port)
    return found


def eal_arguments(ports: list[Port]) -> tuple[list[str], list[int]]:
    """The words for DPDK's EAL, and each port's number.

    EAL numbers PCI devices first, by address, then the virtual ones as they were named.
    """
    order = sorted(ports, key=lambda port: (not port.location.startswith("pci:"), _address(port)))
    words: list[str] = []
    for port in order:
        pci = port.location.startswith("pci:")
        words += ["-a" if pci else "--vdev", port.location.removeprefix("pci:")]
    return words, [order.index(port) for port in ports]


def _address(port: Port) -> str:
    """What PCI devices are ordered by; the sort keeps virtual ones as they are."""
    if not port.location.startswith("pci:"):
        return ""
    address = port.device.removeprefix("pci:").lower()
    return address if address.count(":") == 2 else f"0000:{address}"


def link_rates(config: Node, ports: dict[str, Port]) -> dict[str, float]:
    """Link rate in Gbit/s of each port that ``layer1`` speaks of."""
    found: dict[str, float] = {}
    for node in config.children("layer1"):
        node.take("name")
        names = node.texts("port_names")
        speed = node.text("speed")
        match = _SPEED.fullmatch(speed)
        if speed and match is None:
            node.refuse("speed", f"got '{speed}', which is not a speed of the OTG model")
        for name in names:
            if name not in ports:
                node.refuse("port_names", f"there is no port '{name}'")
            if match:
                found[name] = int(match[1]) * (1.0 if match[2] == "g" else 1e-3)
        if node.integer("mtu", 1500, 64, 14000) != 1500:
            node.refuse("mtu", "is not supported: a port takes the longest frame of its flows")
        if node.has("promiscuous") and not node.flag("promiscuous"):
            node.refuse("promiscuous", "is always true")
        node.finish()
    return found
