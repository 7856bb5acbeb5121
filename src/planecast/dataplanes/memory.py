"""Packet memory of DPDK programs of others, which run with --no-huge: pages, and how buffers lie.

``planecast-memory.so`` is loaded before a program that the meter (which does the same) isn't in.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Literal

from planecast.dataplanes.port import Port
from planecast.native import native_library
from planecast.scenario.dataplanes.dpdk_memory import MemoryLayout

LIBRARY = "planecast-memory.so"

_LARGE_SHARE = 0.9
"""Share of a program's memory in large pages from which on it counts as being on them."""
_LARGE = ("AnonHugePages", "ShmemPmdMapped")
_RESERVED = ("Private_Hugetlb", "Shared_Hugetlb")
"""Which are not in Rss."""

_FIELD = re.compile(r"^(\w+): +(\d+) kB$", re.MULTILINE)

Pages = Literal["2MiB", "4KiB", "no-huge"]
"""2MiB: large pages, and buffers side by side. 4KiB: such buffers in the small pages of EAL.
no-huge: as DPDK has it."""


def pages_for(layout: MemoryLayout, ports: Sequence[Port] = ()) -> Pages:
    """Memory that others read stays the one of EAL, whose pages are small."""
    if layout == "no-huge":
        return "no-huge"
    return "4KiB" if any(port.shares_memory for port in ports) else "2MiB"


def pages_environment(pages: Pages) -> dict[str, str]:
    """What says to a library of ours how memory is to lie."""
    return {"PLANECAST_METER_PAGES": pages}


def memory_environment(pages: Pages, *, to_generator: bool = False) -> dict[str, str]:
    """What loads the library; empty where nothing is to change. A program that sends
    `to_generator` may leave checksums out. Raises MissingError when it isn't built."""
    if pages == "no-huge":
        return {}
    last = {"PLANECAST_LAST": "1"} if to_generator else {}
    return {"LD_PRELOAD": str(native_library(LIBRARY)), **pages_environment(pages), **last}


def env_words(given: Mapping[str, str]) -> list[str]:
    """Words before a command that give it these variables."""
    return ["env", *(f"{name}={value}" for name, value in given.items())] if given else []


def pages_of_process(pid: int | None) -> str | None:
    """Page size of DPDK's memory in a running process (`pages_of`); None when the process is gone,
    or another user's."""
    try:
        return pages_of(Path(f"/proc/{pid}/smaps").read_text(encoding="utf-8", errors="replace"))
    except OSError:
        return None


def pages_of(smaps: str) -> str:
    """2MiB, 4KiB or mixed: the page size of the largest area in a process's smaps (proc(5)), which
    is DPDK's. Reserved pages are areas of their own, and count as one."""
    largest = large = reserved = 0
    for area in re.split(r"^[0-9a-f]+-[0-9a-f]+ ", smaps, flags=re.MULTILINE)[1:]:
        kib = {key: int(size) for key, size in _FIELD.findall(area)}
        reserved += sum(kib.get(key, 0) for key in _RESERVED)
        if kib.get("Rss", 0) > largest:
            largest, large = kib["Rss"], sum(kib.get(key, 0) for key in _LARGE)
    if reserved > largest:
        return "2MiB"
    if large == 0:
        return "4KiB"
    return "2MiB" if large >= _LARGE_SHARE * largest else "mixed"
