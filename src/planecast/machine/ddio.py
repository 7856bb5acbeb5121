"""Cards that write into the last-level cache (DDIO): what stays there, what spills into memory.

A card writes each frame into a buffer of its ring, cyclically. A line that is still cached is
written over; one that isn't takes a place in one of the w ways of its set that devices may fill,
and pushes another out, at random (LRU is off by up to 15 points against published ways sweeps).

The cache's hash spreads F lines over S sets as if at random: a line shares its set with k others,
k Poisson distributed with mean F / S. Of n = k + 1 lines in a set of w ways, the share h that is
still there when its turn comes again is 1 for n <= w, and else follows from what the others push
out in one turn:

    h = (1 - 1/w)^((1 - h) * (n - 1/2))

which Lambert's W solves. The half is the correction for small sets: of n = w + 1 lines a share of
1 - 2 / (w + 1) is found, exactly, and with n - 1 in its place half of the misses would be lacking;
the test holds it against a simulated cache. A core that reads a line `waiting` of a turn after the
card wrote it finds it with (1 - 1/w)^((1 - h) * (n - 1) * waiting).

No parameter is fitted: ways, sets and rings are the machine's and the scenario's.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from planecast.cache_line import LINE_BYTES
from planecast.machine.pcie import DESCRIPTOR_BYTES
from planecast.scenario.machine import Machine

WITHOUT_TOUCHES = 5
"""A descriptor's four and one more without DDIO: the card reads and writes the receive and the
transmit descriptor, the core reads what was written back."""
_TAIL = 12.0
"""Standard deviations of lines in a set that count."""


@dataclass(frozen=True)
class DeviceWays:
    """Where devices may write in a last-level cache."""

    sets: int
    """Sets of the cache, of all its slices."""
    ways: int
    """Ways of each that devices fill; 0: they write to memory."""

    @classmethod
    def of(cls, machine: Machine) -> DeviceWays:
        """Those of a machine's last level."""
        return cls(int(machine.way_bytes // LINE_BYTES), int(machine.values.ddio_ways.value))

    @property
    def bytes(self) -> int:
        """What they hold."""
        return self.sets * self.ways * LINE_BYTES


@dataclass(frozen=True)
class Buffers:
    """What a card writes its frames into."""

    count: int
    """Buffers that packets cycle through, of all rings."""
    frame_bytes: float
    waiting: float = 0.5
    """How much of a turn of the ring a packet waits for its core: all of the ring when it is
    overloaded, next to nothing when it idles."""

    @property
    def frame_lines(self) -> int:
        """Lines of a frame."""
        return math.ceil(self.frame_bytes / LINE_BYTES)

    @property
    def lines(self) -> float:
        """What they take of a cache, descriptors included."""
        return self.count * (self.frame_lines + DESCRIPTOR_BYTES / LINE_BYTES)


@dataclass(frozen=True)
class Spill:
    """What becomes of a packet's lines."""

    kept: float
    """Share of the lines that a card writes over in the cache."""
    missed: float
    """Share of the lines that a core no longer finds."""
    read_lines: float
    """Lines a packet from memory."""
    written_lines: float
    """Lines a packet to memory."""

    @property
    def memory_bytes(self) -> float:
        """Bytes a packet of memory's bandwidth."""
        return (self.read_lines + self.written_lines) * LINE_BYTES


def spill(buffers: Buffers, cache: DeviceWays) -> Spill:
    """What stays in the ways of a cache. Without any, every touch is one of memory.

    Never better with more buffers, larger frames or fewer ways. Raises ValueError for buffers or
    frames that are none.
    """
    if buffers.count < 1 or buffers.frame_bytes <= 0 or not 0 <= buffers.waiting <= 1:
        raise ValueError(f"{buffers.count} buffers of {buffers.frame_bytes:g} bytes")
    lines = buffers.frame_lines
    if cache.bytes == 0:
        descriptors = WITHOUT_TOUCHES * DESCRIPTOR_BYTES / LINE_BYTES
        # The card writes and reads all of a frame, cores read and write back the headers' line.
        moved = lines + 1 + descriptors / 2
        return Spill(0.0, 1.0, moved, moved)
    kept, found = _of_a_set(buffers.lines / cache.sets, cache.ways, buffers.waiting)
    # Each line that isn't written over pushes out another, which was written and goes to memory.
    return Spill(kept, 1 - found, (1 - found) * lines, (1 - kept) * lines)


def _of_a_set(mean: float, ways: int, waiting: float) -> tuple[float, float]:
    """(Kept, found by a core), over the sets that a line may be in, of so many lines on average."""
    from scipy.special import gammaln, xlogy  # loading scipy takes longer than a prediction

    reach = _TAIL * math.sqrt(mean) + 2 * _TAIL
    others = np.arange(max(0, math.floor(mean - reach)), math.ceil(mean + reach) + 1)
    weight = np.exp(xlogy(others, mean) - mean - gammaln(others + 1))  # Poisson
    weight /= weight.sum()
    pressed = pressure(others.astype(np.float64) + 1.0, ways)
    missed = 1 - kept_of(pressed)
    while_waiting = pressed * others / (others + 0.5) * waiting
    found = float(weight @ np.exp(-missed * while_waiting))
    return min(1.0, float(weight @ (1 - missed))), min(1.0, found)


def pressure(lines: NDArray[np.float64], ways: int) -> NDArray[np.float64]:
    """How often a line would be pushed out in a turn of so many, were all of them missed.

    0 where they fit into the ways.
    """
    by_chance = -math.log(max(1 - 1 / ways, 1e-300))
    return np.where(lines > ways, (lines - 0.5) * by_chance, 0.0)


def kept_of(pressed: NDArray[np.float64]) -> NDArray[np.float64]:
    """The lower solution of h = exp(-(1 - h) * pressure); 1 up to a pressure of one."""
    from scipy.special import lambertw

    load = np.clip(pressed, 1.0, 500.0)
    return np.where(pressed > 1, -lambertw(-load * np.exp(-load)).real / load, 1.0)
