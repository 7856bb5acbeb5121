"""Divisions to try: who shares a class, how many ways each class has, how much bandwidth."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from planecast.partition.assign import Cores, shares
from planecast.partition.division import Division, Service
from planecast.partition.machine import Machine
from planecast.partition.tenants import Tenancy, Tenant

_BANDWIDTHS = (1.0, 0.5, 0.3, 0.1)
"""Shares of bandwidth that are tried for a class."""


@dataclass(frozen=True)
class Candidate:
    """A division as numbers that can be changed a little."""

    cores: Cores
    groups: tuple[tuple[str, ...], ...]
    """Tenants by class, the most important class first; the last one is the default class 0."""
    ways: tuple[int, ...]
    """Of each group, from the highest ways down; empty where ways can't be given."""
    bandwidth: tuple[float, ...]
    """Share of each group."""

    def number(self, group: int) -> int:
        """Class of service of a group."""
        return (group + 1) % len(self.groups)

    def division(self, machine: Machine, tenancy: Tenancy) -> Division:
        """As classes with masks."""
        of = {name: self.number(g) for g, names in enumerate(self.groups) for name in names}
        band = machine.topology.rdt.bandwidth
        services = []
        for group, mask in enumerate(self._masks(machine)):
            limit = None
            if band is not None:
                steps = max(1, round(self.bandwidth[group] * band.most / band.step))
                limit = band.most
                if self.bandwidth[group] < 1:
                    limit = min(band.most, max(_least(band.least, band.step), steps * band.step))
            services.append(Service(number=self.number(group), l3=mask, bandwidth=limit))
        return Division(
            services=tuple(sorted(services, key=lambda service: service.number)),
            shares=shares(tenancy, self.cores, lambda tenant: of[tenant.name]),
        )

    def _masks(self, machine: Machine) -> list[int | None]:
        """Groups lie side by side, the first one at the highest ways. One that meets no other in
        any cache has all ways; those that were its own are the last one's."""
        cache = machine.topology.rdt.l3
        if cache is None:
            return [None] * len(self.groups)
        alone = self._alone(machine)
        ways = [0 if group in alone else count for group, count in enumerate(self.ways)]
        left = [group for group in range(len(ways)) if group not in alone]
        if left:
            ways[left[-1]] += sum(self.ways) - sum(ways)
        found: list[int | None] = []
        top = cache.mask.bit_length()
        for group, count in enumerate(ways):
            top -= count
            found.append(cache.mask if group in alone else ((1 << count) - 1) << top)
        return found

    def _alone(self, machine: Machine) -> set[int]:
        """Groups that have every cache that they are at for themselves."""
        cores = machine.topology.cores
        taken = {core.first for own in self.cores.values() for core in own}
        at = [{core.llc for name in names for core in self.cores[name]} for names in self.groups]
        # Whatever is nobody's is in the default class, which is the last group's.
        at[-1] |= {core.llc for core in cores if core.first not in taken}
        return {
            group
            for group, own in enumerate(at)
            if not any(own & other for place, other in enumerate(at) if place != group)
        }

    def neighbours(self, machine: Machine, least: Sequence[int]) -> Iterator[Candidate]:
        """Candidates one step away: a way moved, or another bandwidth of one class."""
        if machine.topology.rdt.l3 is not None:
            for giver in range(len(self.ways)):
                for taker in range(len(self.ways)):
                    for count in (1, 3):
                        if giver != taker and self.ways[giver] - count >= least[giver]:
                            ways = list(self.ways)
                            ways[giver] -= count
                            ways[taker] += count
                            yield replace(self, ways=tuple(ways))
        if machine.topology.rdt.bandwidth is not None and len(self.groups) > 1:
            # The first group's is never limited: it is the one that the others are limited for.
            for group in range(1, len(self.groups)):
                for value in _BANDWIDTHS:
                    if value != self.bandwidth[group]:
                        shares_ = list(self.bandwidth)
                        shares_[group] = value
                        yield replace(self, bandwidth=tuple(shares_))


def _least(least: int, step: int) -> int:
    """The lowest multiple of the step that is allowed."""
    return -(-least // step) * step


def starts(machine: Machine, tenancy: Tenancy, cores: Sequence[Cores]) -> list[Candidate]:
    """Where the search begins: every grouping, with ways shared out by rank and evenly."""
    found = []
    for own in cores:
        for groups in _groupings(machine, tenancy):
            least = least_ways(machine, tenancy, groups)
            for favour in (3.0, 1.0):
                ways = _shared_out(machine, least, favour) if machine.topology.rdt.l3 else ()
                found.append(Candidate(own, groups, ways, (1.0,) * len(groups)))
    return found


def naive(machine: Machine, tenancy: Tenancy, cores: Cores) -> Candidate:
    """No division: one class, all ways, all bandwidth."""
    cache = machine.topology.rdt.l3
    ways = (cache.ways,) if cache is not None else ()
    return Candidate(cores, (tuple(t.name for t in tenancy.tenants),), ways, (1.0,))


def least_ways(
    machine: Machine, tenancy: Tenancy, groups: Sequence[Sequence[str]]
) -> tuple[int, ...]:
    """Fewest ways of each group. The first has those that cards write into and one more, so that
    nobody else's lines are pushed out by packets, nor packets by theirs."""
    cache = machine.topology.rdt.l3
    if cache is None:
        return (0,) * len(groups)
    found = [cache.least_bits] * len(groups)
    carries = any(tenancy.tenant(name).role == "dataplane" for name in groups[0])
    if carries and len(groups) > 1:
        room = cache.ways - sum(found[1:])
        found[0] = max(found[0], min(room, cache.shareable.bit_count() + 1))
    return tuple(found)


def _groupings(machine: Machine, tenancy: Tenancy) -> list[tuple[tuple[str, ...], ...]]:
    """Ways to put tenants into classes, as many as the machine has classes and ways for."""
    order = sorted(tenancy.tenants, key=lambda t: (t.rank, t.role != "dataplane"))
    cache = machine.topology.rdt.l3
    most = machine.topology.rdt.classes
    if cache is not None:
        most = min(most, cache.ways // cache.least_bits)
    found = []
    for key in (_by_rank, _by_role, _by_name):
        groups: dict[object, list[str]] = {}
        for tenant in order:
            groups.setdefault(key(tenant), []).append(tenant.name)
        rows = tuple(tuple(names) for names in groups.values())
        while len(rows) > max(1, most):  # the least important two share one
            rows = (*rows[:-2], rows[-2] + rows[-1])
        found.append(rows)
    return list(dict.fromkeys(found))


def _by_rank(tenant: Tenant) -> object:
    return tenant.rank if tenant.service is None else ("given", tenant.service)


def _by_role(tenant: Tenant) -> object:
    return (tenant.rank, tenant.role) if tenant.service is None else ("given", tenant.service)


def _by_name(tenant: Tenant) -> object:
    return tenant.name if tenant.service is None else ("given", tenant.service)


def _shared_out(machine: Machine, least: Sequence[int], favour: float) -> tuple[int, ...]:
    """All ways, each group its fewest and the rest in proportion; `favour` is the first's part."""
    cache = machine.topology.rdt.l3
    assert cache is not None
    ways = list(least)
    weights = [favour, *[1.0] * (len(least) - 1)]
    for _ in range(cache.ways - sum(ways)):
        poorest = min(range(len(ways)), key=lambda g: ways[g] / weights[g])
        ways[poorest] += 1
    return tuple(ways)
