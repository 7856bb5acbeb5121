"""CPU lists as Linux writes them: ``1``, ``0-3,8``."""

from __future__ import annotations

import re
from collections.abc import Iterable

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


def format_cpus(cpus: Iterable[int]) -> str:
    """The shortest list of these CPUs: ``format_cpus([0, 1, 2, 3, 8]) == "0-3,8"``."""
    runs: list[list[int]] = []
    for cpu in sorted(set(cpus)):
        if runs and cpu == runs[-1][1] + 1:
            runs[-1][1] = cpu
        else:
            runs.append([cpu, cpu])
    return ",".join(str(a) if a == b else f"{a}-{b}" for a, b in runs)
