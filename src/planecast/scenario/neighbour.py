"""Neighbour: what runs next to the data plane on other CPUs, and takes cache and memory from it.

One section for all engines: measure starts it, the closed form and the simulator take its lines
into their last cache level and its misses into memory's latency.
"""

from __future__ import annotations

from typing import Annotated, Self

from pydantic import Field, model_validator

from planecast.scenario.model import Bytes, Count, Noun, typed
from planecast.scenario.units import bytes_text, parse_count

MAX_BYTES = 4 << 30


class Busy(Noun):
    """What a neighbour does: one of walk, stream and spin, or nothing."""

    walk: Annotated[Bytes, Field(ge=4096, le=MAX_BYTES)] | None = None
    """Working set that it chases pointers through."""
    stream: Annotated[Bytes, Field(ge=16384, le=MAX_BYTES)] | None = None
    """Memory that it reads in order."""
    spin: bool = False
    """It computes, and touches no memory."""
    rate: Annotated[float, typed(lambda text: float(parse_count(text))), Field(ge=0, le=1e12)] = 0.0
    """Cache lines a second at most, such as 20M; 0: as fast as it goes."""
    width: Annotated[Count, Field(ge=1, le=16)] = 8
    """walk: misses in flight."""
    write: bool = False
    """stream: writes what it read."""

    @property
    def kinds(self) -> int:
        """How many of walk, stream and spin were asked for."""
        return sum((self.walk is not None, self.stream is not None, self.spin))

    @property
    def touched_bytes(self) -> int:
        """Of its working set or memory; 0 of one that touches none."""
        return (self.walk if self.walk is not None else self.stream) or 0

    def label(self) -> str:
        """Short name: ``walk 4MiB``, ``stream 256MiB 20M/s``."""
        if not self.touched_bytes:
            return "spin" if self.spin else "idle"
        kind = "walk" if self.walk is not None else "stream"
        limit = f" {self.rate / 1e6:g}M/s" if self.rate else ""
        return f"{kind} {bytes_text(self.touched_bytes)}{limit}" + (" write" if self.write else "")


class Neighbour(Busy):
    """Processes on other CPUs, started for the measurement and ended with it."""

    cores: Annotated[Count, Field(ge=1, le=64)] = 1
    """So many of them, each on a CPU of its own, with a working set and a rate of its own."""
    cpu: Annotated[Count, Field(ge=0, le=1023)] | None = None
    """Its CPU, of several the first; null: those that don't forward, from the first on."""
    ways: Annotated[Count | None, Field(ge=1, le=64)] = None
    """Ways of the last level that they may fill, from the top; those of ``placement.llc_ways`` are
    at the bottom. null: all. Of machines of the catalogue, for the models alone."""

    @property
    def busy(self) -> bool:
        """Whether there is one."""
        return self.kinds > 0

    @property
    def all_bytes(self) -> int:
        """What all of them touch."""
        return self.cores * self.touched_bytes

    @model_validator(mode="after")
    def _one(self) -> Self:
        if self.kinds > 1:
            raise ValueError("a neighbour does one of walk, stream and spin")
        return self
