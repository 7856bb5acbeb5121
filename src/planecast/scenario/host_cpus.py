"""On which CPUs of this machine a scenario is measured."""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache
from itertools import count, islice

from planecast.errors import InputError
from planecast.host.cpu_list import cpus_of
from planecast.host.lcore_order import lcore_order
from planecast.host.root import Root
from planecast.scenario.cpus import format_cpus, parse_cpus
from planecast.scenario.points import value_if_any
from planecast.scenario.scenario import Scenario


def cpus_here(scenario: Scenario, order: tuple[int, ...] | None = None) -> tuple[int, ...]:
    """The CPUs of the lcores, ascending: the first of those that the scenario names, else the first
    in `order` (by default `lcore_order` of this machine) but for the neighbour's.

    Raises InputError for more lcores than the machine lends CPUs.
    """
    lcores = scenario.placement.lcores
    if scenario.placement.cpus is not None:
        return parse_cpus(scenario.placement.cpus)[:lcores]
    neighbour = scenario.neighbour.cpu if scenario.neighbour.busy else None
    lent = [cpu for cpu in (_order() if order is None else order) if cpu != neighbour]
    if lcores > len(lent):
        cpus = "CPU" if len(lent) == 1 else "CPUs"
        raise InputError(
            f"{lcores} lcores can't forward here: this process may use {len(lent)} {cpus}",
            "placement.lcores",
            f"take {len(lent)} or fewer",
        )
    return tuple(sorted(lent[:lcores]))


def neighbour_cpus(scenario: Scenario, order: tuple[int, ...] | None = None) -> tuple[int, ...]:
    """The neighbours' CPUs: as many as there are neighbours, of those that don't forward, from the
    one that is named or the first on. Raises InputError as `cpus_here` does."""
    if not scenario.neighbour.busy:
        return ()
    taken = cpus_here(scenario, order)
    free = (cpu for cpu in count(scenario.neighbour.cpu or 0) if cpu not in taken)
    return tuple(islice(free, scenario.neighbour.cores))


def refuse_offline(
    cpus: Iterable[int], root: Root | None = None, key: str = "placement.cpus"
) -> None:
    """Raises InputError for CPUs that the kernel of this machine does not list as online; where it
    lists none, for none. `key` is what names them."""
    there = cpus_of(root or Root(), "sys/devices/system/cpu/online")
    absent = [cpu for cpu in cpus if cpu not in there]
    if there and absent:
        raise InputError(
            f"there is no CPU {format_cpus(absent)} on this machine",
            key,
            f"take some of {format_cpus(there)}",
        )


def refuse_absent(scenario: Scenario, root: Root | None = None) -> None:
    """Raises InputError for a scenario with a CPU that is not on this machine: of what forwards
    here, and of its neighbours. CPUs of a data plane on another host are that host's, and those of
    one that is there already are its own."""
    elsewhere = value_if_any(scenario, "dataplane.host") is not None
    if not elsewhere and scenario.dataplane.kind != "external":
        refuse_offline(cpus_here(scenario), root)
    if scenario.neighbour.busy:
        named = scenario.neighbour.cpu is not None
        key = "neighbour.cpu" if named else "neighbour.cores"
        refuse_offline(neighbour_cpus(scenario), root, key)


@lru_cache(maxsize=1)
def _order() -> tuple[int, ...]:
    return lcore_order(Root())
