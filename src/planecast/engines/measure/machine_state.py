"""The machine's state as the way between two CPUs shows it, looked at between stays.

A hypervisor moves a guest's CPUs. The canaries of a window are blind to that: they run on one CPU,
and an undisturbed one reads the same on every core. What other CPUs do to ours is not: a stream on
a CPU that was moved behind another last level takes nothing from ours. Next to one, the same
pipeline took 140 cycles where a cache line took 160 ns from CPU to CPU, and 420 where it took 26.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from planecast.instruments.core_to_core import usual_looks
from planecast.scenario.host_cpus import cpus_here, neighbour_cpus
from planecast.scenario.scenario import Scenario

Columns = Mapping[str, NDArray[np.generic]]
Mask = NDArray[np.bool_]

INCLUDED = "included because too few other windows are available"
"""What a note says of windows that would be left out if there were enough others."""
COLUMN = "handoff_ns"


def watched_cpus(scenarios: Sequence[Scenario]) -> tuple[int, ...]:
    """The CPUs whose distance is looked at: the first that forwards next to a neighbour, and the
    neighbour's; without neighbours the first and the last that forward, or one (and any other)."""
    return max((_together(scenario) for scenario in scenarios), key=len)


def _together(scenario: Scenario) -> tuple[int, ...]:
    first, *others = cpus_here(scenario)
    return (first, *(neighbour_cpus(scenario) or others[-1:])[:1])


def others_matter(scenario: Scenario, *, alone: bool) -> bool:
    """Whether what other CPUs do is part of the cost, so that these have to be where they usually
    are: next to a neighbour, with several lcores, and not `alone`, next to what the scenario
    doesn't name."""
    return not alone or scenario.neighbour.busy or len(cpus_here(scenario)) > 1


def usual_rows(columns: Columns) -> Mask:
    """Which windows were taken while the CPUs were where they usually are; all of a run that was
    recorded without looks.

    Behind another last level they share less, on the two threads of one core more.
    """
    if COLUMN not in columns:
        return np.ones(len(columns["cycles"]), dtype=np.bool_)
    return usual_looks(np.asarray(columns[COLUMN], dtype=np.float64))


def moved_note(columns: Columns, rows: Mask, moved: Mask, *, counted: bool) -> list[str]:
    """A sentence where the way between the CPUs changed during these rows: `moved` ones of them
    were counted or were not."""
    if not moved.any():
        return []
    seen = np.asarray(columns[COLUMN], dtype=np.float64)[rows]
    visits = np.asarray(columns["visit"])
    share = f"{len(np.unique(visits[moved]))} of {len(np.unique(visits[rows]))} visits"
    return [
        f"a hypervisor moved the CPUs: a cache line took {np.nanmin(seen):.0f} to "
        f"{np.nanmax(seen):.0f} ns from CPU to CPU, and what they share changes with it; {share} "
        "while they were elsewhere than usual, " + (INCLUDED if counted else "not counted")
    ]
