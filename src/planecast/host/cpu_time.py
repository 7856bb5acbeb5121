"""CPU time of the threads of a process that are pinned to one CPU: those that poll."""

from __future__ import annotations

import os
from contextlib import suppress
from pathlib import Path

_PROC = Path("/proc")
_TICKS_PER_S = os.sysconf("SC_CLK_TCK")
_STEAL = 8
"""Column of a CPU's line of /proc/stat: ticks that a hypervisor gave to others (proc(5))."""


def pinned_seconds(pid: int, cpu: int, proc: Path = _PROC) -> float | None:
    """Seconds that the threads of `pid` which may run on `cpu` alone have run, since their start.

    None when there is no such thread, or the kernel doesn't count (schedstat, proc(5)).
    """
    ran_ns = _of_pinned(pid, cpu, 0, proc)
    return None if ran_ns is None else ran_ns / 1e9


def pinned_slices(pid: int, cpu: int, proc: Path = _PROC) -> int | None:
    """How many time slices the same threads have had. None as above."""
    return _of_pinned(pid, cpu, 2, proc)


def away_seconds(pid: int, cpu: int, proc: Path = _PROC) -> float | None:
    """Seconds that the same threads wanted their CPU and did not have it: others of this machine
    ran (exactly), or other guests of its host (in ticks of the kernel's). None as above.
    """
    waited_ns = _of_pinned(pid, cpu, 1, proc)
    return None if waited_ns is None else waited_ns / 1e9 + _stolen(cpu, proc)


def _of_pinned(pid: int, cpu: int, column: int, proc: Path) -> int | None:
    found = None
    for task in (proc / str(pid) / "task").glob("*"):
        with suppress(OSError, ValueError, IndexError):  # a thread may end while it is read
            status = (task / "status").read_text(encoding="ascii", errors="replace")
            allowed = status.partition("Cpus_allowed_list:")[2].split()[0]
            if allowed == str(cpu):
                figures = (task / "schedstat").read_text(encoding="ascii").split()
                found = (found or 0) + int(figures[column])
    return found


def _stolen(cpu: int, proc: Path) -> float:
    with suppress(OSError, ValueError, IndexError):
        for line in (proc / "stat").read_text(encoding="ascii").splitlines():
            words = line.split()
            if words and words[0] == f"cpu{cpu}":
                return int(words[_STEAL]) / _TICKS_PER_S
    return 0.0
