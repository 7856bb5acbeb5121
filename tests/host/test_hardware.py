"""Cards, memory modules, nodes and what interrupts, on machines made of files."""

from __future__ import annotations

import struct
from collections.abc import Callable

import pytest

from planecast.host import Check, Root, examine
from planecast.host.dimms import expected_bytes_per_second, modules
from planecast.host.pcie import pcie_link

MakeRoot = Callable[..., Root]
CARD = "sys/bus/pci/devices/0000:3b:00.0"
NODE = "sys/devices/system/node"


def checks(root: Root) -> dict[str, Check]:
    return {check.what: check for check in examine(root, steal_sample_s=0)}


def config_space(
    payload: int = 256, read: int = 512, aspm: int = 0, lanes: int = 8, generation: int = 3
) -> bytes:
    """A card's configuration space: MSI first in the list, PCIe behind it."""
    space = bytearray(256)
    space[0x34] = 0x50
    space[0x50:0x52] = bytes((0x05, 0x70))
    space[0x70:0x72] = bytes((0x10, 0x00))
    encoded = {128: 0, 256: 1, 512: 2, 1024: 3, 4096: 5}
    struct.pack_into("<IH", space, 0x74, 2, encoded[payload] << 5 | encoded[read] << 12)
    struct.pack_into("<IHH", space, 0x7C, 3 | 8 << 4, aspm, generation | lanes << 4)
    return bytes(space)


@pytest.fixture
def with_card(make_root: MakeRoot) -> Callable[..., Root]:
    def make(space: bytes, **files: str) -> Root:
        root = make_root({f"{CARD}/class": "0x020000\n", f"{CARD}/numa_node": "0\n", **files})
        (root.path / CARD / "config").write_bytes(space)
        return root

    return make


def test_a_card_as_advised(with_card: Callable[..., Root]) -> None:
    found = checks(with_card(config_space()))
    for what, text in (
        ("MaxPayload", "256 B"),
        ("MaxReadReq", "512 B"),
        ("PCIe link", "8 GT/s x8"),
        ("ASPM", "off on every card"),
    ):
        assert (found[what].state, found[what].found) == ("good", text)


@pytest.mark.parametrize(
    ("space", "what", "found", "fix"),
    [
        (config_space(payload=128), "MaxPayload", "128 B", "pci=pcie_bus_perf"),
        (config_space(read=128), "MaxReadReq", "128 B", "-s 0000:3b:00.0 CAP_EXP+8.w=2000:7000"),
        (config_space(aspm=2), "ASPM", "L1", "BIOS"),
        (config_space(lanes=4), "PCIe link", "8 GT/s x4; could be 8 GT/s x8", "slot"),
        (config_space(generation=1), "PCIe link", "2.5 GT/s x8; could be 8 GT/s x8", "slot"),
    ],
)
def test_a_card_that_limits(
    with_card: Callable[..., Root], space: bytes, what: str, found: str, fix: str
) -> None:
    check = checks(with_card(space))[what]
    assert (check.state, check.found, fix in check.fix) == ("limits", found, True)


def test_without_root_the_link_is_not_known(with_card: Callable[..., Root]) -> None:
    check = checks(with_card(config_space()[:64]))["PCIe"]
    assert (check.state, "needs root" in check.found) == ("note", True)


def test_a_damaged_list_of_capabilities_ends(with_card: Callable[..., Root]) -> None:
    space = bytearray(config_space())
    space[0x51] = 0x50  # points to itself
    assert pcie_link(with_card(bytes(space)), "0000:3b:00.0") is None


def test_a_far_card(with_card: Callable[..., Root]) -> None:
    cpus = {f"{NODE}/node0/cpulist": "0-1\n", f"{NODE}/node1/cpulist": "2-3\n"}
    found = checks(with_card(config_space(), **cpus))["NIC's node"]
    assert found.state == "limits"  # CPUs 2-3 are isolated, and the card is next to 0-1
    assert "0000:3b:00.0 on node 0" in found.found


def test_large_pages_on_one_node_alone(make_root: MakeRoot) -> None:
    pages = "hugepages/hugepages-2048kB/free_hugepages"
    files = {f"{NODE}/node0/cpulist": "0-1\n", f"{NODE}/node1/cpulist": "2-3\n"}
    files |= {f"{NODE}/node0/{pages}": "512\n", f"{NODE}/node1/{pages}": "0\n"}
    found = checks(make_root(files))["NUMA nodes"]
    assert (found.state, found.found) == ("limits", "free pages on node 0: 1024 MiB, node 1: 0 MiB")
    assert "/node1/hugepages" in found.fix


def dimm(locator: str, bank: str, mib: int = 16384, speed: int = 2400) -> bytes:
    """A structure of type 17 as DSP0134 lays it out."""
    body = bytearray(0x28)
    body[0:2] = bytes((17, len(body)))
    struct.pack_into("<H", body, 0x0C, min(mib, 0x7FFF))
    body[0x10:0x12] = bytes((1, 2))
    struct.pack_into("<H", body, 0x15, 3200)
    struct.pack_into("<I", body, 0x1C, mib if mib >= 0x7FFF else 0)
    struct.pack_into("<H", body, 0x20, speed)
    return bytes(body) + locator.encode() + b"\0" + bank.encode() + b"\0\0"


def with_modules(make_root: MakeRoot, *found: bytes) -> Root:
    root = make_root()
    path = root.path / "sys/firmware/dmi/tables/DMI"
    path.parent.mkdir(parents=True, exist_ok=True)
    bios = bytes((0, 4, 0, 0)) + b"Vendor\0\0"
    path.write_bytes(bios + b"".join(found) + bytes((127, 4, 0, 0)) + b"\0\0")
    return root


def test_four_channels_of_ddr4_2400(make_root: MakeRoot) -> None:
    """The server of the document's 13.3: one module in each of four channels a socket."""
    slots = [dimm(f"P{s}-DIMM{c}1", f"P{s}_Node0_Channel{c}_Dimm0") for s in (0, 1) for c in "0123"]
    root = with_modules(make_root, *slots)
    assert expected_bytes_per_second(modules(root)) == 8 * 2400e6 * 4
    found = checks(root)["memory channels"]
    assert found.state == "good"
    assert found.found == "8 modules at 2400 MT/s on 8 of 8 channels; 76.8 GB/s a socket at most"


def test_an_empty_channel_and_unequal_modules(make_root: MakeRoot) -> None:
    a, b, empty = dimm("DIMM_A1", "CPU1"), dimm("DIMM_B1", "CPU1"), dimm("DIMM_B1", "CPU1", 0, 0)
    found = checks(with_modules(make_root, a, empty))["memory channels"]
    assert (found.state, found.fix.endswith("channels: 1/B")) == ("limits", True)
    slow = dimm("DIMM_B1", "CPU1", speed=2133)
    root = with_modules(make_root, a, slow)
    assert checks(root)["memory channels"].found.endswith(
        "34.1 GB/s a socket at most; modules differ"
    )
    assert [m.mib for m in modules(with_modules(make_root, b, dimm("A", "B", 65536)))] == [
        16384,
        65536,
    ]


def test_a_table_cut_short_ends(make_root: MakeRoot) -> None:
    whole = dimm("DIMM_A1", "CPU1")
    assert len(modules(with_modules(make_root, whole, whole[:20]))) <= 2


def test_interrupts_on_isolated_cpus(make_root: MakeRoot) -> None:
    files = {"proc/irq/7/smp_affinity_list": "0-3\n", "proc/irq/8/smp_affinity_list": "0-3\n"}
    files["proc/irq/8/effective_affinity_list"] = "1\n"
    found = checks(make_root(files))["interrupts"]
    assert (found.state, found.found) == ("limits", "1 of 2 go to isolated CPUs")
    assert [(s.path, s.value) for s in found.settings] == [("proc/irq/7/smp_affinity_list", "0-1")]
