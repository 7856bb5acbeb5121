"""Which cores are whose.

Cores are whole: a core's threads are one tenant's. Those that a tenants file names stay; the
others are chosen in the order of rank: a data plane's near the card, of clock priority, isolated
ones first; everybody else's where these are not, so that the data plane's cache is its own where
there is another.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from planecast.errors import InputError
from planecast.host.topology import Core
from planecast.partition.division import Share
from planecast.partition.machine import Machine
from planecast.partition.tenants import Tenancy, Tenant
from planecast.scenario.cpus import parse_cpus

Cores = dict[str, tuple[Core, ...]]


def naive_cores(machine: Machine, tenancy: Tenancy) -> Cores:
    """Cores by number, in the order of the file, whatever they are next to."""
    return _assign(machine, tenancy, tenancy.tenants, lambda tenant, taken, core: (core.first,))


def planned_cores(machine: Machine, tenancy: Tenancy, *, apart: bool) -> Cores:
    """Cores by what each is good for; `apart` keeps neighbours off the data plane's caches."""
    roles = {"dataplane": 0, "vm": 1, "control": 2, "neighbour": 3, "system": 4}
    order = sorted(tenancy.tenants, key=lambda t: (t.rank, roles[t.role]))
    near = machine.nic_nodes
    clocks = {"high": 0, "normal": 1, "low": 2}

    def merit(tenant: Tenant, taken: Cores, core: Core) -> tuple[int, ...]:
        ahead = [c for name, cores in taken.items() for c in cores if name != tenant.name]
        mates = {c.llc for c in taken.get(tenant.name, ())}
        settled = -int(core.llc in mates)
        if tenant.role == "dataplane":
            remote = int(bool(near) and core.node not in near)
            return (remote, clocks[core.frequency.priority], -core.isolated, settled, core.first)
        met = int(core.llc in {c.llc for c in ahead}) if apart else -int(core.node in near)
        return (met, settled, -clocks[core.frequency.priority], core.first)

    return _assign(machine, tenancy, order, merit)


def _assign(
    machine: Machine,
    tenancy: Tenancy,
    order: Sequence[Tenant],
    merit: Callable[[Tenant, Cores, Core], tuple[int, ...]],
) -> Cores:
    found: Cores = {t.name: _named(machine, t) for t in tenancy.tenants if t.cpus}
    free = {core.first: core for core in machine.topology.cores}
    for cores in found.values():
        for core in cores:
            free.pop(core.first, None)
    for tenant in order:
        if tenant.cpus:
            continue
        if tenant.cores > len(free):
            raise InputError(
                f"tenant {tenant.name} needs {tenant.cores} cores, {len(free)} are left of "
                f"{len(machine.topology.cores)}",
                tenancy.name,
                "ask for fewer, or plan for a larger machine",
            )
        own: list[Core] = []
        for _ in range(tenant.cores):
            taken = {**found, tenant.name: tuple(own)}
            best = min(free.values(), key=lambda core: merit(tenant, taken, core))
            own.append(free.pop(best.first))
        found[tenant.name] = tuple(own)
    return found


def _named(machine: Machine, tenant: Tenant) -> tuple[Core, ...]:
    found: dict[int, Core] = {}
    for cpu in parse_cpus(tenant.cpus or ""):
        core = machine.topology.core_of(cpu)
        if core is None:
            raise InputError(
                f"tenant {tenant.name} names CPU {cpu}, which is not online on "
                f"{machine.topology.model}",
                f"tenants.{tenant.name}.cpus",
                "see planecast partition topology",
            )
        found[core.first] = core
    return tuple(found.values())


def shares(tenancy: Tenancy, cores: Cores, service: Callable[[Tenant], int]) -> tuple[Share, ...]:
    """The tenants' shares, with a class for each."""
    return tuple(_share(tenant, cores[tenant.name], service(tenant)) for tenant in tenancy.tenants)


def _share(tenant: Tenant, cores: Iterable[Core], service: int) -> Share:
    own = tuple(cores)
    first = tuple(core.first for core in own)
    others = tuple(
        cpu for turn in range(1, 8) for core in own for cpu in core.threads[turn : turn + 1]
    )
    return Share(
        tenant=tenant.name,
        service=service,
        cores=first,
        siblings=others,
        busy=(*first, *others) if tenant.siblings == "busy" else first,
    )
