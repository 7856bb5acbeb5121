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
from planecast.host.record import drop_record
from planecast.host.root import Root
from planecast.host.topology import Topology
from planecast.partition.division import Division, Service, illegalities
from planecast.partition.export_commands import group_name
from planecast.partition.plan import Plan
from planecast.partition.record import Applied, GroupState, keep_applied, read_applied
from planecast.partition.resctrl_backend import Groups
from planecast.partition.schemata import parse_schemata, schemata_of
from planecast.scenario.cpus import format_cpus

HERE = Root()
"""The machine whose boots make a record stale."""


def apply(
    plan: Plan, topology: Topology, groups: Groups, state: Path, root: Root = HERE
) -> list[str]:
    """Applies a plan through resctrl or pqos, and checks it by reading back. Says what was done.

    Raises InputError for a plan that is refused (nothing is changed then), MissingError without
    the backend, RunError when it refuses: everything is as it was then, too.
    """
    groups.check()
    said = []
    if plan.fingerprint != topology.fingerprint:
        raise InputError(
            f"the plan is for another machine, {plan.machine}", plan.name, "plan for this one"
        )
    with groups.locked():
        found = read_applied(state, root)
        if found is not None and not found[1]:
            raise InputError(
                f"the plan {found[0].plan} is applied already, since {found[0].applied_at}",
                str(state),
                "undo it first: planecast partition --undo",
            )
        if found is not None:
            said.append(
                f"the record of {found[0].plan} is from before a reboot: it no longer applies"
            )
        for problem in (*illegalities(plan.division, topology), *_held(plan, topology, groups)):
            raise InputError(problem, plan.name, "nothing was changed")
        applied = _as_it_was(plan, groups)
        keep_applied(applied, state, root)
        try:
            _write(plan.division, topology, groups)
            _check(plan.division, topology, groups)
        except PlanecastError as error:
            _restore(applied, groups, state)
            raise RunError(
                f"{error.what}; everything was put back as it was", error.where, error.what_to_do
            ) from error
    made = ", ".join(applied.made) or "none"
    said.append(
        f"applied {plan.name} through {groups.backend}: groups {made}, read back as written"
    )
    said.append(f"what was there is in {state}; planecast partition --undo restores it")
    return said


def undo(groups: Groups, state: Path, root: Root = HERE) -> list[str]:
    """Restores what the record holds, and says what was done. Raises as `apply` does.

    `groups` are of the backend that the record names.
    """
    found = read_applied(state, root)
    if found is None:
        return ["nothing is applied: there is no record"]
    applied, stale = found
    if stale:
        drop_record(state)
        return [
            f"the record of {applied.plan} is from before a reboot, which undid the plan: "
            "there was nothing to restore, the record is removed"
        ]
    groups.check()
    with groups.locked():
        _restore(applied, groups, state)
    return [f"undone {applied.plan}: every group has its previous values"]


def _as_it_was(plan: Plan, groups: Groups) -> Applied:
    before = [
        GroupState(
            name=name,
            schemata=groups.read(name, "schemata"),
            cpus_list=groups.read(name, "cpus_list"),
        )
        for name in groups.groups()
    ]
    return Applied(
        plan=plan.name,
        fingerprint=plan.fingerprint,
        applied_at=datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ"),
        through=groups.backend,
        before=tuple(before),
        made=tuple(group_name(s) for s in plan.division.services if s.number),
    )


def _held(plan: Plan, topology: Topology, groups: Groups) -> Iterator[str]:
    """What other tools hold of what the plan wants."""
    division = plan.division
    wanted = {cpu for share in division.shares for cpu in share.threads}
    others = groups.taken()
    made = [group_name(service) for service in division.services if service.number]
    for name in set(others) & set(made):
        yield f"the group {name} exists already and belongs to another plan"
    for name in others:
        own = kernel_cpus(groups.read(name, "cpus_list"))
        for cpu in sorted(wanted.intersection(own)):
            yield f"CPU {cpu} is held by another tool's group {name}"
        if own:
            yield from _meets(name, own, division, topology, groups)
    free = topology.rdt.classes - len(others) - 1
    if len(made) > free:
        yield f"the plan needs {len(made)} classes in addition to the default one, {free} are free"


def _meets(
    name: str, own: tuple[int, ...], division: Division, topology: Topology, groups: Groups
) -> Iterator[str]:
    """Ways that a class would share with another tool's group in a cache where both have CPUs."""
    at = {core.llc for cpu in own if (core := topology.core_of(cpu)) is not None}
    masks = parse_schemata(groups.read(name, "schemata")).get("L3", {})
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


def _write(division: Division, topology: Topology, groups: Groups) -> None:
    """The default group last: until then whoever is nowhere else has what it had."""
    for service in sorted(division.services, key=lambda s: (s.number == 0, s.number)):
        place = _place(service)
        if service.number:
            groups.make(place)
        schemata = schemata_of(service, topology.rdt)
        if schemata.strip():
            groups.write(place, "schemata", schemata)
        cpus = division.cpus_of(service.number)
        if service.number and cpus:
            groups.write(place, "cpus_list", format_cpus(cpus) + "\n")


def _check(division: Division, topology: Topology, groups: Groups) -> None:
    """Raises RunError when the kernel has taken something else than was written."""
    for service in division.services:
        place = _place(service)
        wanted = parse_schemata(schemata_of(service, topology.rdt))
        found = parse_schemata(groups.read(place, "schemata"))
        for resource, values in wanted.items():
            if found.get(resource) != values:
                raise RunError(
                    f"class {service.number}: {resource} reads back as "
                    f"{found.get(resource)}, not {values}",
                    groups.place(place, "schemata"),
                )
        cpus = division.cpus_of(service.number)
        if service.number and kernel_cpus(groups.read(place, "cpus_list")) != cpus:
            raise RunError(
                f"class {service.number}: its CPUs read back as "
                f"{groups.read(place, 'cpus_list').strip()}, not {format_cpus(cpus)}",
                groups.place(place, "cpus_list"),
            )


def _restore(applied: Applied, groups: Groups, state: Path) -> None:
    """Everything as the record holds it; the record goes when it reads back so."""
    for name in applied.made:  # nobody's before: a plan that wants one of another's is refused
        groups.remove(name)
    there = set(groups.groups())
    for group in applied.before:
        if group.name in there and groups.read(group.name, "schemata") != group.schemata:
            groups.write(group.name, "schemata", group.schemata)
    for group in applied.before:
        for name, text in (("schemata", group.schemata), ("cpus_list", group.cpus_list)):
            if group.name in there and groups.read(group.name, name) != text:
                raise RunError(
                    f"reads {groups.read(group.name, name)!r}, and was {text!r} before the plan",
                    groups.place(group.name, name),
                    f"another tool has changed it since; the record stays in {state}",
                )
    drop_record(state)
