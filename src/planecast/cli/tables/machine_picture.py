"""A machine as a picture of lines: who shares what is indented under what they share.

A core stands as its threads joined by ``/``. Marks behind it: ``^`` a core with clock priority,
``_`` one that pays for it, ``!`` isolated.
"""

from __future__ import annotations

from collections.abc import Iterator

from planecast.host.nics import Nic
from planecast.host.rdt import CacheAllocation, Rdt
from planecast.host.topology import CacheDomain, Core, Topology
from planecast.scenario.cpus import format_cpus

_ACROSS = 10
_MARKS = {"high": "^", "low": "_", "normal": ""}


def picture(machine: Topology) -> Iterator[str]:
    """The lines of the picture."""
    threads = len(machine.threads)
    yield (
        f"{machine.model}: {_count(len(machine.sockets), 'socket')}, "
        f"{_count(len(machine.cores), 'core')}, {_count(threads, 'thread')}"
    )
    for socket in machine.sockets:
        yield from _socket(machine, socket)
    yield ""
    yield from remarks(machine)


def remarks(machine: Topology) -> Iterator[str]:
    """What no picture shows: clocks, what is isolated or bound, what can be divided."""
    yield from _clocks(machine)
    isolated = [cpu for core in machine.cores if core.isolated for cpu in core.threads]
    yield f"isolated: {format_cpus(isolated) or 'no CPU'}"
    for nic in machine.nics:
        if nic.node is None:
            yield _nic(nic) + ", next to no node in particular"
    yield from _rdt(machine.rdt)
    for task in machine.pinned:
        yield f"bound: {task.name} ({_count(task.threads, 'thread')}) on {format_cpus(task.cpus)}"


def _socket(machine: Topology, socket: int) -> Iterator[str]:
    cores = [core for core in machine.cores if core.socket == socket]
    yield ""
    yield f"socket {socket}"
    for node in machine.nodes:
        here = [core for core in cores if core.node == node.number]
        if not here:
            continue
        memory = f", {node.memory_bytes / 2**30:.0f} GiB" if node.memory_bytes else ""
        yield f"  node {node.number}{memory}"
        for nic in machine.nics:
            if nic.node == node.number:
                yield "    " + _nic(nic)
        for cache in machine.caches:
            within = [core for core in here if core.llc == cache.number]
            if within:
                yield "    " + _cache(cache, machine.rdt.l3)
                yield from _cores(within)


def _cache(cache: CacheDomain, given: CacheAllocation | None) -> str:
    ways = given.ways if given is not None else cache.ways
    size = f"{cache.size_bytes / 2**20:g} MiB" if cache.size_bytes else "of unknown size"
    return f"L3 {cache.number}: {size}" + (f", {ways} ways" if ways else "")


def _cores(cores: list[Core]) -> Iterator[str]:
    cells = [
        "/".join(map(str, core.threads))
        + _MARKS[core.frequency.priority]
        + ("!" if core.isolated else "")
        for core in cores
    ]
    width = max(len(cell) for cell in cells)
    for start in range(0, len(cells), _ACROSS):
        row = cells[start : start + _ACROSS]
        yield "      " + "  ".join(cell.ljust(width) for cell in row).rstrip()


def _clocks(machine: Topology) -> Iterator[str]:
    by_clock: dict[tuple[str, int, int], list[int]] = {}
    for core in machine.cores:
        clock = core.frequency
        by_clock.setdefault((clock.priority, clock.base_mhz, clock.most_mhz), []).extend(
            core.threads
        )
    for (priority, base, most), cpus in sorted(by_clock.items()):
        if not base and not most:
            yield "clocks: the kernel reports none (no cpufreq)"
            continue
        base_clock = f"base {base} MHz" if base else "base not reported"
        mark = f" ({_MARKS[priority]})" if _MARKS[priority] else ""
        turbo = f", up to {most} MHz" if most else ""
        yield f"clock {priority}{mark}: {base_clock}{turbo}: {format_cpus(cpus)}"
    if machine.cores[0].frequency.turbo:
        yield "turbo: on, so clocks depend on how many cores are busy"


def _nic(nic: Nic) -> str:
    names = " ".join(nic.interfaces)
    speed = f", {nic.speed_mbps / 1000:g} Gbit/s" if nic.speed_mbps else ""
    return f"NIC {nic.address} {names or 'no interface'} ({nic.driver or 'no driver'}){speed}"


def _rdt(rdt: Rdt) -> Iterator[str]:
    if not rdt.mounted:
        has = ", ".join(rdt.supported)
        yield (
            f"to divide: {has}; mount it: mount -t resctrl resctrl /sys/fs/resctrl"
            if has
            else "to divide: nothing (the CPU shows no cache or bandwidth allocation)"
        )
        return
    for cache in rdt.caches:
        gaps = ", masks may have gaps" if cache.sparse else ""
        shared = f", {cache.shareable:#x} shared with I/O (DDIO)" if cache.shareable else ""
        yield (
            f"to divide: {cache.resource} ways {cache.mask:#x} among {cache.classes} classes, "
            f"at least {_count(cache.least_bits, 'way')} each{shared}{gaps}"
        )
    if rdt.bandwidth is not None:
        band = rdt.bandwidth
        yield (
            f"to divide: memory bandwidth, {band.least} to {band.most} in steps of {band.step} "
            f"({band.unit}) among {band.classes} classes"
        )
    if rdt.monitoring:
        yield f"to watch: {', '.join(rdt.monitoring)} of {rdt.rmids} groups"
    for group in rdt.groups:
        if group.name:
            yield f"group {group.name}: CPUs {format_cpus(group.cpus) or 'none'}, {group.mode}"


def _count(number: int, thing: str) -> str:
    return f"{number} {thing}" + ("" if number == 1 else "s")
