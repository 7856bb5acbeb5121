"""Network cards' links: payload, read requests, power saving, width; IOMMU."""

from __future__ import annotations

import re
from collections.abc import Iterator

from planecast.host.check import BSDP, Check, Setting
from planecast.host.nics import Nic
from planecast.host.pcie import PcieLink, pcie_link
from planecast.host.root import Root

_SOURCE = f"{BSDP}, §10 1.2"
_PAYLOAD_BYTES = 256
_READ_REQUEST_BYTES = 512


def check_cards(root: Root, cards: tuple[Nic, ...]) -> Iterator[Check]:
    """What the advice wants of each card's link; a row a question, over all cards."""
    links = {nic.address: pcie_link(root, nic.address) for nic in cards}
    known = {address: link for address, link in links.items() if link is not None}
    if not known:
        why = "no network card on PCI"
        if cards:
            why = "no card's configuration space names a link"
            why += "" if root.privileged else ": beyond its first 64 bytes it needs root"
        yield Check("PCIe", "note", why, "links are checked where they can be read")
    else:
        yield _payload(known)
        yield _read_request(known)
        yield _width(known)
    yield from _aspm(root, known)
    yield _iommu(root)


def _payload(links: dict[str, PcieLink]) -> Check:
    small = {a: link for a, link in links.items() if link.payload_bytes < _PAYLOAD_BYTES}
    found = _each({a: f"{link.payload_bytes} B" for a, link in links.items()})
    if not small:
        return Check("MaxPayload", "good", found, "few headers for a packet", source=_SOURCE)
    unable = [a for a, link in small.items() if link.payload_most_bytes < _PAYLOAD_BYTES]
    fix = "set it in the BIOS, or boot with pci=pcie_bus_perf"
    if unable:
        fix += f"; not possible for {', '.join(unable)}, whose maximum is less"
    return Check(
        "MaxPayload",
        "limits",
        found,
        f"a packet takes more PCIe transactions than with {_PAYLOAD_BYTES} B",
        fix,
        _SOURCE,
    )


def _read_request(links: dict[str, PcieLink]) -> Check:
    small = {a: link for a, link in links.items() if link.read_request_bytes < _READ_REQUEST_BYTES}
    found = _each({a: f"{link.read_request_bytes} B" for a, link in links.items()})
    if not small:
        return Check("MaxReadReq", "good", found, "descriptors come in few reads", source=_SOURCE)
    commands = [
        # Bits 14:12 of device control, 8 bytes into the capability; 2 is 512 B.
        f"sudo setpci -s {address} CAP_EXP+8.w=2000:7000"
        for address in small
    ]
    return Check(
        "MaxReadReq",
        "limits",
        found,
        f"reads shorter than {_READ_REQUEST_BYTES} B take more round trips on the link",
        "; ".join(commands),
        _SOURCE,
    )


def _width(links: dict[str, PcieLink]) -> Check:
    found = _each({a: f"{k.gigatransfers:g} GT/s x{k.lanes}" for a, k in links.items()})
    slow = {
        a: f"{k.most_gigatransfers:g} GT/s x{k.most_lanes}"
        for a, k in links.items()
        if k.lanes < k.most_lanes or k.gigatransfers < k.most_gigatransfers
    }
    if not slow:
        return Check("PCIe link", "good", found, "each card's link has its full speed and width")
    return Check(
        "PCIe link",
        "limits",
        f"{found}; could be {_each(slow)}",
        "the link may be the limit before the core is",
        "put the card into a slot with as many lanes and of that generation",
    )


def _aspm(root: Root, links: dict[str, PcieLink]) -> Iterator[Check]:
    path = "sys/module/pcie_aspm/parameters/policy"
    chosen = re.search(r"\[(\w+)\]", root.text(path))
    saving = {a: link.aspm for a, link in links.items() if link.aspm != "off"}
    if links and not saving:
        yield Check("ASPM", "good", "off on every card", "links never sleep", source=_SOURCE)
    elif saving:
        settings = (Setting(path, "performance"),) if chosen else ()
        yield Check(
            "ASPM",
            "limits",
            _each(saving),
            "a link that sleeps takes microseconds to wake up",
            f"switch it off in the BIOS, or: echo performance | sudo tee /{path}",
            _SOURCE,
            settings,
        )
    elif chosen:
        words = "no card's link is known"
        yield Check("ASPM", "note", f"policy {chosen[1]}", words, source=_SOURCE)


def _iommu(root: Root) -> Check:
    groups = len(root.paths("sys/kernel/iommu_groups/[0-9]*"))
    passing = "iommu=pt" in root.text("proc/cmdline").split()
    modes = {
        root.text(str(path.relative_to(root.path)))
        for path in root.paths("sys/kernel/iommu_groups/[0-9]*/type")
    }
    if not groups:
        return Check(
            "IOMMU",
            "note",
            "off",
            "vfio-pci takes cards without protection (enable_unsafe_noiommu_mode) or not at all",
        )
    if passing or modes == {"identity"}:
        return Check(
            "IOMMU", "good", f"on, {groups} groups, passing through", "DMA is not translated"
        )
    return Check(
        "IOMMU",
        "limits",
        f"on, {groups} groups, translating",
        "devices that the kernel drives look addresses up for each DMA; with 4 KiB pages it shows",
        "boot with iommu=pt (cards under vfio-pci stay protected)",
        "DPDK, Getting Started Guide for Linux: Linux IOMMU pass-through",
    )


def _each(texts: dict[str, str]) -> str:
    """One text when all cards agree, else each card with its own."""
    if len(set(texts.values())) == 1:
        return next(iter(texts.values()))
    return ", ".join(f"{address} {text}" for address, text in texts.items())
