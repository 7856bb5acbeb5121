"""Hugepages, transparent hugepages, free memory, disk space."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from pathlib import Path

from planecast.host.check import Check, Setting
from planecast.host.root import Root

_MIB = 1 << 20
_PAGES = "sys/kernel/mm/hugepages/hugepages-2048kB/nr_hugepages"
_ASKED = ("always", "madvise")
"""Modes in which a program that asks for transparent pages of 2 MiB gets them."""
_NEEDED_MIB = 1024  # the data plane's 512 MiB, and as much again for building and valgrind


def check_memory(root: Root, runs: Path) -> Iterator[Check]:
    """Pages and memory for the data plane's tables, and room for `runs`."""
    yield _hugepages(root)
    yield _transparent(root)
    yield _available(root)
    yield _disk(runs if root.live else root.path)


def _hugepages(root: Root) -> Check:
    found = []
    free_bytes = 0
    reserved_2mib = root.number(_PAGES) or 0
    for size_kib, here in root.page_pools().items():
        reserved = root.number(f"{here}/nr_hugepages") or 0
        free = root.number(f"{here}/free_hugepages") or 0
        free_bytes += free * size_kib * 1024
        size = f"{size_kib >> 20} GiB" if size_kib >= _MIB else f"{size_kib >> 10} MiB"
        found.append(f"{size}: {free} free of {reserved}")
    text = "; ".join(found) or "not supported by this kernel"
    if free_bytes >= 512 * _MIB:
        return Check("hugepages", "good", text, "tables and buffers lie in few TLB entries")
    if _transparent_mode(root) in _ASKED:
        return Check(
            "hugepages",
            "note",
            text,
            "planecast's tables lie in transparent pages of 2 MiB; other DPDK programs need "
            "reserved ones",
            f"echo 512 | sudo tee /{_PAGES}",
            "DPDK, Getting Started Guide for Linux: use of hugepages",
            (Setting(_PAGES, str(reserved_2mib + 512)),) if root.text(_PAGES) else (),
        )
    return Check(
        "hugepages",
        "limits",
        text,
        "tables lie in 4 KiB pages: large ones cost page walks (the model counts them)",
        f"echo 512 | sudo tee /{_PAGES}",
        "DPDK, Getting Started Guide for Linux: use of hugepages",
        (Setting(_PAGES, str(reserved_2mib + 512)),) if root.text(_PAGES) else (),
    )


def large_pages(root: Root) -> bool:
    """Whether a program that asks for pages of 2 MiB gets some: reserved or transparent ones."""
    return free_large_pages(root) > 0 or _transparent_mode(root) in _ASKED


def free_large_pages(root: Root) -> int:
    """Reserved pages of 2 MiB that nobody has."""
    return root.number(_PAGES.replace("nr_", "free_")) or 0


def _transparent_mode(root: Root) -> str:
    chosen = re.search(r"\[(\w+)\]", root.text("sys/kernel/mm/transparent_hugepage/enabled"))
    return chosen[1] if chosen else "not supported"


def _transparent(root: Root) -> Check:
    mode = _transparent_mode(root)
    return Check(
        "transparent hugepages",
        "note",
        mode,
        {
            "always": "with always, 4 KiB memory may become 2 MiB without the program's request",
            "madvise": "programs that ask get pages of 2 MiB, as planecast's do; others get none",
        }.get(mode, "the kernel uses no transparent hugepages"),
    )


def _available(root: Root) -> Check:
    match = re.search(r"^MemAvailable:\s+(\d+) kB", root.text("proc/meminfo"), re.MULTILINE)
    if match is None:
        return Check("memory", "note", "unknown", "the kernel doesn't say what is available")
    mib = int(match[1]) // 1024
    if mib >= _NEEDED_MIB:
        return Check("memory", "good", f"{mib} MiB available", "enough for the default tables")
    return Check(
        "memory",
        "limits",
        f"{mib} MiB available",
        f"the data plane and its tables need {_NEEDED_MIB} MiB",
        "end other programs, or make the tables smaller (workload.flows, workload.acl_rules)",
    )


def _disk(folder: Path) -> Check:
    while not folder.exists() and folder != folder.parent:
        folder = folder.parent
    try:
        usage = os.statvfs(folder)
    except OSError as error:
        return Check("disk", "note", "unknown", f"{folder}: {error.strerror}")
    mib = usage.f_bavail * usage.f_frsize // _MIB
    if mib >= 1024:
        return Check("disk", "good", f"{mib} MiB free", "enough for thousands of runs")
    return Check(
        "disk",
        "limits",
        f"{mib} MiB free",
        "a run takes about 1 MiB; a full disk ends it",
        "free some space, or name another folder with --runs",
    )
