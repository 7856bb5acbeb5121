"""Cost by byte: a port that copies frames takes t = start + byte * size nanoseconds for each.

A card's port hands over a buffer: its data plane touches the headers whatever the size, and byte is
next to nothing. A port that copies (memif, vhost, virtio, AF_PACKET) moves each frame through the
core: byte is one over the speed of its copies. A rate that was measured at several sizes gives
both, by least squares of relative errors; neither is below zero.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Self

import numpy as np


@dataclass(frozen=True)
class FrameCost:
    """Nanoseconds of a core for a frame of a size."""

    start_ns: float
    byte_ns: float

    @classmethod
    def fitted(cls, measured: Sequence[tuple[float, float]]) -> Self:
        """From (bytes, nanoseconds) of at least two sizes. Raises ValueError for fewer."""
        from scipy.optimize import nnls  # takes longer to load than a prediction takes

        sizes, times = np.array(measured, dtype=float).reshape(-1, 2).T
        if np.unique(sizes).size < 2 or np.any(times <= 0):
            raise ValueError("a cost by byte takes times above 0 at two sizes or more")
        rows = np.column_stack([np.ones_like(sizes), sizes]) / times[:, None]
        start, byte = nnls(rows, np.ones_like(times))[0]
        return cls(float(start), float(byte))

    def ns(self, frame_bytes: float) -> float:
        """Time of a frame; of a mix, of its mean size."""
        return self.start_ns + self.byte_ns * frame_bytes

    def at(self, frame_bytes: float, ns: float) -> FrameCost:
        """The same cost by byte where a frame of a size takes so long."""
        return FrameCost(max(0.0, ns - self.byte_ns * frame_bytes), self.byte_ns)
