"""DPDK's l3fwd."""

from __future__ import annotations

from typing import Annotated, ClassVar, Literal

from pydantic import Field

from planecast.scenario.conditional import Only
from planecast.scenario.dataplanes.dpdk_memory import DpdkMemory
from planecast.scenario.dataplanes.hosted import OWN_ALONE, Mapped
from planecast.scenario.dataplanes.linked import Chained
from planecast.scenario.dataplanes.routes import RouteDepth
from planecast.scenario.model import Count

EVERY_ADDRESS = 2
"""Routes, the halves of all addresses, that every packet has one of."""
_BY_PREFIX = Only("lookup", "lpm", "fib")


class L3fwd(Chained, Mapped, DpdkMemory):
    """DPDK's example of a router."""

    lacks: ClassVar[tuple[str, ...]] = OWN_ALONE

    kind: Literal["l3fwd"]
    """DPDK's l3fwd."""
    lookup: Literal["lpm", "fib", "em"] = "lpm"
    """How it finds the next hop: the longest prefix by DPDK's LPM or its FIB (DIR-24-8), or the
    exact five-tuple in a hash, of which each flow has an entry."""
    routes: Annotated[Count, Field(ge=2, le=65535), _BY_PREFIX] = EVERY_ADDRESS
    """Routes of the table, around the destinations of the traffic's flows; 2 are halves of all
    addresses. A program that isn't built by this project's set-up may take 1,024 at the most."""
    route_depth: Annotated[RouteDepth, _BY_PREFIX] = "mixed"
    """Bits of all routes; mixed: from 8 to 32."""
    program: str | None = None
    """Path of the binary; null: where this project's set-up builds it."""

    @property
    def subject(self) -> str:
        """With its look-up where that is not by LPM."""
        return "l3fwd" if self.lookup == "lpm" else f"l3fwd {self.lookup}"
