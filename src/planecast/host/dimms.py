"""Memory modules: channels in use and the bandwidth to expect of them.

Read from the firmware's SMBIOS table, which only root may read. Structure type 17 is a module
(DMTF DSP0134, SMBIOS 3, section 7.18): size at 0x0C (extended at 0x1C), locators at 0x10 and 0x11,
speed at 0x15, configured speed at 0x20.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from planecast.host.check import BSDP, Check
from planecast.host.root import Root

_MODULE = 17
_BUS_BYTES = 8
_TABLE = "sys/firmware/dmi/tables/DMI"
# How boards name a channel, after what they call socket or node: Channel0, CHANNEL A, DIMM_A1.
_CHANNEL = re.compile(r"channel[ _]?([0-9a-z])|(?:dimm|ddr)[ _-]?([a-z])[0-9]", re.IGNORECASE)
_SOCKET = re.compile(r"(?:p|cpu|proc|socket|node)[ _]?([0-9])", re.IGNORECASE)


@dataclass(frozen=True)
class Module:
    """A memory slot."""

    mib: int
    """0 for an empty slot."""
    mega_transfers: int
    """Transfers a second at which it runs, in millions; 0 when unknown."""
    socket: str
    channel: str
    """As the board calls them; empty when its names don't show them."""


def modules(root: Root) -> tuple[Module, ...]:
    """Every slot of the firmware's table; none when it may not be read."""
    try:
        table = (root.path / _TABLE).read_bytes()
    except OSError:
        return ()
    found = (_module(body, texts) for kind, body, texts in _structures(table) if kind == _MODULE)
    return tuple(found)


def expected_bytes_per_second(found: tuple[Module, ...]) -> float | None:
    """Peak bandwidth of one socket, bytes/s: 8 bytes times transfers times its channels.

    The fewest of any socket; None when speeds or channels are unknown. The formula is that of the
    tuning table (BSDP, §10 1.5).
    """
    used = [m for m in found if m.mib]
    if not used or any(not m.mega_transfers or not m.channel for m in used):
        return None
    sockets: dict[str, set[str]] = {}
    for module in used:
        sockets.setdefault(module.socket, set()).add(module.channel)
    transfers = min(module.mega_transfers for module in used) * 1e6
    return _BUS_BYTES * transfers * min(len(channels) for channels in sockets.values())


def check_dimms(root: Root) -> Iterator[Check]:
    """Whether every channel of every socket has a module."""
    found = modules(root)
    used = [module for module in found if module.mib]
    if not used:
        yield Check(
            "memory channels",
            "note",
            "not reported" if not found else "no module listed",
            "the firmware has no table of modules, as in most virtual machines"
            if root.privileged
            else "the firmware's table of modules needs root, and few virtual machines have one",
        )
        return
    there = {(m.socket, m.channel) for m in found if m.channel}
    filled = {(m.socket, m.channel) for m in used if m.channel}
    peak = expected_bytes_per_second(found)
    speeds = sorted({m.mega_transfers for m in used})
    text = f"{len(used)} modules at {', '.join(map(str, speeds))} MT/s"
    text += f" on {len(filled)} of {len(there)} channels" if there else ", channels not named"
    text += f"; {peak / 1e9:.1f} GB/s a socket at most" if peak else ""
    source = f"{BSDP}, §10 1.5 and 1.6"
    if filled != there:
        empty = ", ".join(
            f"{socket or '0'}/{channel}" for socket, channel in sorted(there - filled)
        )
        yield Check(
            "memory channels",
            "limits",
            text,
            "bandwidth is that of the channels that have a module, and misses queue at them",
            f"put modules of one size and speed into the empty channels: {empty}",
            source,
        )
    elif len(speeds) > 1 or len({m.mib for m in used}) > 1:
        yield Check(
            "memory channels",
            "limits",
            f"{text}; modules differ",
            "the slowest sets the speed, and unequal sizes are not interleaved evenly",
            "use modules of one size and speed",
            source,
        )
    else:
        yield Check(
            "memory channels", "good", text, "every channel carries its share", source=source
        )


def _structures(table: bytes) -> Iterator[tuple[int, bytes, list[str]]]:
    """Type, formatted part and strings of each structure; ends where the table is damaged."""
    at = 0
    while at + 4 <= len(table):
        kind, length = table[at], table[at + 1]
        end = table.find(b"\0\0", at + length)
        if length < 4 or end < 0:
            return
        texts = table[at + length : end].decode("ascii", "replace").split("\0")
        yield kind, table[at : at + length], texts
        at = end + 2


def _module(body: bytes, texts: list[str]) -> Module:
    def number(at: int, width: int = 2) -> int:
        return int.from_bytes(body[at : at + width], "little") if at + width <= len(body) else 0

    def text(at: int) -> str:
        index = number(at, 1)
        return texts[index - 1] if 0 < index <= len(texts) else ""

    size = number(0x0C)
    mib = 0 if size in (0, 0xFFFF) else size & 0x7FFF
    if size == 0x7FFF:
        mib = number(0x1C, 4) & 0x7FFFFFFF
    elif size & 0x8000:
        mib >>= 10  # then it is in KiB
    names = f"{text(0x11)} {text(0x10)}"
    channel, socket = _CHANNEL.search(names), _SOCKET.search(names)
    return Module(
        mib=mib,
        mega_transfers=number(0x20) or number(0x15),
        socket=socket[1] if socket else "",
        channel=(channel[1] or channel[2] or "").upper() if channel else "",
    )
