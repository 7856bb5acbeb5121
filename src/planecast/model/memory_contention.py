"""Memory's latency under what a scenario itself moves: many lcores slow each other down.

A cost is linear in memory's latency, so two answers, at the idle latency and at twice that, give it
at any. Cost decides about the rate, the rate about the load, and the load about the latency, which
never falls with it: so there is one cost that fits, found by halving. What this host's
memory moves is not known (a tenant sees a part of it), so this is for machines of the catalogue
and for entries that `planecast machine probe` wrote.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from planecast.cache_line import LINE_BYTES
from planecast.machine.memory import Memory

Floats = NDArray[np.float64]

_HALVINGS = 40
WORTH_A_WORD = 1.02


class Load(NamedTuple):
    """What fits together."""

    factor: Floats
    """Memory's latency over the idle one."""
    gbs: Floats
    """What all lcores move."""

    @classmethod
    def idle(cls, size: int) -> Load:
        """Of so many scenarios whose memory's load is unknown."""
        return cls(np.ones(size), np.zeros(size))


def under_load(
    idle: Floats, twice: Floats, *, memory_lines: Floats, pps_cycles: Floats, memory: Memory
) -> Load:
    """The load at which cost and latency fit: arrays of shape (scenarios,).

    `idle` and `twice` are cycles a packet at the idle latency and at twice it; `pps_cycles` is what
    makes packets a second of cycles a packet, over all lcores.
    """
    rise = np.maximum(twice - idle, 0.0)
    moved = memory_lines * LINE_BYTES / 1e9

    def asked(factor: Floats) -> Floats:
        return np.asarray(moved * pps_cycles / (idle + (factor - 1) * rise))

    low = np.ones_like(idle)
    high = np.maximum(memory.latencies_ns(asked(low)) / memory.idle_ns, 1.0)
    for _ in range(_HALVINGS):
        middle = (low + high) / 2
        wanted = memory.latencies_ns(asked(middle)) / memory.idle_ns
        low, high = np.where(wanted > middle, middle, low), np.where(wanted > middle, high, middle)
    factor = (low + high) / 2
    return Load(factor, asked(factor))
