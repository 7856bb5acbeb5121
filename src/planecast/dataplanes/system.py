"""The small interface behind which every data plane under test stands, and its memory interfaces.

generator ── link 0 ──> first ── link 1 ──> … ──> last ── link N ──> generator
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, Protocol, Self

from planecast.results.estimate import Estimate

Role = Literal["server", "client"]


@dataclass(frozen=True)
class Link:
    """One end of a memory interface."""

    socket: Path
    role: Role
    ring: int
    """Slots; the client's size holds."""

    @property
    def ring_exponent(self) -> int:
        """Of two, as memif wants it."""
        return self.ring.bit_length() - 1

    def vdev(self, number: int) -> str:
        """DPDK's virtual device for this end."""
        return (
            f"net_memif{number},role={self.role},socket={self.socket},socket-abstract=no,"
            f"rsize={self.ring_exponent}"
        )


class System(Protocol):
    """A data plane between two links. A context manager: entered, it forwards or is about to;
    left, it is gone, and everything that it changed is put back."""

    name: str

    def __enter__(self) -> Self: ...

    def __exit__(self, *about: object) -> None: ...

    def check(self) -> None:
        """Raises RunError when it has ended, with its last words."""

    def begin_opinion(self) -> None:
        """From now on it counts for `opinion`; nothing for those that count nothing."""

    def opinion(self) -> Mapping[str, Estimate]:
        """What it says of itself since `begin_opinion`: cycles a packet. May be empty."""
