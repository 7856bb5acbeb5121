"""Network cards and the node that each is next to."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from planecast.host.root import Root

_NETWORK_CLASS = "0x02"


@dataclass(frozen=True)
class Nic:
    """A PCI function of a network card."""

    address: str
    """PCI address, such as ``0000:3b:00.0``."""
    interfaces: tuple[str, ...]
    """Linux's names; none when a DPDK driver has it."""
    driver: str
    """Empty when no driver has it."""
    node: int | None
    """Its NUMA node; None when the machine doesn't report."""
    speed_mbps: int | None
    """Of the link that is up, in Mbit/s."""


def nics(root: Root) -> tuple[Nic, ...]:
    """Every network card on the PCI bus."""
    found = []
    for path in root.paths("sys/bus/pci/devices/*"):
        name = str(path).removeprefix(str(root.path)).lstrip("/")
        if not root.text(f"{name}/class").startswith(_NETWORK_CLASS):
            continue
        interfaces = [p.name for p in root.paths(f"{name}/net/*")]
        interfaces += [p.name for p in root.paths(f"{name}/virtio*/net/*")]
        node = root.number(f"{name}/numa_node")
        found.append(
            Nic(
                address=path.name,
                interfaces=tuple(interfaces),
                driver=_driver(path),
                node=node if node is not None and node >= 0 else None,
                speed_mbps=_speed(root, interfaces),
            )
        )
    return tuple(found)


def _driver(device: Path) -> str:
    try:
        return (device / "driver").readlink().name
    except OSError:
        return ""


def _speed(root: Root, interfaces: list[str]) -> int | None:
    speeds = [root.number(f"sys/class/net/{name}/speed") or 0 for name in interfaces]
    return max(speeds, default=0) if max(speeds, default=0) > 0 else None
