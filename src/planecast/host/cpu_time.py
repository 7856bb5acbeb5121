"""CPU time of the threads of a process that are pinned to one CPU: those that poll."""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path

_PROC = Path("/proc")


def pinned_seconds(pid: int, cpu: int, proc: Path = _PROC) -> float | None:
    """Seconds that the threads of `pid` which may run on `cpu` alone have run, since their start.

    None when there is no such thread, or the kernel doesn't count (schedstat, proc(5)).
    """
    found = None
    for task in (proc / str(pid) / "task").glob("*"):
        with suppress(OSError, ValueError, IndexError):  # a thread may end while it is read
            status = (task / "status").read_text(encoding="ascii", errors="replace")
            allowed = status.partition("Cpus_allowed_list:")[2].split()[0]
            if allowed == str(cpu):
                nanoseconds = int((task / "schedstat").read_text(encoding="ascii").split()[0])
                found = (found or 0.0) + nanoseconds / 1e9
    return found
