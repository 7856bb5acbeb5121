"""Applying a plan and undoing it.

The order makes every moment recoverable: the record of what was there is on the disk before the
first change and goes after the last one was restored. Undoing restores whatever the record holds,
however far applying (or an earlier undoing) had come, and reads everything back.
"""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

from planecast.errors import InputError, PlanecastError, RunError
from planecast.host.cpu_list import kernel_cpus
from planecast.host.topology import Topology
from planecast.partition.division import Division, Service, illegalities
from planecast.partition.plan import Plan
from planecast.partition.record import (
    GroupState,
    Record,
    boot_id,
    read_record,
    remove_record,
    write_record,
)
from planecast.partition.resctrl import Tree
from planecast.partition.schemata import parse_schemata, schemata_of
from planecast.partition.show import group_name
from planecast.scenario.cpus import format_cpus


def apply(plan: Plan, topology: Topology, tree: Tree, state: Path) -> list[str]:
    """Applies a plan through resctrl, and checks it by reading back. Says what was done.

    Raises InputError for a plan that is refused (nothing is changed then), MissingError without
    resctrl, RunError when the kernel refuses: everything is as it was then, too.
    """
    tree.check()
    said = []
    if plan.fingerprint != topology.fingerprint:
        raise InputError(
            f"the plan is for another machine, {plan.machine}", plan.name, "plan for this one"
        )
    with tree.locked():
        stale = read_record(state)
        if stale is not None and not _stale(stale):
            raise InputError(
                f"the plan {stale.plan} is applied already, since {stale.applied_at}",
                str(state),
                "undo it first: planecast partition --undo",
            )
        if stale is not None:
            said.append(f"the record of {stale.plan} was from before a reboot: nothing of it holds")
        for problem in (*illegalities(plan.division, topology), *_held(plan, topology, tree)):
            raise InputError(problem, plan.name, "nothing was changed")
        write_record(_record(plan, tree), state)
        try:
            _write(plan.division, topology, tree)
            _check(plan.division, topology, tree)
        except PlanecastError as error:
            _restore(tree, state)
            raise RunError(
                f"{error.what}; everything was put back as it was", error.where, error.what_to_do
            ) from error
    groups = [group_name(service) for service in plan.division.services if service.number]
    said.append(f"applied {plan.name}: groups {', '.join(groups) or 'none'}, read back as written")
    said.append(f"what was there is in {state}; planecast partition --undo restores it")
    return said


def undo(tree: Tree, state: Path) -> list[str]:
    """Restores what the record holds, and says what was done. Raises as `apply` does."""
    record = read_record(state)
    if record is None:
        return ["nothing is applied: there is no record"]
    if _stale(record):
        remove_record(state)
        return [
            f"the record of {record.plan} is from before a reboot, which undid the plan: "
            "there was nothing to restore, the record is removed"
        ]
    tree.check()
    with tree.locked():
        _restore(tree, state)
    return [f"undone {record.plan}: every group reads as it did before"]


def _stale(record: Record) -> bool:
    now = boot_id()
    return bool(now) and record.boot_id != now


def _record(plan: Plan, tree: Tree) -> Record:
    before = [
        GroupState(
            name=name,
            schemata=tree.read(name, "schemata"),
            cpus_list=tree.read(name, "cpus_list"),
        )
        for name in tree.groups()
    ]
    return Record(
        plan=plan.name,
        fingerprint=plan.fingerprint,
        boot_id=boot_id(),
        applied_at=datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ"),
        before=tuple(before),
        made=tuple(group_name(s) for s in plan.division.services if s.number),
    )


def _held(plan: Plan, topology: Topology, tree: Tree) -> Iterator[str]:
    """What other tools hold of what the plan wants."""
    division = plan.division
    wanted = {cpu for share in division.shares for cpu in share.threads}
    others = [name for name in tree.groups() if name]
    made = [group_name(service) for service in division.services if service.number]
    for name in set(others) & set(made):
        yield f"the group {name} is there already, from somebody else's plan"
    for name in others:
        own = kernel_cpus(tree.read(name, "cpus_list"))
        for cpu in sorted(wanted.intersection(own)):
            yield f"CPU {cpu} is held by another tool's group {name}"
        if own:
            yield from _meets(name, own, division, topology, tree)
    free = topology.rdt.classes - len(others) - 1
    if len(made) > free:
        yield f"the plan needs {len(made)} classes beside the default one, {free} are free"


def _meets(
    name: str, own: tuple[int, ...], division: Division, topology: Topology, tree: Tree
) -> Iterator[str]:
    """Ways that a class would share with another tool's group in a cache where both have CPUs."""
    at = {core.llc for cpu in own if (core := topology.core_of(cpu)) is not None}
    masks = parse_schemata(tree.read(name, "schemata")).get("L3", {})
    for service in division.services:
        cpus = division.cpus_of(service.number)
        here = {core.llc for cpu in cpus if (core := topology.core_of(cpu)) is not None}
        for domain in sorted(at & here):
            both = masks.get(domain, 0) & (service.l3 or 0)
            if both and not service.overlap:
                yield (
                    f"class {service.number} would share the ways {both:#x} of cache {domain} "
                    f"with another tool's group {name}"
                )


def _place(service: Service) -> str:
    return group_name(service) if service.number else ""


def _write(division: Division, topology: Topology, tree: Tree) -> None:
    """The default group last: until then whoever is nowhere else has what it had."""
    for service in sorted(division.services, key=lambda s: (s.number == 0, s.number)):
        place = _place(service)
        if service.number:
            tree.make(place)
        schemata = schemata_of(service, topology.rdt)
        if schemata.strip():
            tree.write(place, "schemata", schemata)
        cpus = division.cpus_of(service.number)
        if service.number and cpus:
            tree.write(place, "cpus_list", format_cpus(cpus) + "\n")


def _check(division: Division, topology: Topology, tree: Tree) -> None:
    """Raises RunError when the kernel has taken something else than was written."""
    for service in division.services:
        place = _place(service)
        wanted = parse_schemata(schemata_of(service, topology.rdt))
        found = parse_schemata(tree.read(place, "schemata"))
        for resource, values in wanted.items():
            if found.get(resource) != values:
                raise RunError(
                    f"class {service.number}: {resource} reads back as "
                    f"{found.get(resource)}, not {values}",
                    str(tree.path / place / "schemata"),
                )
        cpus = division.cpus_of(service.number)
        if service.number and kernel_cpus(tree.read(place, "cpus_list")) != cpus:
            raise RunError(
                f"class {service.number}: its CPUs read back as "
                f"{tree.read(place, 'cpus_list').strip()}, not {format_cpus(cpus)}",
                str(tree.path / place / "cpus_list"),
            )


def _restore(tree: Tree, state: Path) -> None:
    """Everything as the record holds it; the record goes when it reads back so."""
    record = read_record(state)
    if record is None:
        return
    before = {group.name for group in record.before}
    for name in record.made:
        if name not in before:
            tree.remove(name)
    there = set(tree.groups())
    for group in record.before:
        if group.name in there and tree.read(group.name, "schemata") != group.schemata:
            tree.write(group.name, "schemata", group.schemata)
    for group in record.before:
        for name, text in (("schemata", group.schemata), ("cpus_list", group.cpus_list)):
            if group.name in there and tree.read(group.name, name) != text:
                raise RunError(
                    f"reads {tree.read(group.name, name)!r}, and was {text!r} before the plan",
                    str(tree.path / group.name / name),
                    f"another tool has changed it since; the record stays in {state}",
                )
    remove_record(state)
