"""What VPP leaves on its host, and how it is put back: shared memory, and pages that it reserves.

As root it reserves as many hugepages for its buffers as are not free, and nobody gives them back.
What was reserved before the first VPP of this process started is reserved again after the last one.
"""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path
from threading import Lock

SHARED = Path("/dev/shm")
RESERVED = Path("/sys/kernel/mm/hugepages/hugepages-2048kB/nr_hugepages")
_lock = Lock()
_running: set[str] = set()
_before: int | None = None
"""Pages that were reserved; None: not known."""


def starts(name: str) -> None:
    """A VPP with this prefix of its shared memory is about to start."""
    global _before  # noqa: PLW0603 - the host's, so the process's
    with _lock:
        if not _running:
            _before = _reserved()
        _running.add(name)


def ended(name: str) -> None:
    """It is gone; nothing for one that did not start."""
    with _lock:
        if name not in _running:
            return
        _running.remove(name)
        for segment in SHARED.glob(f"{name}-*"):
            segment.unlink(missing_ok=True)
        now = _reserved()
        if not _running and _before is not None and now is not None and now > _before:
            with suppress(OSError):  # of others
                RESERVED.write_text(str(_before), encoding="ascii")


def _reserved() -> int | None:
    try:
        return int(RESERVED.read_text(encoding="ascii"))
    except (OSError, ValueError):
        return None
