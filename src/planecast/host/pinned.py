"""What runs where: threads of programs that are bound to some of the CPUs.

A thread that may run anywhere has no placement to show, and the kernel's own threads are bound
by the hundred; both are left out.
"""

from __future__ import annotations

from dataclasses import dataclass

from planecast.host.cpu_list import kernel_cpus
from planecast.host.root import Root

_KTHREADD = "2"


@dataclass(frozen=True)
class PinnedTask:
    """Threads of one name that are bound to the same CPUs."""

    name: str
    cpus: tuple[int, ...]
    threads: int


def pinned_tasks(root: Root, online: tuple[int, ...]) -> tuple[PinnedTask, ...]:
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
