"""Throughput of every tenant under a division, for many cases at once.

A packet of a tenant takes

    cycles / clock  +  touches * exposed * (llc + miss * (memory * load - llc))

nanoseconds of a thread. The clock is that of the tenant's cores, less what a busy sibling takes.
What each tenant holds of a last-level cache, and memory's latency under the load of all, are those
of `machine.tenants`; a search asks for hundreds of divisions at once. Paths of several tenants ask
their legs for no more than the slowest one passes on.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np
from numpy.typing import NDArray

from planecast.cache_line import LINE_BYTES
from planecast.host.rdt import EIGHTHS
from planecast.machine.tenants import Shared, settle
from planecast.partition.division import Division
from planecast.partition.machine import Machine
from planecast.partition.profiles import Profile
from planecast.partition.tenants import Tenancy, Tenant

Floats = NDArray[np.float64]

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
    """Packets (or units) a second that each tenant could do next to the others."""
    paths: dict[str, float]
    """Packets a second of each path: of its slowest leg, or of its ports."""


def predict(machine: Machine, tenancy: Tenancy, cases: Sequence[Case]) -> list[Answer]:
    """What each case gives. Tenants without a profile are left out."""
    tenants = [t for t in tenancy.tenants if t.profile is not None]
    if not tenants or not cases:
        return [Answer({}, {}) for _ in cases]
    found = settle(_shared(machine, tenancy, tenants, cases))
    return [
        _answer(tenancy, tenants, case, capacity)
        for case, capacity in zip(cases, found.capacity, strict=True)
    ]


def _shared(
    machine: Machine, tenancy: Tenancy, tenants: Sequence[Tenant], cases: Sequence[Case]
) -> Shared:
    domains = [cache.number for cache in machine.topology.caches]
    shape = (len(cases), len(tenants))
    threads, core_ns = np.zeros((*shape, len(domains))), np.zeros(shape)
    touches, exposed = np.zeros(shape), np.zeros(shape)
    held_back = np.ones((*shape, len(domains)))
    for c, case in enumerate(cases):
        for t, tenant in enumerate(tenants):
            profile = _profile(tenant)
            touches[c, t] = profile.touches_at(case.frame_bytes)
            exposed[c, t] = min(1.0, profile.exposed * case.exposure)
            busy, ghz = _running(machine, case, tenant, domains)
            threads[c, t] = busy
            core_ns[c, t] = profile.cycles_at(case.frame_bytes) / ghz
            held_back[c, t] = _held_back(machine, case, tenant, busy)
    nodes = [_node_of(machine, number) for number in domains]
    return Shared(
        threads=threads,
        core_ns=core_ns,
        touches=touches,
        exposed=exposed,
        held_back=held_back,
        footprint=np.array([float(_profile(tenant).working_set) for tenant in tenants]),
        inside=_inside(machine, tenants, cases),
        way_bytes=_way_bytes(machine),
        llc_ns=machine.timing.llc_ns,
        memory=machine.memory,
        same_memory=np.array([[float(a == b) for b in nodes] for a in nodes]),
        demand=partial(_demand, tenancy, tenants, cases),
    )


def _demand(
    tenancy: Tenancy, tenants: Sequence[Tenant], cases: Sequence[Case], capacity: Floats
) -> Floats:
    """(C, T): what each tenant is asked for: its path's rate, its target, all that it can."""
    found = np.full_like(capacity, np.inf)
    names = [tenant.name for tenant in tenants]
    for t, tenant in enumerate(tenants):
        if tenant.target is not None:
            found[:, t] = tenant.target.rate * 1e-9
    for path in tenancy.paths:
        legs = [(names.index(leg.tenant), leg.visits) for leg in path.legs if leg.tenant in names]
        line = np.array([path.line_rate_pps(case.frame_bytes) for case in cases]) * 1e-9
        rate = np.minimum.reduce([line, *(capacity[:, t] / visits for t, visits in legs)])
        for t, visits in legs:
            found[:, t] = rate * visits
    return found


def _answer(tenancy: Tenancy, tenants: Sequence[Tenant], case: Case, capacity: Floats) -> Answer:
    """What tenants with these capacities, in units a nanosecond, give."""
    rate = {tenant.name: float(able) * 1e9 for tenant, able in zip(tenants, capacity, strict=True)}
    paths = {}
    for path in tenancy.paths:
        limits = [rate[leg.tenant] / leg.visits for leg in path.legs if leg.tenant in rate]
        paths[path.name] = min([*limits, path.line_rate_pps(case.frame_bytes)])
    return Answer(rate, paths)


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
        slower = machine.timing.sibling_slowdown if together > 1 else 1.0
        clocks.append(machine.clock_ghz(core) / slower)
        busy[domains.index(core.llc)] += tenant.name not in case.idle
    return busy, float(np.mean(clocks)) if clocks else 1.0


def _held_back(machine: Machine, case: Case, tenant: Tenant, busy: Floats) -> Floats:
    """How many times as long a miss takes by the class's limit of bandwidth, by domain."""
    timing, band = machine.timing, machine.topology.rdt.bandwidth
    limit = case.division.service_of(tenant.name).bandwidth
    if band is None or limit is None or limit >= band.most:
        return np.ones_like(busy)
    if band.unit == "percent":
        return np.full_like(busy, 100 / max(1, limit))
    # AMD's, and the kernel's mba_MBps: of the class in a domain, against what its threads can ask.
    gbs = limit / 8 if band.unit == EIGHTHS else limit / 1000
    asked = busy * timing.core_lines * LINE_BYTES / timing.memory_ns
    return np.maximum(1.0, asked / max(gbs, 1e-9))


def _node_of(machine: Machine, domain: int) -> int:
    return next((c.node for c in machine.topology.cores if c.llc == domain), 0)


def _inside(
    machine: Machine, tenants: Sequence[Tenant], cases: Sequence[Case]
) -> NDArray[np.bool_]:
    """(C, T, W): who may fill which way."""
    given = machine.topology.rdt.l3
    count = given.mask.bit_length() if given is not None else 1
    return np.array(
        [
            [_ways(case.division.service_of(tenant.name).l3, count) for tenant in tenants]
            for case in cases
        ]
    )


def _way_bytes(machine: Machine) -> Floats:
    """(D,)"""
    given = machine.topology.rdt.l3
    sizes = [cache.size_bytes or _UNKNOWN_LLC for cache in machine.topology.caches]
    return np.array(sizes) / (given.ways if given is not None else 1)


def _ways(mask: int | None, count: int) -> list[bool]:
    return [mask is None or bool(mask >> way & 1) for way in range(count)]
