"""Memory next to a stream: what looks at the host's state say of how it rises with traffic.

One CPU's stream makes another's random lines of memory longer. By how much is one number, the mean
over lines asked for one at a time and many together (`HostState.rise`); which share of it these
show is measured with it. A lone line waits for its latency, which queues lengthen little; of many
together each waits for its turn, and traffic takes turns away. On an Ice Lake guest a stream made
lone lines 1.4 times as long and 32 together 1.8 times.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from planecast.instruments.host_state import HostState
    from planecast.instruments.loaded_latency import LoadedLatency

NOISE = 0.05
"""Of the logarithm of a rise, by one look at one width: as much as slices differ."""
SPREAD = 0.25
"""Of the power of a width, before anything was measured; its median is 1."""


def rise_by_load(
    states: Sequence[HostState], loaded: LoadedLatency | None
) -> tuple[tuple[float, float], ...]:
    """(GB/s, times the idle latency) by rising traffic. Next to one CPU's stream the median of the
    states; where a curve is known, all of it lower by as much as it lies above that. It was
    measured once, and whatever disturbed it then made it longer."""
    found = [rise for state in states if (rise := state.rise()) is not None]
    curve = () if loaded is None else loaded.rise()
    if not found:
        return curve
    gbs, times = np.median(found, axis=0).tolist()
    times = max(times, 1.0)
    if not curve:
        return ((gbs, times),)
    loads, longer = zip(*curve, strict=True)
    above = max(float(np.interp(gbs, loads, longer)) - times, 0.0)
    return tuple((load, max(risen - above, 1.0)) for load, risen in curve)


def rise_by_width(states: Sequence[HostState]) -> tuple[tuple[float, float], ...]:
    """(Lines asked for together, power of the rise that these show) by rising width: least squares
    over the states' logarithms, of which those next to little traffic say little."""
    every = [rises for state in states if (rises := state.rises())]
    widths = sorted(set.intersection(*map(set, every))) if every else []
    if not widths:
        return ()
    longer = np.log([[max(rises[width], 1.0) for width in widths] for rises in every])
    mean = longer.mean(axis=1)
    least = (NOISE / SPREAD) ** 2
    powers = (mean @ longer + least) / (mean @ mean + least)
    return tuple(zip(map(float, widths), powers.tolist(), strict=True))
