"""Memory regions: what a stage touches, in what order, and how the touches overlap.

A region has so many distinct cache lines, of which each packet touches some: at random (uniform) or
all of them in order, over and over (cyclic). How much of a line's latency a stage waits for depends
on how it asks for the line (`Overlap`). Nothing here knows a machine.
"""

from __future__ import annotations

from enum import StrEnum
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from planecast.cache_line import LINE_BYTES

Floats = NDArray[np.float64]

PAGE_BYTES = 4096
PAGE_LINES = PAGE_BYTES // LINE_BYTES


class Overlap(StrEnum):
    """How a stage asks for the lines of a region."""

    PREFETCHED = "prefetched"
    """A burst's lines are asked for by prefetch instructions, ahead of their use."""
    INDEPENDENT = "independent"
    """Loads whose addresses are known: the out-of-order core has several packets' in flight."""
    DEPENDENT = "dependent"
    """Each load's address comes from the one before: lanes of a lookup walk in step."""
    STORED = "stored"
    """Written, not waited for: lines drain from the store buffer behind the stage."""


class Asked(NamedTuple):
    """Lines that a pass over a burst asks for before they are used."""

    stage: str
    """Whose pass that is."""
    lines: str = ""
    """Which of that stage's passes, where it has several."""
    lanes: int = 0
    """Packets of a round of it, at whose end their lines are asked for; 0: each as it comes."""
    ahead: int = 0
    """Packets between that one whose lines it asks for and that whose lines it uses itself, where
    both are one pass; 0: it uses none before it has asked for all."""


class Region(NamedTuple):
    """One region in many scenarios: arrays of shape (scenarios,), as one lcore sees it."""

    stage: str
    """The stage that waits for the lines."""
    name: str
    cyclic: bool
    lines: Floats
    """Distinct lines that one lcore touches."""
    touches: Floats
    """Lines a packet touches; 0 where the stage does not run."""
    pages: Floats
    """Distinct 4 KiB pages that one lcore touches."""
    total_lines: Floats
    """Distinct lines that all lcores touch together: what counts in a shared cache."""
    overlap: Overlap = Overlap.INDEPENDENT
    in_flight: Floats | float = 8.0
    """Lines of the region that are asked for together; where it is `asked`, that decides."""
    together: Floats | float = 1.0
    """Touches that all wait for the slowest of them: those of lanes that walk in step."""
    asked: Asked | None = None
    """Of lines that one pass over a burst asks for and a later one uses; None: of others."""
    stride: Floats | None = None
    """Lines from one touched line to the next, where that is a power of two, so that they meet in
    few of a cache's sets; of pages, from one page to the next; None: one."""

    def as_pages(self) -> Region:
        """The region as the TLB sees it: its pages, touched when a packet comes to another one.
        Lines that are touched in order come to a page once and stay there."""
        pages = np.minimum(self.pages, np.maximum(self.lines, 1.0))
        entered = pages / np.maximum(self.lines, 1.0) if self.cyclic else 1.0
        apart = None if self.stride is None else np.maximum(self.stride / PAGE_LINES, 1.0)
        return self._replace(
            lines=pages, total_lines=pages, touches=self.touches * entered, stride=apart
        )
