"""Devices that a person named: whether they are there and DPDK can have them.

EAL's own words for a missing device don't say which one, and l3fwd and testpmd just continue
without.
"""

from __future__ import annotations

from collections.abc import Iterable

from planecast.dataplanes.port import Port
from planecast.errors import MissingError
from planecast.host.root import Root

USER_DRIVERS = ("vfio-pci", "igb_uio", "uio_pci_generic")
"""Kernel drivers that leave a device to a program."""
OWN_DRIVERS = ("mlx4_core", "mlx5_core")
"""Kernel drivers next to which DPDK's works."""


def check_devices(
    ports: Iterable[Port], root: Root | None = None, where: str = "dataplane.devices"
) -> None:
    """Raises MissingError for the first that isn't there, or that another driver has; `where` is
    the key that names them."""
    root = root or Root()
    for port in ports:
        if port.kind == "interface":
            _check_interface(port.address, root, where)
        elif port.kind == "pci":
            _check_pci(port.address, root, where)


def _check_interface(name: str, root: Root, where: str) -> None:
    there = sorted(path.name for path in root.paths("sys/class/net/*"))
    if name not in there:
        raise MissingError(
            f"there is no network interface {name} here",
            where,
            "there are " + ", ".join(there) if there else "there is none at all",
        )


def _check_pci(address: str, root: Root, where: str) -> None:
    folder = root.path / "sys/bus/pci/devices" / address
    if not folder.is_dir():
        raise MissingError(
            f"there is no PCI device {address} here",
            where,
            "`dpdk-devbind.py --status` lists them",
        )
    link = folder / "driver"
    driver = link.resolve().name if link.exists() else "no driver"
    if driver not in USER_DRIVERS + OWN_DRIVERS:
        raise MissingError(
            f"{address} is bound to {driver}, so DPDK can't use it",
            where,
            f"`dpdk-devbind.py --bind=vfio-pci {address}` gives it to DPDK; planecast does not",
        )
