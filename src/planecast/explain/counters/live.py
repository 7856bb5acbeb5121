"""Live: what to count on this machine's CPUs, from what the machine is."""

from __future__ import annotations

from dataclasses import dataclass, replace

from planecast.errors import MissingError
from planecast.explain.counters.explain import Asked
from planecast.host.cpu_list import kernel_cpus
from planecast.host.cpus import sibling_lists
from planecast.host.root import Root
from planecast.instruments.perf import CountRequest, event_groups
from planecast.topdown import Definition, find_definition
from planecast.topdown.load import definition_of_family

_ROUNDS = 5


@dataclass(frozen=True)
class CountingPlan:
    """What is counted, and what it is explained with."""

    definition: Definition
    request: CountRequest
    asked: Asked


def counting_plan(
    cpus: tuple[int, ...], level: int, seconds: float, asked: Asked, root: Root | None = None
) -> CountingPlan:
    """Groups that fit this machine's counters, for its own definition or the one that is named.

    Raises InputError for an unknown name, MissingError for a processor without definition.
    """
    root = root or Root()
    definition = (
        find_definition(asked.architecture) if asked.architecture else host_definition(root)
    )
    smt = _siblings_counted(cpus, root) if asked.smt is None else asked.smt
    counters = definition.file.counters.get("smt" if _has_siblings(root) else "alone", 4)
    if root.number("proc/sys/kernel/nmi_watchdog"):
        counters -= 1  # it keeps one
    groups = event_groups(definition, level, smt, counters)
    known = replace(
        asked, architecture=definition.name, smt=smt, pps=None, packets=_packets(asked, seconds)
    )
    return CountingPlan(definition, CountRequest(cpus, groups, seconds, _ROUNDS), known)


def host_definition(root: Root) -> Definition:
    """The definition of this machine's processor. Raises MissingError when there is none."""
    families, models = root.cpuinfo("cpu family"), root.cpuinfo("model")
    found = None
    if families and models and families[0].isdigit() and models[0].isdigit():
        found = definition_of_family(int(families[0]), int(models[0]))
    if found is None:
        name = (root.cpuinfo("model name") or ["this processor"])[0]
        raise MissingError(
            f"no top-down definition is known for {name}",
            what_to_do="name the nearest one with --arch",
        )
    return found


def _packets(asked: Asked, seconds: float) -> float | None:
    return asked.pps * seconds if asked.pps is not None else asked.packets


def _siblings_counted(cpus: tuple[int, ...], root: Root) -> bool:
    """Whether both threads of a core are among `cpus`: then both are taken as busy."""
    return any(len(set(kernel_cpus(text)) & set(cpus)) > 1 for text in sibling_lists(root))


def _has_siblings(root: Root) -> bool:
    return any(len(kernel_cpus(text)) > 1 for text in sibling_lists(root))
