"""Memory: bandwidth by socket, channel and direction, against what could be, a packet.

A socket's expected bandwidth is 8 bytes times transfers a second times channels; what it really
reaches is measured (planecast machine probe) or published, and lower. Source: Benchmarking and
Analysis of Software Data Planes, section 7.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Annotated

from pydantic import BeforeValidator, Field

from planecast.errors import InputError
from planecast.machine.memory import Memory
from planecast.results.result import Texts
from planecast.scenario.model import Noun, listed

TRANSFER_BYTES = 8
"""Width of a DDR channel."""
TOUCHES_WITHOUT_DDIO = 5
"""Least transfers of a routed packet from and to memory when devices don't write into the cache:
the document's 5 to 8."""

_BUSY = 0.7
_UNEVEN = 0.3
_SLACK = 1.05

Rate = Annotated[float, Field(ge=0)]


class Channel(Noun):
    """What one memory channel moved, bytes a second."""

    socket: int
    channel: int
    read: Rate
    write: Rate


class MemoryLimits(Noun):
    """What a socket's memory could move."""

    channels: Annotated[int, Field(ge=1)]
    transfers: Annotated[float, Field(gt=0)]
    """Transfers a second of a channel: 2400e6 for DDR4-2400."""
    reached: float | None = None
    """Bytes a second that were measured or published as the most of a socket; None: not known."""
    idle_ns: float | None = None
    """Latency of a line without load; None: not known."""

    @property
    def expected(self) -> float:
        """Bytes a second of a socket: 8 B times transfers times channels."""
        return TRANSFER_BYTES * self.transfers * self.channels


class SocketMemory(Noun):
    """One socket's memory."""

    socket: int
    read: float
    """Bytes a second."""
    write: float
    share_of_expected: float | None
    """Of 8 B times transfers times channels; None where those aren't known."""
    share_of_reached: float | None
    """Of the most that was measured; None where that isn't known."""
    uneven: float
    """How much the busiest channel is above the mean of all, as a share of it."""
    loaded_ns: float | None = None
    """Latency of a line at this load, by the model of `planecast.machine.memory`; None where idle
    latency or the most that was reached aren't known."""


class MemoryExplanation(Noun):
    """What memory's counters say."""

    sockets: Annotated[tuple[SocketMemory, ...], BeforeValidator(listed)]
    bytes_per_packet: float | None
    """Over all sockets; None without a packet rate."""
    findings: Texts
    out_of_line: Texts


def explain_memory(
    channels: tuple[Channel, ...],
    *,
    limits: MemoryLimits | None = None,
    pps: float | None = None,
    frame_bytes: int = 64,
) -> MemoryExplanation:
    """What channels' rates say of a data plane that passes `pps` packets a second.

    Raises InputError for no channels, and for a channel that moves more than it can.
    """
    if not channels:
        raise InputError("there are no channels", "memory counters", "record pcm-memory")
    for one in channels:
        _check(one, limits)
    sockets = tuple(
        _socket(number, [c for c in channels if c.socket == number], limits)
        for number in sorted({c.socket for c in channels})
    )
    moved = sum(socket.read + socket.write for socket in sockets)
    found = MemoryExplanation(
        sockets=sockets,
        bytes_per_packet=moved / pps if pps else None,
        findings=(),
        out_of_line=(),
    )
    return found.model_copy(
        update={
            "findings": tuple(_findings(found, frame_bytes)),
            "out_of_line": tuple(_out_of_line(found)),
        }
    )


def _check(one: Channel, limits: MemoryLimits | None) -> None:
    if limits is None:
        return
    most = TRANSFER_BYTES * limits.transfers
    if one.read + one.write > _SLACK * most:
        raise InputError(
            f"channel {one.channel} of socket {one.socket} moves "
            f"{(one.read + one.write) / 1e9:.4g} GB/s and can move {most / 1e9:.4g}",
            "memory counters",
            "the counters ran over, or MT/s and channels are not this machine's: correct them",
        )


def _socket(number: int, own: list[Channel], limits: MemoryLimits | None) -> SocketMemory:
    rates = [one.read + one.write for one in own]
    total, mean = sum(rates), sum(rates) / len(rates)
    return SocketMemory(
        socket=number,
        read=sum(one.read for one in own),
        write=sum(one.write for one in own),
        share_of_expected=total / limits.expected if limits else None,
        share_of_reached=total / limits.reached if limits and limits.reached else None,
        uneven=max(rates) / mean - 1 if mean else 0.0,
        loaded_ns=_loaded(total, limits),
    )


def _loaded(moved: float, limits: MemoryLimits | None) -> float | None:
    """Nanoseconds of a line while so many bytes a second are moved."""
    if limits is None or limits.idle_ns is None or limits.reached is None:
        return None
    return Memory(limits.idle_ns, limits.reached / 1e9).latency_ns(moved / 1e9)


def _findings(found: MemoryExplanation, frame_bytes: int) -> Iterator[str]:
    for socket in found.sockets:
        shares = [
            f"{share:.0%} of {what}"
            for share, what in (
                (socket.share_of_expected, "8 B × MT/s × channels"),
                (socket.share_of_reached, "the most that was measured"),
            )
            if share is not None
        ]
        yield (
            f"socket {socket.socket}: {socket.read / 1e9:.3g} GB/s read, {socket.write / 1e9:.3g} "
            f"GB/s written" + (f", {' and '.join(shares)}" if shares else "")
        )
        if socket.loaded_ns is not None:
            yield (
                f"socket {socket.socket}: a line takes about {socket.loaded_ns:.0f} ns at this "
                "load (computed from the machine's idle latency and what its memory reaches)"
            )
    if found.bytes_per_packet is not None:
        without = TOUCHES_WITHOUT_DDIO * frame_bytes
        yield (
            f"{found.bytes_per_packet:,.0f} bytes a packet; {without} and more would be expected "
            "if devices did not write into the cache"
        )


def _out_of_line(found: MemoryExplanation) -> Iterator[str]:
    for socket in found.sockets:
        share = socket.share_of_reached or socket.share_of_expected or 0.0
        if share > _BUSY:
            yield (
                f"socket {socket.socket}'s memory is {share:.0%} busy: latency rises steeply from "
                "here on; use fewer lines a packet or more channels"
            )
        if socket.uneven > _UNEVEN:
            yield (
                f"socket {socket.socket}'s busiest channel moves {socket.uneven:.0%} more than the "
                "mean: see that every channel has a module and that interleaving is on"
            )
