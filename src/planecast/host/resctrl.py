"""resctrl's counters: what each class holds of the last-level cache and takes of memory bandwidth.

The kernel shows a folder a domain under each class's ``mon_data``: ``llc_occupancy`` in bytes now,
``mbm_total_bytes`` and ``mbm_local_bytes`` since the class was made. Two readings give rates.
Source: the kernel's Documentation/filesystems/resctrl.rst.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from planecast.errors import MissingError
from planecast.host.root import Root

_HERE = "sys/fs/resctrl"
_NAMED = 4
_NOT_CLASSES = {"info", "mon_data", "mon_groups"}


@dataclass(frozen=True)
class ClassReading:
    """What one class's counters said in one domain."""

    name: str
    """The class's folder; ``default`` for the root's; ``class/group`` for a monitoring group."""
    domain: int
    """Number of the last-level cache."""
    occupancy_bytes: int | None
    """Bytes of the cache that it holds; None when the kernel can't say (Unavailable)."""
    total_bytes: int | None
    """Bytes from and to memory since the class was made."""
    local_bytes: int | None
    """The same of the own socket's memory."""


@dataclass(frozen=True)
class ClassRate:
    """What one class took between two readings."""

    name: str
    domain: int
    occupancy_bytes: int | None
    """At the second reading."""
    total_bps: float | None
    """Bytes a second from and to memory; None when it isn't known or the counter went back."""
    remote_share: float | None
    """Share of these that another socket's memory served."""


def read_classes(root: Root) -> list[ClassReading]:
    """Every class's counters. Raises MissingError where resctrl isn't mounted or doesn't count."""
    if not root.paths(f"{_HERE}/schemata"):
        raise MissingError(
            "resctrl is not mounted",
            f"/{_HERE}",
            "mount -t resctrl resctrl /sys/fs/resctrl, as root, on a CPU with RDT or its like",
        )
    found = list(_readings(root))
    if not found:
        raise MissingError(
            "this kernel and CPU count neither occupancy nor bandwidth by class",
            f"/{_HERE}/mon_data",
            "see /sys/fs/resctrl/info/L3_MON",
        )
    return found


def rates(first: list[ClassReading], second: list[ClassReading], seconds: float) -> list[ClassRate]:
    """What was taken between two readings, so many seconds apart. A class that is in one reading
    alone is left out. Raises ValueError for no time."""
    if seconds <= 0:
        raise ValueError(f"{seconds} seconds between two readings")
    before = {(one.name, one.domain): one for one in first}
    found = []
    for now in second:
        then = before.get((now.name, now.domain))
        if then is None:
            continue
        total = _moved(then.total_bytes, now.total_bytes)
        local = _moved(then.local_bytes, now.local_bytes)
        known = total and local is not None and local <= total
        found.append(
            ClassRate(
                now.name,
                now.domain,
                now.occupancy_bytes,
                None if total is None else total / seconds,
                1 - local / total if known and total and local is not None else None,
            )
        )
    return found


def meddling(first: list[ClassReading], second: list[ClassReading]) -> str:
    """What another tool did to the classes between two readings, as a sentence; empty: nothing."""
    before = {(one.name, one.domain): one for one in first}
    after = {(one.name, one.domain): one for one in second}
    come = sorted({name for name, _ in after.keys() - before.keys()})
    gone = sorted({name for name, _ in before.keys() - after.keys()})
    reset = sorted(
        {
            name
            for (name, domain), then in before.items()
            if (now := after.get((name, domain))) is not None
            and None not in (then.total_bytes, now.total_bytes)
            and (now.total_bytes or 0) < (then.total_bytes or 0)
        }
    )
    changes = [
        f"{what} {', '.join(names[:_NAMED])}"
        for what, names in (("came:", come), ("gone:", gone), ("counting again:", reset))
        if names
    ]
    if not changes:
        return ""
    return (
        f"another tool (pqos, PCM, a container runtime) changed classes between the readings - "
        f"{'; '.join(changes)}: stop it, or leave RDT to it, and read again"
    )


def _moved(then: int | None, now: int | None) -> int | None:
    """Bytes between two readings; None when one is missing or the counter began again."""
    return None if then is None or now is None or now < then else now - then


def _readings(root: Root) -> Iterator[ClassReading]:
    yield from _group(root, _HERE, "default")
    for path in root.paths(f"{_HERE}/*/mon_data"):
        if path.parent.name not in _NOT_CLASSES:
            yield from _group(root, f"{_HERE}/{path.parent.name}", path.parent.name)
    for pattern in (f"{_HERE}/mon_groups/*/mon_data", f"{_HERE}/*/mon_groups/*/mon_data"):
        for path in root.paths(pattern):
            folder = path.parent.relative_to(root.path)
            owner = folder.parent.parent.name
            name = f"{'default' if owner == 'resctrl' else owner}/{path.parent.name}"
            yield from _group(root, str(folder), name)


def _group(root: Root, folder: str, name: str) -> Iterator[ClassReading]:
    for path in root.paths(f"{folder}/mon_data/mon_L3_*"):
        number = path.name.rpartition("_")[2]
        if not number.isdecimal():
            continue  # sub-NUMA clusters have folders of their own below these
        here = str(path.relative_to(root.path))
        yield ClassReading(
            name,
            int(number),
            root.number(f"{here}/llc_occupancy"),
            root.number(f"{here}/mbm_total_bytes"),
            root.number(f"{here}/mbm_local_bytes"),
        )
