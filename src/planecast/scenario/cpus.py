"""CPU lists as Linux writes them: ``1``, ``0-3,8``."""

from __future__ import annotations

import re

from planecast.host.cpu_list import kernel_list as format_cpus

__all__ = ["CPU_LIMIT", "format_cpus", "parse_cpus"]

CPU_LIMIT = 1024
"""CPU numbers are below this (DPDK's largest lcore count; Linux's own limit is higher)."""

_PART = re.compile(r"([0-9]{1,4})(?:-([0-9]{1,4}))?")


def parse_cpus(text: str) -> tuple[int, ...]:
    """The CPU numbers of a list, ascending and each once.

    Raises ValueError, saying what it got and what is allowed.
    """
    allowed = f"a CPU list such as 1 or 0-3,8, each CPU below {CPU_LIMIT}"
    cpus: set[int] = set()
    for part in text.split(","):
        match = _PART.fullmatch(part.strip())
        if match is None:
            raise ValueError(f"got '{text}', which is not {allowed}")
        first = int(match[1])
        last = int(match[2]) if match[2] else first
        if last < first:
            raise ValueError(f"got '{text}', in which {first}-{last} runs backwards")
        if last >= CPU_LIMIT:
            raise ValueError(f"got '{text}', which is not {allowed}")
        cpus.update(range(first, last + 1))
    return tuple(sorted(cpus))
