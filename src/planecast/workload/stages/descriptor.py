"""StageDescriptor: all that the cost model knows of one stage, in one file a stage.

Instructions are not here: they are counted (`planecast.workload.counts`). A descriptor says
which memory the stage touches and how its touches overlap, whether it walks tables in lock-step,
what it does to the stores of the stage before, and which other stages change its instructions.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar, NamedTuple

import numpy as np
from numpy.typing import NDArray

from planecast.workload.counts import Instrument
from planecast.workload.regions import Region
from planecast.workload.sizes import Sizes

Floats = NDArray[np.float64]


class LockStep(NamedTuple):
    """Table walks of several packets that advance together, a step each at a time."""

    steps: float
    """Dependent loads of a walk, from root to leaf."""
    gathered: Floats
    """Rounds a packet of walks whose loads a vector instruction gathers, a search's ends
    included."""
    scalar: Floats
    """Rounds a packet of walks with a load instruction each."""
    divergent: Floats
    """Share of packets that take another path than the one before."""


class OptionalWork(NamedTuple):
    """Work that a stage does for some packets alone: settings in which it is counted."""

    everywhere: Mapping[str, str]
    """Keys of a scenario in which all packets have it."""
    nowhere: Mapping[str, str]
    """Keys in which none has."""


class CountedApart(NamedTuple):
    """Runs that count the instructions of one stage."""

    packets: int
    """That are counted."""
    bursts: tuple[int, ...] = ()
    """Packets in each; empty: the bursts that all stages are counted in."""
    instrument: Instrument = "singlestep"


class StageDescriptor:
    """One stage of one or more network functions. Subclass it in a file of its own and name it in
    `planecast.workload.stages.registry`."""

    name: ClassVar[str]
    reads_headers: ClassVar[bool] = False
    """It loads header bytes that the source stored just before."""
    hides_headers: ClassVar[bool] = False
    """It works so long without reading them that the source's stores are done behind it."""

    instructions_depend_on: ClassVar[tuple[str, ...]] = ()
    """Stages whose presence in the pipeline changes how many instructions this one takes: it
    prefetches for them, for example. Every other stage takes the same in every pipeline."""

    counted_apart: ClassVar[CountedApart | None] = None
    """How its instructions are counted where the usual runs would take minutes, or show too
    little."""

    optional: ClassVar[OptionalWork | None] = None
    """Work that depends on what the packets are, if it has any."""

    def optional_share(self, sizes: Sizes) -> Floats:
        """How much of its optional work it does, in many scenarios: from 0, none, to 1."""
        return np.ones(sizes.columns.size)

    def regions(self, sizes: Sizes) -> list[Region]:
        """What it touches, in many scenarios; touches are 0 where it does not run."""
        return []

    def lock_step(self, sizes: Sizes) -> LockStep | None:
        """Its lock-step walks; None: it has none."""
        return None
