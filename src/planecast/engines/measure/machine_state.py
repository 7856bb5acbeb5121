"""The machine's state as the way between two CPUs shows it, before each start of the processes.

A hypervisor moves a guest's CPUs. The canaries of a window are blind to that: they run on one CPU,
and an undisturbed one reads the same on every core.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from planecast.instruments.core_to_core import CHANGED, ping_pong_now
from planecast.scenario.host_cpus import cpus_here
from planecast.scenario.scenario import Scenario


def cpus_apart(scenarios: Sequence[Scenario]) -> float | None:
    """Nanoseconds that a cache line takes from the CPU that forwards to another one: of a pipeline
    that is cut, its last. None where there is no other, or no probe."""
    cpus = max((cpus_here(scenario) for scenario in scenarios), key=len)
    found = ping_pong_now(cpus[0], cpus[-1] if len(cpus) > 1 else None)
    return None if found is None else found.ns


def moved_note(columns: Mapping[str, NDArray[np.generic]], rows: NDArray[np.bool_]) -> list[str]:
    """A sentence where the way between the CPUs changed between the starts of these rows."""
    if "handoff_ns" not in columns:  # recorded by an earlier edition
        return []
    seen = np.asarray(columns["handoff_ns"], dtype=np.float64)[rows]
    seen = seen[np.isfinite(seen)]
    if not seen.size or seen.max() < CHANGED * seen.min():
        return []
    return [
        f"a cache line took {seen.min():.0f} to {seen.max():.0f} ns from CPU to CPU before the "
        "starts: a hypervisor moved the CPUs, so the interval is over several states of the machine"
    ]
