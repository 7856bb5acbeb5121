"""Tenants of a divided last level and memory: what each holds, and how fast each then is.

Each tenant does units of work (packets, for a data plane) that take `core_ns` of a thread and touch
`touches` lines of a footprint, at random. A line takes the cache's latency, and one that misses
memory's, of which `exposed` isn't hidden. What tenants hold follows from how fast they are, and the
other way round: one fixed point (`settle`), for many cases, tenants and caches at once.

- Eviction is random (`machine.cache_sharing` with shape 1; least recently used is off by up to 15
  points against published sweeps of ways): in each way lines of those who may fill it stand in
  proportion to how many they bring in, and a footprint is hit with probability held / footprint.
- Cache allocation (CAT) is the mask of ways that a class may fill. Bandwidth allocation (MBA) holds
  requests back, so that a class at p percent waits 100/p times as long for memory.
- Memory's latency rises with what all of them ask for (`machine.memory`).

Sources: Dobrescu et al., NSDI 2012, for drop = misses times extra latency; Eklov et al., StatCC
2010, for the fixed point over access rates.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from planecast.cache_line import LINE_BYTES
from planecast.machine.memory import Memory

Floats = NDArray[np.float64]

_HOLDS_ON = 1e-3
_ROUNDS = 400
_STEP, _SHORTER = 0.3, 12
"""Damping: the map turns back and forth where tenants just about fit, so steps get shorter, from so
much, to the half after so many rounds, and on."""
_SETTLED = 3e-5
"""Change of a tenant's part of a cache, and relative of a latency, below which it is the last."""


@dataclass(frozen=True)
class Shared:
    """Numbers of cases (C), tenants (T), caches (D) and ways (W). Times in ns, rates in 1/ns."""

    threads: Floats
    """(C, T, D): threads that run at a cache."""
    core_ns: Floats
    """(C, T): a unit's time with every line in the thread's own caches."""
    touches: Floats
    """(C, T): lines of the last level that a unit touches."""
    exposed: Floats
    """(C, T): share of their latency that isn't hidden."""
    held_back: Floats
    """(C, T, D): how many times as long a miss takes by the limit of bandwidth."""
    footprint: Floats
    """(T,): bytes that the touched lines are of."""
    inside: NDArray[np.bool_]
    """(C, T, W): who may fill which way."""
    way_bytes: Floats
    """(D,)"""
    llc_ns: float
    memory: Memory
    same_memory: Floats
    """(D, D): 1 where two caches are before one memory."""
    demand: Callable[[Floats], Floats]
    """What each tenant is asked for, (C, T), by what each can do, (C, T)."""


@dataclass(frozen=True)
class Settled:
    """What fits together, in shapes as of `Shared`."""

    held: Floats
    """(C, T, D): bytes."""
    miss: Floats
    """(C, T, D): share of the touches."""
    latency_ns: Floats
    """(C, D): of memory."""
    capacity: Floats
    """(C, T): units that each could do."""
    rates: Floats
    """(C, T, D): units that each does."""


def settle(shared: Shared) -> Settled:
    """Finds what tenants hold, how fast they are, and memory's latency, that fit each other."""
    cases, tenants, caches = shared.threads.shape
    footprint = shared.footprint[:, None]
    ways = shared.inside.sum(axis=2)
    held = np.minimum(ways[:, :, None] * shared.way_bytes, footprint)
    latency = np.full((cases, caches), shared.memory.idle_ns)
    size = shared.way_bytes * shared.inside.shape[2]
    going = np.ones(cases, dtype=np.bool_)
    miss = rates = np.zeros((cases, tenants, caches))
    capacity = np.zeros((cases, tenants))
    for turn in range(_ROUNDS):
        step = _STEP / (1 + turn / _SHORTER)
        miss = np.maximum(0.0, 1 - held / footprint)
        by_cache = shared.threads / _unit_ns(shared, miss, latency)
        capacity = by_cache.sum(axis=2)
        part = np.minimum(1.0, shared.demand(capacity) / np.maximum(capacity, 1e-30))
        rates = by_cache * part[:, :, None]
        touches = rates * shared.touches[:, :, None]
        fair = _fair(shared, miss, touches, ways)
        gbs = (touches * miss).sum(axis=1) * LINE_BYTES @ shared.same_memory
        slower = shared.memory.latencies_ns(gbs)
        moved = (np.abs(fair - held) / size).max(axis=(1, 2))
        moved = np.maximum(moved, np.abs(slower / latency - 1).max(axis=1))
        going &= step * moved >= _SETTLED
        if not going.any():
            break
        # A case that has settled stays: its answer is the same whatever is asked with it.
        held += np.where(going, step, 0.0)[:, None, None] * (fair - held)
        latency += np.where(going, step, 0.0)[:, None] * (slower - latency)
    return Settled(held, miss, latency, capacity, rates)


def _unit_ns(shared: Shared, miss: Floats, latency: Floats) -> Floats:
    """(C, T, D): a unit's time."""
    seen = latency[:, None, :] * shared.held_back
    line = shared.llc_ns + miss * np.maximum(0.0, seen - shared.llc_ns)
    waits = (shared.touches * shared.exposed)[:, :, None] * line
    return np.asarray(shared.core_ns[:, :, None] + waits)


def _fair(shared: Shared, miss: Floats, touches: Floats, ways: NDArray[np.int_]) -> Floats:
    """(C, T, D): bytes that each would hold if it kept bringing in lines as fast as now: in each
    way, in proportion. What has all its lines would bring in none and lose them: it holds on by
    what it touches. A way into which nobody brings anything is everybody's alike."""
    brought = np.maximum(miss, _HOLDS_ON) * touches / np.maximum(ways, 1)[:, :, None]
    filling = brought[..., None] * shared.inside[:, :, None, :]  # (C, T, D, W)
    total = filling.sum(axis=1, keepdims=True)
    alike = shared.inside / np.maximum(shared.inside.sum(axis=1, keepdims=True), 1)
    parts = np.where(total > 0, filling / np.where(total > 0, total, 1.0), alike[:, :, None, :])
    room = shared.way_bytes * parts.sum(axis=-1)
    return np.asarray(np.minimum(room, shared.footprint[:, None]))
