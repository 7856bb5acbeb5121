"""What a person calls the machine's topology: sockets, nodes, cache domains, cores, threads.

Read from sysfs alone, so a recorded tree answers as the live machine does.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable
from dataclasses import asdict, dataclass

from planecast.host.cpu_list import cpus_of, kernel_cpus
from planecast.host.frequency import Frequency, frequency_of
from planecast.host.nics import Nic, nics
from planecast.host.rdt import Rdt, read_rdt
from planecast.host.root import Root

_CPU = "sys/devices/system/cpu"
_KTHREADD = "2"


@dataclass(frozen=True)
class PinnedTask:
    """Threads of one name that are bound to the same CPUs. Those of the kernel are left out."""

    name: str
    cpus: tuple[int, ...]
    threads: int


@dataclass(frozen=True)
class Core:
    """A physical core: what its hardware threads share."""

    threads: tuple[int, ...]
    """Its CPUs, ascending; the first one names the core."""
    socket: int
    node: int
    llc: int
    """Number of its last-level cache, as the kernel and resctrl number it."""
    frequency: Frequency
    isolated: bool
    """The scheduler leaves all its threads alone."""

    @property
    def first(self) -> int:
        """The CPU that names the core."""
        return self.threads[0]


@dataclass(frozen=True)
class CacheDomain:
    """A last-level cache and who shares it."""

    number: int
    size_bytes: int
    ways: int
    """Ways of associativity; 0 when the kernel doesn't report."""
    cpus: tuple[int, ...]


@dataclass(frozen=True)
class Node:
    """A NUMA node."""

    number: int
    cpus: tuple[int, ...]
    memory_bytes: int


@dataclass(frozen=True)
class Topology:
    """A machine as the partition sees it."""

    model: str
    """The CPU's model name."""
    cores: tuple[Core, ...]
    caches: tuple[CacheDomain, ...]
    """Last-level caches, by number."""
    nodes: tuple[Node, ...]
    nics: tuple[Nic, ...]
    rdt: Rdt
    pinned: tuple[PinnedTask, ...]
    """Threads that somebody has bound to some CPUs: what runs where."""

    @property
    def sockets(self) -> tuple[int, ...]:
        """Numbers of the sockets."""
        return tuple(sorted({core.socket for core in self.cores}))

    @property
    def threads(self) -> tuple[int, ...]:
        """Every CPU that is online."""
        return tuple(sorted(cpu for core in self.cores for cpu in core.threads))

    def core_of(self, cpu: int) -> Core | None:
        """The core that a CPU belongs to; None when it isn't online here."""
        return next((core for core in self.cores if cpu in core.threads), None)

    def classes(self) -> tuple[str, ...]:
        """The frequency classes there are: ``normal`` alone, or ``high`` and ``low``."""
        return tuple(sorted({core.frequency.priority for core in self.cores}))

    @property
    def fingerprint(self) -> str:
        """What a plan is for: changes with cores, siblings, caches and what RDT offers."""
        caches = [asdict(cache) for cache in self.caches]
        cores = [(core.threads, core.socket, core.node, core.llc) for core in self.cores]
        text = repr((self.model, cores, caches, self.rdt.offer()))
        return hashlib.sha256(text.encode()).hexdigest()[:16]


def read_topology(root: Root) -> Topology:
    """The topology of the machine under `root`. What the kernel doesn't report counts as one."""
    online = cpus_of(root, f"{_CPU}/online") or tuple(range(len(root.cpuinfo("processor"))))
    isolated = set(cpus_of(root, f"{_CPU}/isolated"))
    nodes = _nodes(root, online)
    caches = _caches(root, online)
    node_of = {cpu: node.number for node in nodes for cpu in node.cpus}
    llc_of = {cpu: cache.number for cache in caches for cpu in cache.cpus}
    frequency = frequency_of(root, online)
    cores = [
        Core(
            threads=threads,
            socket=max(0, root.number(f"{_CPU}/cpu{threads[0]}/topology/physical_package_id") or 0),
            node=node_of.get(threads[0], 0),
            llc=llc_of.get(threads[0], 0),
            frequency=frequency[threads[0]],
            isolated=isolated.issuperset(threads),
        )
        for threads in _groups(online, lambda cpu: _siblings(root, cpu))
    ]
    return Topology(
        model=(root.cpuinfo("model name") or ["CPU of unknown model"])[0],
        cores=tuple(cores),
        caches=caches,
        nodes=nodes,
        nics=nics(root),
        rdt=read_rdt(root),
        pinned=_pinned_tasks(root, online),
    )


def _siblings(root: Root, cpu: int) -> tuple[int, ...]:
    return cpus_of(root, f"{_CPU}/cpu{cpu}/topology/thread_siblings_list")


def _groups(
    online: Iterable[int], members: Callable[[int], tuple[int, ...]]
) -> list[tuple[int, ...]]:
    """CPUs in groups, each CPU in one, by what the kernel says belongs together."""
    rest = dict.fromkeys(online)
    found = []
    while rest:
        first = next(iter(rest))
        group = tuple(cpu for cpu in sorted({first, *members(first)}) if cpu in rest)
        found.append(group)
        for cpu in group:
            del rest[cpu]
    return found


def _caches(root: Root, online: tuple[int, ...]) -> tuple[CacheDomain, ...]:
    """The caches of the highest level, by the kernel's own numbers."""
    indexes = root.paths(f"{_CPU}/cpu{online[0] if online else 0}/cache/index[0-9]*")
    levels = {path.name: root.number(_name(root, path / "level")) or 0 for path in indexes}
    if not levels:
        return (CacheDomain(0, 0, 0, online),)
    last = max(levels, key=lambda name: levels[name])
    found = []
    domains = _groups(online, lambda cpu: cpus_of(root, _index(cpu, last) + "/shared_cpu_list"))
    for order, cpus in enumerate(domains):
        index = _index(cpus[0], last)
        number = root.number(f"{index}/id")
        found.append(
            CacheDomain(
                number=order if number is None else number,
                size_bytes=_size_bytes(root.text(f"{index}/size")),
                ways=root.number(f"{index}/ways_of_associativity") or 0,
                cpus=cpus,
            )
        )
    return tuple(sorted(found, key=lambda cache: cache.number))


def _index(cpu: int, name: str) -> str:
    return f"{_CPU}/cpu{cpu}/cache/{name}"


def _name(root: Root, path: object) -> str:
    return str(path).removeprefix(str(root.path)).lstrip("/")


def _size_bytes(text: str) -> int:
    """``28160K`` in bytes; 0 for what is no size."""
    number, unit = text[:-1], text[-1:]
    shift = {"K": 10, "M": 20, "G": 30}.get(unit)
    if shift is None:
        return int(text) if text.isdecimal() else 0
    return int(number) << shift if number.isdecimal() else 0


def _nodes(root: Root, online: tuple[int, ...]) -> tuple[Node, ...]:
    found = []
    for path in root.paths("sys/devices/system/node/node[0-9]*"):
        name = _name(root, path)
        total = next(
            (
                line.split()
                for line in root.text(f"{name}/meminfo").splitlines()
                if "MemTotal" in line
            ),
            [],
        )
        found.append(
            Node(
                number=int(path.name.removeprefix("node")),
                cpus=tuple(c for c in cpus_of(root, f"{name}/cpulist") if c in online),
                memory_bytes=int(total[3]) << 10 if len(total) > 3 and total[3].isdecimal() else 0,
            )
        )
    return tuple(sorted(found, key=lambda node: node.number)) or (Node(0, online, 0),)


def _pinned_tasks(root: Root, online: tuple[int, ...]) -> tuple[PinnedTask, ...]:
    """Bound threads, by CPUs and name."""
    found: dict[tuple[tuple[int, ...], str], int] = {}
    everywhere = set(online)
    for path in root.paths("proc/[0-9]*/task/[0-9]*/status"):
        text = root.text(str(path).removeprefix(str(root.path)).lstrip("/"))
        fields = dict(line.partition(":")[::2] for line in text.splitlines())
        if _KTHREADD in (fields.get("PPid", "").strip(), fields.get("Pid", "").strip()):
            continue
        cpus = tuple(c for c in kernel_cpus(fields.get("Cpus_allowed_list", "")) if c in everywhere)
        if cpus and set(cpus) != everywhere:
            key = (cpus, fields.get("Name", "").strip())
            found[key] = found.get(key, 0) + 1
    return tuple(PinnedTask(name, cpus, count) for (cpus, name), count in sorted(found.items()))
