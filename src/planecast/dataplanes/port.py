"""Port: one end of a link, the DPDK port that it is, and how EAL is asked for it.

generator ── link 0 ──> first ── link 1 ──> … ──> last ── link N ──> generator
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Literal

from planecast.scenario.model import Noun

Kind = Literal["memif", "vhost", "virtio", "interface", "xdp", "pci", "virtual"]

MEMORY_KINDS = ("memif", "vhost", "virtio")
"""Links within one machine's memory, met at a socket."""
_PCI = re.compile(r"(?:([0-9a-fA-F]{4}):)?([0-9a-fA-F]{2}:[0-9a-fA-F]{2}\.[0-7])")
_VIRTUAL = re.compile(r"net_[a-z0-9_]*\d(,.*)?")
_HEADERS_BYTES = 128
"""Of a frame in an AF_PACKET ring, before its data: tpacket2's header and its alignment."""
_PAGE_BYTES = 4096


class Port(Noun):
    """One end of a link."""

    kind: Kind
    address: str
    """A socket's path, a network interface (by AF_PACKET; xdp: by AF_XDP), a PCI address, or a
    virtual device in DPDK's words."""
    ring: int = 1024
    """Slots; of a memory interface the client's size holds."""
    server: bool = False
    """Whether it makes the socket; the other end connects to it."""
    frame_bytes: int = 1518
    """Longest frame, with FCS."""

    @property
    def role(self) -> Literal["server", "client"]:
        """As programs call it."""
        return "server" if self.server else "client"

    @property
    def ring_exponent(self) -> int:
        """Of two, as memif wants it."""
        return self.ring.bit_length() - 1

    @property
    def slots(self) -> int:
        """Of a memory interface: the largest power of two that is no more than `ring`."""
        return 1 << self.ring_exponent

    @property
    def shares_memory(self) -> bool:
        """Whether another process, the kernel or a device reads this one's packet memory: it must
        stay the memory that EAL has announced to them."""
        return self.kind in ("virtio", "xdp", "pci")

    def device(self, number: int) -> str:
        """DPDK's name of the device, with its options."""
        if self.kind == "memif":
            return (
                f"net_memif{number},role={self.role},socket={self.address},socket-abstract=no,"
                f"rsize={self.ring_exponent}"
            )
        if self.kind == "vhost":
            return f"net_vhost{number},iface={self.address}" + ("" if self.server else ",client=1")
        if self.kind == "virtio":
            server = ",server=1" if self.server else ""
            return f"net_virtio_user{number},path={self.address},queue_size={self.ring}{server}"
        if self.kind == "interface":
            frame = _frame_slot(self.frame_bytes)
            return (
                f"net_af_packet{number},iface={self.address},blocksz={max(frame, _PAGE_BYTES)},"
                f"framesz={frame},framecnt={self.ring}"
            )
        if self.kind == "xdp":
            return f"net_af_xdp{number},iface={self.address}"
        return self.address

    def eal(self, number: int) -> tuple[str, str]:
        """EAL's arguments for this port; `number` makes its name unlike the others'."""
        return device_words(self.device(number))


def named_port(device: str, ring: int = 1024, frame_bytes: int = 1518) -> Port:
    """The port that a person named: a PCI address, a virtual device, or a network interface."""
    pci = _PCI.fullmatch(device)
    if pci is not None:
        address = f"{pci[1] or '0000'}:{pci[2]}".lower()
        return Port(kind="pci", address=address, ring=ring, frame_bytes=frame_bytes)
    kind: Kind = "virtual" if _VIRTUAL.fullmatch(device) else "interface"
    return Port(kind=kind, address=device, ring=ring, frame_bytes=frame_bytes)


def device_words(device: str) -> tuple[str, str]:
    """EAL's arguments for a virtual device, or for one on the PCI bus."""
    return ("--allow" if _PCI.fullmatch(device) else "--vdev", device)


def eal_words(ports: Sequence[Port]) -> tuple[str, ...]:
    """EAL's arguments for some ports."""
    return tuple(word for number, port in enumerate(ports) for word in port.eal(number))


def generator_ports(ports: Sequence[Port]) -> tuple[list[Port], list[int | str]]:
    """The ports that EAL makes for our generator, and each one in the words of its configuration:
    a DPDK port's number, or the memory interface that it connects to by itself."""
    made = [port for port in ports if not _is_memif_client(port)]
    numbers = iter(port_numbers(made))
    return made, [
        f"memif:{port.address}" if _is_memif_client(port) else next(numbers) for port in ports
    ]


def _is_memif_client(port: Port) -> bool:
    return port.kind == "memif" and not port.server


def port_numbers(ports: Sequence[Port]) -> tuple[int, ...]:
    """The number that DPDK gives each port: EAL looks through the PCI bus first, by address, and
    makes virtual devices afterwards, as they were named."""

    def place(number: int) -> tuple[bool, str, int]:
        pci = ports[number].kind == "pci"
        return (not pci, ports[number].address if pci else "", number)

    order = sorted(range(len(ports)), key=place)
    return tuple(order.index(number) for number in range(len(ports)))


def _frame_slot(frame_bytes: int) -> int:
    """Bytes of a slot in an AF_PACKET ring: a power of two, so that blocks hold whole slots."""
    needed = frame_bytes + _HEADERS_BYTES
    return max(2048, 1 << (needed - 1).bit_length())
