"""Files that are whole or not there: written beside their place, then renamed into it."""

from __future__ import annotations

import errno
import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from planecast.errors import RunError

# What the operating system says when there is no room: disk, quota, file size limit.
_FULL = {errno.ENOSPC, errno.EDQUOT, errno.EFBIG}


@contextmanager
def replacing(path: Path) -> Iterator[Path]:
    """A temporary path beside `path` to write to; it becomes `path` when the block ends well.

    When the block fails, nothing is left and an older `path` stays as it was. Raises RunError for
    what the disk refuses.
    """
    temporary = path.with_name(f".{path.name}.{os.getpid()}.part")
    try:
        with disk_errors(path):
            yield temporary
            with temporary.open("rb+") as file:
                os.fsync(file.fileno())
            temporary.replace(path)
    except BaseException:
        with suppress(OSError):
            temporary.unlink(missing_ok=True)
        raise


def write_text(path: Path, text: str) -> None:
    """Write `path` whole or not at all. Raises RunError for what the disk refuses."""
    with replacing(path) as temporary, temporary.open("w", encoding="utf-8") as file:
        file.write(text)


@contextmanager
def disk_errors(path: Path) -> Iterator[None]:
    """Turn what the operating system says about writing `path` into a RunError."""
    try:
        yield
    except OSError as error:
        raise disk_error(error.errno, error.strerror or str(error), path) from error


def disk_error(number: int | None, reason: str, path: Path) -> RunError:
    """The RunError for an errno met when writing `path`."""
    if number in _FULL:
        return RunError(
            "the disk is full",
            str(path),
            "free some space or name another folder (--runs or -o); nothing half-written was left",
        )
    return RunError(f"can't write: {reason}", str(path), "name another folder (--runs or -o)")
