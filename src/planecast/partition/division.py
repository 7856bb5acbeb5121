"""A division of the machine: which cores are whose, in which class, with which ways and bandwidth.

What makes one legal are the kernel's rules (Documentation/arch/x86/resctrl.rst) and our own: a
core's threads are one tenant's, and classes that meet in a cache share ways only when asked to.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Annotated

from pydantic import BeforeValidator

from planecast.host.rdt import BandwidthAllocation, CacheAllocation
from planecast.host.topology import Topology
from planecast.scenario.model import Noun, listed

Integers = Annotated[tuple[int, ...], BeforeValidator(listed)]


class Service(Noun):
    """A class of service."""

    number: int
    """0 is the default class: whatever is in no other."""
    l3: int | None
    """Mask of its ways; None where ways can't be given."""
    bandwidth: int | None
    """In the machine's unit; None where it can't be limited."""
    overlap: bool = False
    """Its ways may be others' as well."""


class Share(Noun):
    """A tenant's cores."""

    tenant: str
    service: int
    """Number of its class."""
    cores: Integers
    """First threads, in the order that they were given or chosen."""
    siblings: Integers
    """The cores' other threads, in the same order."""
    busy: Integers
    """Threads that it runs on."""

    @property
    def threads(self) -> tuple[int, ...]:
        """All CPUs that are its own."""
        return (*self.cores, *self.siblings)


class Division(Noun):
    """Classes and shares."""

    services: Annotated[tuple[Service, ...], BeforeValidator(listed)]
    """By number."""
    shares: Annotated[tuple[Share, ...], BeforeValidator(listed)]

    def service(self, number: int) -> Service:
        """The class of this number."""
        return next(service for service in self.services if service.number == number)

    def service_of(self, tenant: str) -> Service:
        """The class that a tenant is in."""
        return self.service(self.share(tenant).service)

    def share(self, tenant: str) -> Share:
        """A tenant's share."""
        return next(share for share in self.shares if share.tenant == tenant)

    def cpus_of(self, number: int) -> tuple[int, ...]:
        """CPUs of a class, ascending."""
        return tuple(
            sorted(c for share in self.shares if share.service == number for c in share.threads)
        )


def illegalities(division: Division, topology: Topology) -> Iterator[str]:
    """Everything that makes the division impossible or wrong on this machine, as sentences."""
    yield from _cores(division, topology)
    rdt = topology.rdt
    if len(division.services) > max(1, rdt.classes):
        yield f"{len(division.services)} classes are wanted, the machine has {rdt.classes}"
    for service in division.services:
        yield from _mask(service, rdt.l3)
        yield from _bandwidth(service, rdt.bandwidth)
    yield from _overlaps(division, topology)


def _cores(division: Division, topology: Topology) -> Iterator[str]:
    owner: dict[int, str] = {}
    for share in division.shares:
        for cpu in share.threads:
            core = topology.core_of(cpu)
            if core is None:
                yield f"{share.tenant}: CPU {cpu} is not online"
            elif not set(core.threads) <= set(share.threads):
                yield f"{share.tenant}: CPU {cpu} without its siblings {core.threads}"
            if owner.setdefault(cpu, share.tenant) != share.tenant:
                yield f"CPU {cpu} is {owner[cpu]}'s and {share.tenant}'s"


def _mask(service: Service, cache: CacheAllocation | None) -> Iterator[str]:
    name = f"class {service.number}"
    if cache is None:
        if service.l3 is not None:
            yield f"{name} wants ways, which this machine can't give"
        return
    mask = service.l3
    if mask is None or mask == 0 or mask & ~cache.mask:
        yield f"{name}: the mask {mask or 0:#x} is not within {cache.mask:#x}"
        return
    if mask.bit_count() < cache.least_bits:
        yield f"{name}: {mask:#x} has fewer than {cache.least_bits} ways"
    if not cache.sparse and not contiguous(mask):
        yield f"{name}: the ways of {mask:#x} are not contiguous"


def contiguous(mask: int) -> bool:
    """Whether the ones of a mask stand together."""
    low = mask & -mask
    return mask != 0 and (mask + low) & mask == 0


def _bandwidth(service: Service, band: BandwidthAllocation | None) -> Iterator[str]:
    name = f"class {service.number}"
    if band is None:
        if service.bandwidth is not None:
            yield f"{name} wants a share of bandwidth, which this machine can't limit"
        return
    value = service.bandwidth
    if value is None or not band.least <= value <= band.most:
        yield f"{name}: bandwidth {value} is not from {band.least} to {band.most}"
    elif value != band.most and value % band.step:
        yield f"{name}: bandwidth {value} is not a multiple of {band.step}"


def _overlaps(division: Division, topology: Topology) -> Iterator[str]:
    """Classes whose ways meet in a cache that both have cores at."""
    at: dict[int, set[int]] = {service.number: set() for service in division.services}
    owned = set()
    for share in division.shares:
        for cpu in share.threads:
            core = topology.core_of(cpu)
            owned.add(cpu)
            if core is not None and share.service in at:
                at[share.service].add(core.llc)
    if 0 in at:  # whatever is nobody's is in the default class
        at[0] |= {core.llc for core in topology.cores if not owned.issuperset(core.threads)}
    for i, one in enumerate(division.services):
        for other in division.services[i + 1 :]:
            meet = sorted(at[one.number] & at[other.number])
            both = (one.l3 or 0) & (other.l3 or 0)
            if both and meet and not (one.overlap or other.overlap):
                yield (
                    f"classes {one.number} and {other.number} both have the ways {both:#x} of "
                    f"cache {meet[0]}; say overlap: true in one of them if that is wanted"
                )
