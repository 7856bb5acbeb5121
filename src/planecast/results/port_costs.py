"""Port costs: what a packet and a byte cost a data plane in each kind of port."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Annotated

import numpy as np
from pydantic import BeforeValidator

from planecast.results.estimate import Estimate, Kind
from planecast.results.manifest import Manifest
from planecast.results.student import t_quantile
from planecast.scenario.model import Noun, listed

PORT_COSTS = "port-costs.json"
"""Of a run that measured them."""
BASE = "net_null"
"""The port that does next to nothing: the others' own cost is what they take above it."""


class SizeCost(Noun):
    """Cycles at one frame size."""

    frame_bytes: int
    """With FCS."""
    cycles_per_packet: Estimate
    """TSC cycles of `testpmd` in io mode between two such ports: a packet received and sent."""


class PortCost(Noun):
    """What one kind of port costs: a packet received, and sent again."""

    kind: str
    sizes: Annotated[tuple[SizeCost, ...], BeforeValidator(listed)] = ()
    per_packet: Estimate | None = None
    """TSC cycles of a packet of no bytes: the line's value at 0."""
    per_byte: Estimate | None = None
    """TSC cycles of a byte: the line's slope."""
    why_not: str = ""
    """Why there is no figure; empty when there is."""

    def cycles(self, frame_bytes: float) -> float:
        """Of a frame of this size, by the line. Raises ValueError when it was not measured."""
        if self.per_packet is None or self.per_byte is None:
            raise ValueError(self.why_not)
        return self.per_packet.value + self.per_byte.value * frame_bytes


class PortCosts(Noun):
    """What `planecast machine ports` writes."""

    cpu: int
    """Where testpmd ran."""
    ports: Annotated[tuple[PortCost, ...], BeforeValidator(listed)]
    manifest: Manifest

    def port(self, kind: str) -> PortCost | None:
        """The one of this kind; None when nobody asked for it."""
        return next((port for port in self.ports if port.kind == kind), None)

    def above_base(self, kind: str, frame_bytes: float) -> float | None:
        """What a port of this kind takes above the least one, in cycles a packet; subtract it to
        compare a data plane across ports. None when one of the two was not measured."""
        port, base = self.port(kind), self.port(BASE)
        if port is None or base is None or port.why_not or base.why_not:
            return None
        return port.cycles(frame_bytes) - base.cycles(frame_bytes)


def line_of(
    frame_bytes: Sequence[float], cycles: Sequence[float], kind: Kind = "measured"
) -> tuple[Estimate, Estimate]:
    """Cycles a packet and a byte, by least squares over all rounds, with 95 % intervals (Student).

    Raises ValueError for fewer than three figures, or one size alone.
    """
    x, y = np.asarray(frame_bytes, dtype=np.float64), np.asarray(cycles, dtype=np.float64)
    if len(x) < 3 or np.ptp(x) == 0:
        raise ValueError("a line takes three figures or more, of two sizes or more")
    centred = x - x.mean()
    spread = float(centred @ centred)
    slope = float(centred @ y) / spread
    start = float(y.mean() - slope * x.mean())
    left = y - (start + slope * x)
    noise = math.sqrt(float(left @ left) / (len(x) - 2))
    t = t_quantile(len(x) - 2)
    half_slope = t * noise / math.sqrt(spread)
    half_start = t * noise * math.sqrt(1 / len(x) + float(x.mean()) ** 2 / spread)

    def estimate(value: float, half: float, unit: str) -> Estimate:
        low, high = value - half, value + half
        return Estimate(value=value, low=low, high=high, samples=len(x), unit=unit, kind=kind)

    return (
        estimate(start, half_start, "cycles/packet"),
        estimate(slope, half_slope, "cycles/byte"),
    )
