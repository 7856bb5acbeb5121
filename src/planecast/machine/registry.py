"""The mechanisms of the cost model, one line each; all that iterates over them does so here."""

from __future__ import annotations

from planecast.machine.branches import Branches
from planecast.machine.buffer_conflicts import BufferConflicts
from planecast.machine.core import Bursts, Core
from planecast.machine.first_tlb import FirstTlb
from planecast.machine.last_level import LastLevel
from planecast.machine.lock_step import LockStepWalks
from planecast.machine.mechanism import Mechanism
from planecast.machine.neighbour_stream import NeighbourStream
from planecast.machine.overlap import OverlapOfLines
from planecast.machine.private_caches import PrivateCaches
from planecast.machine.stage_start import StageStarts
from planecast.machine.store_buffer import StoreBuffer
from planecast.machine.tlb import Tlb

CORE, CONFLICTS = Core(), BufferConflicts()
MECHANISMS: tuple[Mechanism, ...] = (
    CORE,
    Bursts(),
    StageStarts(),
    StoreBuffer(),
    Branches(),
    LockStepWalks(),
    CONFLICTS,
    FirstTlb(),
    Tlb(),
    OverlapOfLines(),
    PrivateCaches(),
    LastLevel(),
    NeighbourStream(),
)
