"""VPP."""

from __future__ import annotations

from typing import Annotated, ClassVar, Literal

from pydantic import Field

from planecast.scenario.conditional import Only
from planecast.scenario.dataplanes.hosted import OWN_ALONE, Hosted, Mapped
from planecast.scenario.dataplanes.routes import RouteDepth
from planecast.scenario.model import Count

MAX_STATIONS = 1 << 22


class Vpp(Hosted, Mapped):
    """VPP between two memory interfaces."""

    lacks: ClassVar[tuple[str, ...]] = OWN_ALONE

    kind: Literal["vpp"]
    """VPP (FD.io)."""
    ports: Literal["memif"] = "memif"
    """What links are: memory interfaces."""
    graph: Literal["l2xc", "l2patch", "l2bridge", "ip4", "ip6"] = "l2xc"
    """What it forwards by: the L2 cross-connect, the L2 patch, a learning bridge, IPv4 or IPv6
    routes."""
    routes: Annotated[Count, Field(ge=2, le=65536), Only("graph", "ip4", "ip6")] = 4096
    """Routes of the table: IPv4 ones lie around the destinations of the traffic's flows."""
    route_depth: Annotated[RouteDepth, Only("graph", "ip4")] = "mixed"
    """Bits of all routes; mixed: from 8 to 32."""
    next_hops: Annotated[Count, Field(ge=1, le=65536), Only("graph", "ip4", "ip6")] = 64
    """Neighbours that the routes lead to, in turn."""
    stations: Annotated[Count, Field(ge=2, le=MAX_STATIONS), Only("graph", "l2bridge")] = 131072
    """Stations that the bridge knows from the start: two of each flow, one at either port."""
    program: str | None = None
    """Path of the binary; null: vpp in the search path."""

    @property
    def subject(self) -> str:
        """With its graph."""
        return f"vpp {self.graph}"
