"""Tenants that share a last-level cache and memory: what each gets, and how fast each then is.

Each tenant does units of work (packets, for a data plane) of `near_ns` with every line near, and
touches `lines` lines of a footprint a unit, at random. A miss adds `exposed` of the difference
between memory's latency and the cache's. What they share follows from how fast they are, and the
other way round: a fixed point.

- Replacement is random, as the published ways sweeps show (LRU is off by up to 15 points): in each
  way, lines of those who may fill it stand in proportion to how many they bring in. A footprint is
  hit with probability held / footprint.
- Cache allocation (CAT) is the mask of ways that a class may fill. Bandwidth allocation (MBA) holds
  requests back, so that a class at p percent waits 100/p times as long for memory.
- Memory's latency rises with what all of them ask for (`model.memory`).

Sources: Dobrescu et al., NSDI 2012, for drop = misses times extra latency; Eklov et al., StatCC
2010, for the fixed point over access rates.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Self

import numpy as np
from numpy.typing import NDArray

from planecast.errors import InputError
from planecast.machine.memory import Memory
from planecast.scenario.machine import LINE_BYTES, Machine

Floats = NDArray[np.float64]

_HOLDS_ON = 1e-3
_ROUNDS = 400
_SETTLED = 1e-6
_STEP = 0.1  # damping: the map turns back and forth where misses decide about the rate


@dataclass(frozen=True)
class Cache:
    """A shared last-level cache."""

    ways: int
    way_bytes: float
    hit_ns: float

    @classmethod
    def of(cls, machine: Machine) -> Self:
        """The last-level cache of a machine's socket."""
        return cls(int(machine.values.llc_ways.value), machine.way_bytes, machine.l3_ns)

    @property
    def full_mask(self) -> int:
        """All ways."""
        return (1 << self.ways) - 1


def memory_of(machine: Machine) -> Memory:
    """The memory of a machine's socket."""
    values = machine.values
    return Memory(
        values.memory_idle_ns.value,
        values.memory_gbs.value,
        measured=tuple((point.gbs, point.ns) for point in values.memory_loaded),
    )


@dataclass(frozen=True)
class Tenant:
    """Threads that do the same work in the same class of service."""

    name: str
    threads: float
    near_ns: float
    """Time of a unit of work on a thread when every line is in the cache."""
    lines: float
    """Lines of the last-level cache that a unit touches."""
    footprint_bytes: float
    """Distinct bytes that they are of, all threads together."""
    exposed: float = 1.0
    """Share of a miss's latency that isn't hidden: the blocking factor."""
    mask: int | None = None
    """Ways that it may fill, bit by bit; None: all."""
    bandwidth_percent: float = 100.0
    """Its memory-bandwidth allocation."""
    offered: float | None = None
    """Units a second that come at most; None: as many as it can do."""


@dataclass(frozen=True)
class Portion:
    """What a tenant gets."""

    cache_bytes: float
    miss_share: float
    """Of its touches."""
    memory_ns: float
    """Latency of a miss as it sees it, its bandwidth allocation included."""
    unit_ns: float
    """Time of a unit of work on a thread."""
    rate: float
    """Units a second of all its threads."""
    memory_gbs: float


def share(tenants: Sequence[Tenant], cache: Cache, memory: Memory) -> Mapping[str, Portion]:
    """What each tenant gets, by name.

    Raises InputError for a mask without ways or with ways that the cache doesn't have, a bandwidth
    percentage outside 1 to 100, a tenant without threads, work or footprint, and two of one name.
    """
    masks = [_checked(tenant, cache) for tenant in tenants]
    if len({tenant.name for tenant in tenants}) < len(tenants):
        raise InputError("two tenants have the same name", ", ".join(t.name for t in tenants))
    held = [
        min(tenant.footprint_bytes, cache.way_bytes * mask.bit_count())
        for tenant, mask in zip(tenants, masks, strict=True)
    ]
    load = 0.0
    portions: list[Portion] = []
    for _ in range(_ROUNDS):
        latency = memory.latency_ns(load)
        portions = [
            _portion(tenant, size, cache, latency)
            for tenant, size in zip(tenants, held, strict=True)
        ]
        asked = sum(portion.memory_gbs for portion in portions)
        fair = _split(tenants, portions, masks, cache)
        moved = [_STEP * (target - size) for size, target in zip(held, fair, strict=True)]
        held = [size + move for size, move in zip(held, moved, strict=True)]
        settled = max(map(abs, moved), default=0.0) < _SETTLED * cache.way_bytes
        if settled and abs(asked - load) < _SETTLED * memory.peak_gbs:
            break
        load += _STEP * (asked - load)
    return {tenant.name: portion for tenant, portion in zip(tenants, portions, strict=True)}


def _checked(tenant: Tenant, cache: Cache) -> int:
    mask = cache.full_mask if tenant.mask is None else tenant.mask
    if mask <= 0:
        raise InputError("a class needs one way at least", f"{tenant.name}: mask {mask:#x}")
    if mask > cache.full_mask:
        raise InputError(
            f"the cache has {cache.ways} ways, so a mask is at most {cache.full_mask:#x}",
            f"{tenant.name}: mask {mask:#x}",
        )
    if not 1 <= tenant.bandwidth_percent <= 100:
        raise InputError(
            f"got {tenant.bandwidth_percent:g} percent",
            f"{tenant.name}: bandwidth",
            "allowed is 1 to 100",
        )
    if min(tenant.threads, tenant.near_ns, tenant.footprint_bytes) <= 0:
        raise InputError("threads, time and footprint are above 0", tenant.name)
    return mask


def _portion(tenant: Tenant, held: float, cache: Cache, latency_ns: float) -> Portion:
    miss = max(0.0, 1 - held / tenant.footprint_bytes)
    seen = latency_ns * 100 / tenant.bandwidth_percent
    unit = tenant.near_ns + tenant.lines * miss * tenant.exposed * max(0.0, seen - cache.hit_ns)
    rate = tenant.threads / unit * 1e9
    if tenant.offered is not None:
        rate = min(rate, tenant.offered)
    gbs = rate * tenant.lines * miss * LINE_BYTES / 1e9
    return Portion(held, miss, seen, unit, rate, gbs)


def _split(
    tenants: Sequence[Tenant], portions: Sequence[Portion], masks: Sequence[int], cache: Cache
) -> list[float]:
    """Bytes that each would hold if it went on bringing in lines as fast as now."""
    masks_of_all = np.array([[mask >> way & 1 for way in range(cache.ways)] for mask in masks])
    room = split(
        brought_in(
            np.array([portion.miss_share for portion in portions]),
            np.array([p.rate * t.lines for p, t in zip(portions, tenants, strict=True)]),
            np.array([mask.bit_count() for mask in masks]),
        ),
        masks_of_all.astype(np.bool_),
        cache.way_bytes,
    )
    return [
        min(float(size), tenant.footprint_bytes) for size, tenant in zip(room, tenants, strict=True)
    ]


def brought_in(miss_share: Floats, touches: Floats, ways: NDArray[np.int_]) -> Floats:
    """Lines that each tenant brings into each of its ways, by its touches of the cache.

    What has all its lines would bring in none and lose them: it holds on by what it touches.
    """
    return np.asarray(np.maximum(miss_share, _HOLDS_ON) * touches / np.maximum(ways, 1))


def split(brought: Floats, inside: NDArray[np.bool_], way_bytes: Floats | float) -> Floats:
    """Bytes of room of each tenant: in each way, in proportion to what each brings in.

    `brought` has the shape (…, tenants), `inside`, who may fill which way, (…, tenants, ways). A
    way into which nobody brings anything is everybody's alike.
    """
    filling = brought[..., None] * inside
    total = filling.sum(axis=-2, keepdims=True)
    alike = inside / np.maximum(inside.sum(axis=-2, keepdims=True), 1)
    parts = np.where(total > 0, filling / np.where(total > 0, total, 1.0), alike)
    return np.asarray(way_bytes * parts.sum(axis=-1))
