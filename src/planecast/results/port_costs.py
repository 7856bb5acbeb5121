"""Port costs: what a packet and a byte cost a data plane in each kind of port."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Annotated

import numpy as np
from pydantic import BeforeValidator

from planecast.results.arithmetic import difference
from planecast.results.estimate import Estimate
from planecast.results.manifest import Manifest, same_host
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
    """Why there is no figure, or none of some sizes; empty when all were measured."""

    def of_size(self, frame_bytes: int) -> Estimate | None:
        """Cycles of a packet at a size that was measured; None of others."""
        found = (one for one in self.sizes if one.frame_bytes == frame_bytes)
        return next((one.cycles_per_packet for one in found), None)

    def cycles(self, frame_bytes: float) -> Estimate | None:
        """Cycles of a packet of this size, between the measured sizes around it; None where it lies
        outside of them."""
        at = [one.frame_bytes for one in self.sizes]
        if not at or not at[0] <= frame_bytes <= at[-1]:
            return None
        costs = [one.cycles_per_packet for one in self.sizes]
        ends = [cost.interval or (cost.value, cost.value) for cost in costs]
        value, low, high = (
            float(np.interp(frame_bytes, at, values))
            for values in ([cost.value for cost in costs], *zip(*ends, strict=True))
        )
        return costs[0].model_copy(update={"value": value, "low": low, "high": high})


class PortCosts(Noun):
    """What `planecast machine ports` writes."""

    cpu: int
    """Where testpmd ran."""
    ports: Annotated[tuple[PortCost, ...], BeforeValidator(listed)]
    manifest: Manifest

    def port(self, kind: str) -> PortCost | None:
        """The one of this kind; None when nobody asked for it."""
        return next((port for port in self.ports if port.kind == kind), None)

    def above_base(self, kind: str, frame_bytes: float) -> Estimate | None:
        """What a port of this kind takes above the least one, in TSC cycles a packet. None when one
        of the two was not measured at sizes around this one."""
        port, base = self.port(kind), self.port(BASE)
        cost = None if port is None else port.cycles(frame_bytes)
        least = None if base is None else base.cycles(frame_bytes)
        return None if cost is None or least is None else difference(cost, least)


def latest_port_costs(
    root: Path, host: Mapping[str, object] | None = None
) -> tuple[PortCosts, str] | None:
    """The last ones that were measured on the host of these facts, by default on this one, and
    their run's name; None where none were. Files that can't be read, such as those of an earlier
    version, are passed over."""
    for path in sorted(root.glob(f"*/{PORT_COSTS}"), reverse=True):  # names begin with the time
        try:
            found = PortCosts.model_validate_json(path.read_text(encoding="utf-8"))
        except (OSError, ValueError):
            continue
        if same_host(found.manifest.host, host):
            return found, path.parent.name
    return None


def line_of(frame_bytes: Sequence[float], cycles: Sequence[float]) -> tuple[Estimate, Estimate]:
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
        return Estimate(value=value, low=low, high=high, samples=len(x), unit=unit, kind="measured")

    return (
        estimate(start, half_start, "cycles/packet"),
        estimate(slope, half_slope, "cycles/byte"),
    )
