"""Throughput of every tenant under a division, for many cases at once.

A packet of a tenant takes

    cycles / clock  +  touches * exposed * (h * llc + (1 - h) * memory * load)

nanoseconds of a thread. The clock is that of the tenant's cores, less what a busy sibling takes.
h, the share of touches that the last-level cache serves, follows from Che's approximation with all
tenants that may fill the same ways, each by the rate at which it touches its lines; the rates
follow from h: a fixed point, as in StatCC (Eklov et al., 2011). Memory latency rises with what all
tenants of a node ask for: the factors are those measured on a machine of two sockets of eight
cores. A limit of memory bandwidth holds back every line beyond the core's own caches, as MBA does.

Where classes share some ways, those are a cache of their own, and a tenant's lines spread over the
ways it may fill.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from planecast.engines.solve.cache import hit_shares
from planecast.engines.solve.hierarchy import LINE_BYTES
from planecast.engines.solve.regions import Region
from planecast.partition.division import Division
from planecast.partition.machine import Machine
from planecast.partition.profiles import Profile
from planecast.partition.tenants import Tenancy, Tenant

Floats = NDArray[np.float64]

LOAD_SHARES = (0.009, 0.315, 0.504, 0.968, 1.0)
LOAD_FACTORS = (1.0, 1.154, 1.206, 1.509, 1.589)
"""Memory latency over an idle machine's, by share of the highest bandwidth: 82 ns at 1.2 GB/s, 94.6
at 42.7, 98.9 at 68.4, 123.7 at 131.3, 130.3 at 135.7 (published, two sockets of 8 cores)."""
_BEYOND = 4.0  # a power of demand over supply at which the fixed point settles at the supply

_ROUNDS = 30
_SETTLED = 3e-5
"""Change of a hit share and, relative, of a latency below which a round was the last."""
_UNKNOWN_LLC = 16 << 20


@dataclass(frozen=True)
class Case:
    """One question: a division, a frame size, and who is idle."""

    division: Division
    frame_bytes: int = 64
    idle: frozenset[str] = frozenset()
    """Tenants that do nothing."""
    exposure: float = 1.0
    """Factor on how much of the latencies shows: for intervals."""


@dataclass(frozen=True)
class Answer:
    """What one case gives."""

    capacity: dict[str, float]
    """Packets (or units) a second that each tenant could do beside the others."""
    paths: dict[str, float]
    """Packets a second of each path: of its slowest leg, or of its ports."""
    hits: dict[str, float]
    """Share of touches that the last-level cache serves."""


def predict(machine: Machine, tenancy: Tenancy, cases: Sequence[Case]) -> list[Answer]:
    """What each case gives. Tenants without a profile are left out."""
    tenants = [t for t in tenancy.tenants if t.profile is not None]
    if not tenants or not cases:
        return [Answer({}, {}, {}) for _ in cases]
    facts = _Facts.of(machine, tenancy, tenants, cases)
    boxes = _boxes(machine, tenants, cases)
    shape = facts.threads.shape
    hits, load = np.full(shape, 0.5), np.ones((len(cases), shape[2]))
    capacity = np.zeros(shape[:2])
    rates = np.zeros(shape)
    for turn in range(_ROUNDS):
        time_ns = facts.time_ns(hits, load)
        by_domain = facts.threads / time_ns
        capacity = by_domain.sum(axis=2)
        share = np.minimum(1.0, facts.demand(capacity) / np.maximum(capacity, 1e-30))
        rates = by_domain * share[:, :, None]
        step = 1.0 if turn == 0 else 0.6
        found = (1 - step) * hits + step * _hits(tenants, boxes, facts.touches, rates)
        moved = float(np.abs(found - hits).max())
        hits = found
        asked = (rates * facts.touches[:, :, None] * (1 - hits)).sum(axis=1) * LINE_BYTES
        wanted = _load_factor(asked @ facts.same_node / machine.timing.memory_gbs)
        heavier = load ** (1 - step) * wanted**step
        moved = max(moved, float(np.abs(heavier / load - 1).max()))
        load = heavier
        if moved < _SETTLED:
            break
    return [facts.answer(case, capacity, hits, rates) for case in range(len(cases))]


def _load_factor(share: Floats) -> Floats:
    inside = np.interp(share, LOAD_SHARES, LOAD_FACTORS)
    return np.asarray(inside * np.maximum(share, 1.0) ** _BEYOND)


@dataclass(frozen=True)
class _Facts:
    """Numbers of cases (C), tenants (T) and cache domains (D). Times in ns, rates in 1/ns."""

    machine: Machine
    tenancy: Tenancy
    tenants: Sequence[Tenant]
    cases: Sequence[Case]
    threads: Floats
    """(C, T, D): threads that run there."""
    core_ns: Floats
    """(C, T): a packet's time with everything near."""
    touches: Floats
    """(C, T)"""
    exposed: Floats
    """(C, T)"""
    least_ns: Floats
    """(C, T, D): what the limit of bandwidth makes of a packet at the least."""
    same_node: Floats
    """(D, D): 1 where two domains share a node's memory."""

    @classmethod
    def of(
        cls, machine: Machine, tenancy: Tenancy, tenants: Sequence[Tenant], cases: Sequence[Case]
    ) -> _Facts:
        domains = [cache.number for cache in machine.topology.caches]
        shape = (len(cases), len(tenants))
        threads, core_ns = np.zeros((*shape, len(domains))), np.zeros(shape)
        touches, exposed = np.zeros(shape), np.zeros(shape)
        least_ns = np.zeros((*shape, len(domains)))
        for c, case in enumerate(cases):
            for t, tenant in enumerate(tenants):
                profile = _profile(tenant)
                touches[c, t] = profile.touches_at(case.frame_bytes)
                exposed[c, t] = min(1.0, profile.exposed * case.exposure)
                busy, ghz = _running(machine, case, tenant, domains)
                threads[c, t] = busy
                core_ns[c, t] = profile.cycles_at(case.frame_bytes) / ghz
                least_ns[c, t] = touches[c, t] * _line_ns(machine, case, tenant, busy)
        nodes = [_node_of(machine, number) for number in domains]
        same = np.array([[float(a == b) for b in nodes] for a in nodes])
        return cls(
            machine, tenancy, tenants, cases, threads, core_ns, touches, exposed, least_ns, same
        )

    def time_ns(self, hits: Floats, load: Floats) -> Floats:
        """(C, T, D): a packet's time."""
        timing = self.machine.timing
        memory = timing.memory_ns * load[:, None, :]
        waits = (self.touches * self.exposed)[:, :, None] * (
            hits * timing.llc_ns + (1 - hits) * memory
        )
        return np.asarray(np.maximum(self.core_ns[:, :, None] + waits, self.least_ns))

    def demand(self, capacity: Floats) -> Floats:
        """(C, T): what each tenant is asked for: its path's rate, its target, all that it can."""
        found = np.full_like(capacity, np.inf)
        names = [tenant.name for tenant in self.tenants]
        for t, tenant in enumerate(self.tenants):
            if tenant.target is not None:
                found[:, t] = tenant.target.rate * 1e-9
        for path in self.tenancy.paths:
            legs = [
                (names.index(leg.tenant), leg.visits) for leg in path.legs if leg.tenant in names
            ]
            line = np.array([path.line_rate_pps(case.frame_bytes) for case in self.cases]) * 1e-9
            rate = np.minimum.reduce([line, *(capacity[:, t] / visits for t, visits in legs)])
            for t, visits in legs:
                found[:, t] = rate * visits
        return found

    def answer(self, case: int, capacity: Floats, hits: Floats, rates: Floats) -> Answer:
        """The numbers of one case, in units a second."""
        rate = {t.name: float(capacity[case, i]) * 1e9 for i, t in enumerate(self.tenants)}
        paths = {}
        for path in self.tenancy.paths:
            limits = [rate[leg.tenant] / leg.visits for leg in path.legs if leg.tenant in rate]
            line = path.line_rate_pps(self.cases[case].frame_bytes)
            paths[path.name] = min([*limits, line])
        weights = np.maximum(rates[case], 1e-30)
        served = (hits[case] * weights).sum(axis=1) / weights.sum(axis=1)
        return Answer(rate, paths, {t.name: float(served[i]) for i, t in enumerate(self.tenants)})


def _profile(tenant: Tenant) -> Profile:
    assert tenant.profile is not None
    return tenant.profile


def _running(
    machine: Machine, case: Case, tenant: Tenant, domains: Sequence[int]
) -> tuple[Floats, float]:
    """(threads by domain, effective GHz of a thread)."""
    share = case.division.share(tenant.name)
    busy = np.zeros(len(domains))
    clocks = []
    for cpu in share.busy:
        core = machine.topology.core_of(cpu)
        assert core is not None
        together = sum(other in share.busy for other in core.threads)
        smt = (1 + machine.timing.smt_gain) / 2 if together > 1 else 1.0
        clocks.append(machine.clock_ghz(core) * smt)
        busy[domains.index(core.llc)] += tenant.name not in case.idle
    return busy, float(np.mean(clocks)) if clocks else 1.0


def _line_ns(machine: Machine, case: Case, tenant: Tenant, busy: Floats) -> Floats:
    """Nanoseconds a line that a thread's bandwidth leaves at the least, by domain."""
    timing, band = machine.timing, machine.topology.rdt.bandwidth
    free = timing.memory_ns / timing.core_lines  # a core's misses under way, all the time
    limit = case.division.service_of(tenant.name).bandwidth
    if band is None or limit is None or limit >= band.most:
        return np.full_like(busy, free)
    if band.unit == "percent":
        return np.full_like(busy, free * 100 / max(1, limit))
    gbs = limit / 8 if band.unit == "1/8 GB/s" else limit / 1000  # of the class in a domain
    return np.maximum(free, busy * LINE_BYTES / max(gbs, 1e-9))


def _node_of(machine: Machine, domain: int) -> int:
    return next((c.node for c in machine.topology.cores if c.llc == domain), 0)


@dataclass(frozen=True)
class _Boxes:
    """Ways that the same tenants fill: each is a cache. B of them."""

    case: NDArray[np.int64]
    domain: NDArray[np.int64]
    lines: Floats
    """(B,)"""
    weight: Floats
    """(B, T): share of a tenant's lines that lie there."""


def _boxes(machine: Machine, tenants: Sequence[Tenant], cases: Sequence[Case]) -> _Boxes:
    cases_, domains, lines, weights = [], [], [], []
    for c, case in enumerate(cases):
        masks = [case.division.service_of(tenant.name).l3 for tenant in tenants]
        for d, cache in enumerate(machine.topology.caches):
            size = (cache.size_bytes or _UNKNOWN_LLC) / LINE_BYTES
            for fraction, weight in _segments(machine, masks):
                cases_.append(c)
                domains.append(d)
                lines.append(size * fraction)
                weights.append(weight)
    return _Boxes(np.array(cases_), np.array(domains), np.array(lines), np.array(weights))


def _segments(machine: Machine, masks: Sequence[int | None]) -> list[tuple[float, list[float]]]:
    """(share of the cache, share of each tenant's lines) of every set of ways filled alike."""
    given = machine.topology.rdt.l3
    if given is None or None in masks:
        return [(1.0, [1.0] * len(masks))]
    ways: dict[tuple[bool, ...], int] = {}
    for way in range(given.mask.bit_length()):
        members = tuple(bool(mask and mask >> way & 1) for mask in masks)
        if any(members):
            ways[members] = ways.get(members, 0) + 1
    return [
        (
            count / given.ways,
            [
                count / (mask or 1).bit_count() if own else 0.0
                for own, mask in zip(m, masks, strict=True)
            ],
        )
        for m, count in ways.items()
    ]


def _hits(tenants: Sequence[Tenant], boxes: _Boxes, touches: Floats, rates: Floats) -> Floats:
    """(C, T, D): share of touches that the last-level cache serves."""
    ones = np.ones_like(boxes.lines)
    regions = []
    for t, tenant in enumerate(tenants):
        lines = _profile(tenant).working_set / LINE_BYTES * boxes.weight[:, t]
        touched = (touches[:, t, None] * rates[:, t])[boxes.case, boxes.domain]
        regions.append(
            Region(
                stage=tenant.name,
                name="working set",
                cyclic=False,
                lines=lines,
                touches=touched * boxes.weight[:, t],
                pages=ones,
                total_lines=lines,
            )
        )
    found = np.zeros(rates.shape)
    shares = hit_shares(regions, boxes.lines, ones, shared=True)
    for t, share in enumerate(shares):
        np.add.at(found[:, t], (boxes.case, boxes.domain), share * boxes.weight[:, t])
    return found
