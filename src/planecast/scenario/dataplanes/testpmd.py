"""DPDK's testpmd."""

from __future__ import annotations

from typing import Literal

from planecast.scenario.dataplanes.dpdk_memory import DpdkMemory
from planecast.scenario.dataplanes.hosted import Mapped
from planecast.scenario.dataplanes.linked import Chained

TestpmdMode = Literal["io", "mac", "macswap"]


class Testpmd(Chained, Mapped, DpdkMemory):
    """DPDK's test application. `placement.burst` is its burst."""

    kind: Literal["testpmd"]
    """DPDK's testpmd."""
    mode: TestpmdMode = "io"
    """Pass packets on; write MAC addresses; swap them."""
    program: str | None = None
    """Path of the binary; null: dpdk-testpmd in the search path."""

    @property
    def subject(self) -> str:
        """With its mode."""
        return f"testpmd {self.mode}"
