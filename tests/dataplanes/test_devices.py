"""Devices that a person names: what is reported for one that isn't there, or that another has."""

from __future__ import annotations

from pathlib import Path

import pytest

from planecast.dataplanes.devices import check_devices
from planecast.dataplanes.port import named_port
from planecast.errors import MissingError
from planecast.host.root import Root


@pytest.fixture
def root(tmp_path: Path) -> Root:
    """A machine with an interface and three PCI devices."""
    (tmp_path / "sys/class/net/eth1").mkdir(parents=True)
    for address, driver in (
        ("0000:18:00.0", "vfio-pci"),
        ("0000:18:00.1", "i40e"),
        ("0000:18:00.2", None),
    ):
        device = tmp_path / "sys/bus/pci/devices" / address
        device.mkdir(parents=True)
        if driver is not None:
            own = tmp_path / "sys/bus/pci/drivers" / driver
            own.mkdir(parents=True)
            (device / "driver").symlink_to(own)
    return Root(tmp_path)


def test_what_is_there_is_taken(root: Root) -> None:
    names = ("eth1", "0000:18:00.0", "net_tap0,iface=x")
    check_devices([named_port(name) for name in names], root)


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("eth7", "no network interface eth7 here; there are eth1"),
        ("0000:19:00.0", "no PCI device 0000:19:00.0 here"),
        ("0000:18:00.1", r"bound to i40e, so DPDK can't use it.*--bind=vfio-pci 0000:18:00\.1"),
        ("0000:18:00.2", "bound to no driver"),
    ],
)
def test_what_is_not_is_said(root: Root, name: str, said: str) -> None:
    with pytest.raises(MissingError, match=said):
        check_devices([named_port(name)], root)
