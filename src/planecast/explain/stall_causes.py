"""Causes: the reasons for which a packet takes cycles, where they are distinguished without
counters, and what a person who builds a packet processor can do about each.

Most are mechanisms of the cost model (`planecast.machine.registry`), with their advice. What one
cannot distinguish stays together: `core` holds the latency of L1, dependencies and ports, for the
model is calibrated with all of them at once, every line near. Fetch and mispredicted branches are
in it too, unless the code was counted: then they are bounded (`core_bounds`).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from planecast.machine.branches import Branches
from planecast.machine.buffer_conflicts import BufferConflicts
from planecast.machine.caches import MEMORY
from planecast.machine.core import Bursts, Core
from planecast.machine.first_tlb import FirstTlb
from planecast.machine.last_level import LastLevel
from planecast.machine.lock_step import LockStepWalks
from planecast.machine.overlap import OverlapOfLines
from planecast.machine.tlb import Tlb

Group = Literal["instructions", "memory", "stores", "other"]


@dataclass(frozen=True)
class Cause:
    """One reason for cycles."""

    name: str
    title: str
    """What it is called in tables and figures."""
    group: Group
    """What it is weighed with when it is asked what limits."""
    meaning: str
    advice: str
    """What to try against it, for a packet processor."""


ISSUE, CORE_REST, BANDWIDTH = "issue", "core", "bandwidth"
FETCH, SPECULATION = "fetch", "speculation"
BOUNDS = (FETCH, SPECULATION)
"""Causes of which bounds alone are known: their values are the centre of what is possible."""
CORES_OWN = (CORE_REST, Bursts.cause, LockStepWalks.cause)
"""Causes that are frontend, bad speculation, core bound and L1, where nothing bounds them."""
CONFLICTS = BufferConflicts.cause
MISPREDICTED = Branches.cause
PORTS = "ports"
DISTURBED = "another guest"
WAITING = "waiting"
UNATTRIBUTED, UNEXPLAINED = "unattributed", "unexplained"
WALKS = Tlb.cause

_NEARER = f"touch fewer lines; {OverlapOfLines.advice}"

_ALL = (
    Cause(
        ISSUE,
        "issue width",
        "instructions",
        "the instructions alone, at as many a cycle as the core can issue",
        Core.advice,
    ),
    Cause(
        FETCH,
        "frontend",
        "instructions",
        "fetching and decoding: from zero to a stall at each fetch window and each jump, the value "
        "the midpoint",
        "keep inner loops small and straight: less unrolling, likely and unlikely, profile-guided "
        "optimisation",
    ),
    Cause(
        SPECULATION,
        "speculation",
        "instructions",
        "mispredicted branches: from zero to those of a predictor of 1998's design, each at the "
        "cost of a full pipeline flush; the value the midpoint",
        "process packets of a kind together, and replace branches on what packets hold by masks or "
        "tables",
    ),
    Cause(
        MISPREDICTED,
        MISPREDICTED,
        "instructions",
        "branches that depend on the packet, mispredicted by a predictor as cores have them in a "
        "trace of the program, each at the calibrated penalty",
        Branches.advice,
    ),
    Cause(
        CORE_REST,
        "core and L1",
        "instructions",
        "what instructions take beyond the issue width with every line in L1: its latency, "
        "dependencies and ports, which only counters separate; where code was not counted, fetch "
        "and mispredicted branches too",
        "break chains of dependent loads by working on several packets at once; count on a machine "
        "with counters (planecast explain --from) to distinguish latency from ports",
    ),
    Cause(
        Bursts.cause,
        Bursts.cause,
        "instructions",
        "what a stage costs each burst whatever its size, to start it too, shared by its packets",
        Bursts.advice,
    ),
    Cause(
        LockStepWalks.cause,
        LockStepWalks.cause,
        "instructions",
        "steps of a search that several packets take together, each waiting for the one before",
        LockStepWalks.advice,
    ),
    Cause(
        CONFLICTS,
        CONFLICTS,
        "stores",
        "waiting for headers that share a set of the first-level cache, less what later stages do "
        "at that time",
        BufferConflicts.advice,
    ),
    Cause("L2", "L2", "memory", "waiting for lines from the second-level cache", _NEARER),
    Cause("LLC", "LLC", "memory", "waiting for lines from the last-level cache", LastLevel.advice),
    Cause(
        MEMORY,
        "memory",
        "memory",
        "waiting for lines from memory",
        f"{_NEARER}; {LastLevel.advice}; memory of the core's own socket",
    ),
    Cause(WALKS, WALKS, "memory", "walks of the page table", Tlb.advice),
    Cause(
        FirstTlb.cause,
        FirstTlb.cause,
        "memory",
        "headers whose page the first level of the TLB no longer holds, in long bursts",
        FirstTlb.advice,
    ),
    Cause(
        BANDWIDTH,
        "memory bandwidth",
        "memory",
        "as many lines a packet from memory as one core can fetch",
        f"{_NEARER}; more lcores",
    ),
    Cause(
        WAITING,
        WAITING,
        "other",
        "polls that find nothing, full rings, devices",
        "offer more load, or use fewer lcores",
    ),
    Cause(
        PORTS,
        PORTS,
        "other",
        "receiving and sending: drivers, copies, lines that another core wrote; as a clock at the "
        "ports read it, or as planecast machine ports measured this kind of port",
        "larger bursts, a port that copies less, CPUs that share a cache with the other side",
    ),
    Cause(
        DISTURBED,
        DISTURBED,
        "other",
        "what stages took beyond their cycles in the looks at whose ends no other guest ran on the "
        "core: it takes issue slots and private caches",
        "no other guest on the core's sibling thread, or a quieter machine (planecast doctor)",
    ),
    Cause(
        UNATTRIBUTED,
        UNATTRIBUTED,
        "other",
        "cycles that no calibrated model splits: the core's own work beyond the issue width, and "
        "waiting for lines",
        "calibrate a study of this data plane (planecast calibrate STUDY), or count on a machine "
        "with counters",
    ),
    Cause(
        UNEXPLAINED,
        "not explained",
        "other",
        "measured minus modelled: negative where the model exceeds the measurement; of a program "
        "that counts no empty polls, these too",
        "measure again on a quieter machine, and calibrate in the same state of it",
    ),
)

CAUSES: dict[str, Cause] = {cause.name: cause for cause in _ALL}
"""Every cause by name, in the order of tables and figures."""


def cause_of(name: str) -> Cause:
    """The cause of a name; a cache level that has none of its own waits as others do."""
    return CAUSES.get(name) or Cause(
        name, name, "memory", f"waiting for lines from the {name} cache", _NEARER
    )


def in_order(names: set[str]) -> list[str]:
    """Names of causes in the order of tables."""
    known = [name for name in CAUSES if name in names]
    return known + sorted(names - set(known))
