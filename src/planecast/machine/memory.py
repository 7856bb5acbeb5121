"""Latency of memory under load.

A request waits for those before it: latency = idle * (1 + RISE * u / (REACH - u)) with the share u
of the peak in use. A queue with one server and REACH 1 would never fill; measured latencies at a
full memory are finite, because cores and devices have only so many requests under way. Beyond the
peak the line is steep, so that closed loops settle near it. `reproduce components` fits both
numbers to three published points and holds them against two others. Where latencies under traffic
were measured (`machine probe`), they are the curve, and the form above only continues from the
last.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]

RISE = 0.66
REACH = 2.11
ASSUMED_GBS = 119.7
"""What a socket's memory gives at most, GB/s, where it is unknown: that of six channels of DDR4,
less than what most servers of today have."""
_STEEP = 50.0
"""Slope beyond the peak, in idle latencies a peak."""


class Memory(NamedTuple):
    """Memory of one socket."""

    idle_ns: float
    peak_gbs: float
    """What reads reach at most, GB/s."""
    rise: float = RISE
    reach: float = REACH
    measured: tuple[tuple[float, float], ...] = ()
    """(GB/s, ns) by rising load; latencies don't fall."""

    def latency_ns(self, load_gbs: float) -> float:
        """Nanoseconds of a line when so many GB/s are under way. Never falls with load."""
        return float(self.latencies_ns(np.float64(load_gbs)))

    def latencies_ns(self, loads_gbs: Floats | np.float64) -> Floats:
        """The same of many loads."""
        formed = self._formed(loads_gbs)
        if not self.measured:
            return formed
        last, slowest = self.measured[-1]
        loads, latencies = zip((0.0, self.idle_ns), *self.measured, strict=True)
        measured = np.interp(loads_gbs, loads, np.maximum.accumulate(latencies))
        beyond = slowest * formed / self._formed(np.float64(last))
        return np.where(np.asarray(loads_gbs) > last, beyond, measured)

    def _formed(self, loads_gbs: Floats | np.float64) -> Floats:
        """By the formula."""
        used = np.maximum(0.0, loads_gbs) / self.peak_gbs
        level = np.minimum(used, 1.0)
        queued = self.rise * level / (self.reach - level)
        return np.asarray(self.idle_ns * (1 + queued + _STEEP * (used - level)))


def fitted(points: tuple[tuple[float, float], ...], peak_gbs: float) -> Memory:
    """The memory whose curve goes through three points of (GB/s, ns), the first almost idle.

    Raises ValueError for other than three points, or points that no such curve has.
    """
    (_, idle), (x1, y1), (x2, y2) = points
    # (y - idle) = c * x / (p - x) twice: the ratio of both gives p, either one then c.
    ratio = (y2 - idle) * x1 / ((y1 - idle) * x2)
    if ratio <= 1:
        raise ValueError("the latency must rise faster than the load")
    pole = (ratio * x2 - x1) / (ratio - 1)
    return Memory(idle, peak_gbs, (y1 - idle) * (pole - x1) / x1 / idle, pole / peak_gbs)
