"""Time on CPU of the programs that we started: what a polling thread took of its core.

A thread that polls is always busy, so wall time would do; but a hypervisor, an interrupt or a
neighbour takes the core away now and then, and that is no cost of a packet. ``schedstat`` has the
nanoseconds that a thread ran (proc(5); kernel documentation, sched-stats).
"""

from __future__ import annotations

import os
from collections import defaultdict
from collections.abc import Collection, Iterator
from contextlib import suppress
from pathlib import Path

_PROC = Path("/proc")
_PARENT_FIELD, _PROCESSOR_FIELD = 1, 36
"""Among the fields that follow the name in /proc/PID/stat: fields 4 and 39 of proc(5)."""


def busy_ns(cpus: Collection[int], proc: Path = _PROC, root: int | None = None) -> dict[int, int]:
    """Nanoseconds that each thread has run, by its number: of all descendants of `root` (ourselves
    by default) whose threads were last seen on one of these CPUs."""
    found = {}
    for pid in _descendants(proc, os.getpid() if root is None else root):
        for thread in _entries(proc / str(pid) / "task"):
            fields = _fields(thread)
            if len(fields) > _PROCESSOR_FIELD and int(fields[_PROCESSOR_FIELD]) in cpus:
                with suppress(OSError, ValueError, IndexError):
                    found[int(thread.name)] = int((thread / "schedstat").read_text().split()[0])
    return found


def ran_ns(before: dict[int, int], after: dict[int, int]) -> int:
    """Nanoseconds between two looks, of the threads that are in both."""
    return sum(after[thread] - since for thread, since in before.items() if thread in after)


def _descendants(proc: Path, root: int) -> set[int]:
    children: dict[int, list[int]] = defaultdict(list)
    for entry in _entries(proc):
        if entry.name.isdigit():
            fields = _fields(entry)
            if len(fields) > _PARENT_FIELD:
                children[int(fields[_PARENT_FIELD])].append(int(entry.name))
    found: set[int] = set()
    waiting = [root]
    while waiting:
        for child in children[waiting.pop()]:
            found.add(child)
            waiting.append(child)
    return found


def _entries(folder: Path) -> Iterator[Path]:
    with suppress(OSError):
        yield from folder.iterdir()


def _fields(folder: Path) -> list[str]:
    """Of ``stat``, from the state on: a name may have blanks and brackets in it."""
    with suppress(OSError):
        return (folder / "stat").read_text(errors="replace").rpartition(")")[2].split()
    return []
