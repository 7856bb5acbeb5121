"""Writing a file: whole or not at all, and through whatever is no regular file.

`replacing` is the one place where an output is written. A regular file is made next to its place
and renamed into it; a symlink stays, and what it points to is replaced. A device, a pipe or a
socket is written to and stays what it is: renamed over, ``-o /dev/full`` would destroy the node.
"""

from __future__ import annotations

import errno
import os
import re
import shutil
import stat
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from planecast.cleanup import private_folder
from planecast.errors import RunError

# What the operating system says when there is no room: disk, quota, file size limit.
_FULL = {errno.ENOSPC, errno.EDQUOT, errno.EFBIG}
_DESCRIPTORS = re.compile(r"/proc/\d+(/task/\d+)?/fd")
READER_WAIT_S = 1.0
"""How long a pipe's reader is waited for."""


@contextmanager
def replacing(path: Path) -> Iterator[Path]:
    """A temporary path to write to; what is in it becomes `path` when the block ends well.

    When the block fails, nothing is left and an older `path` stays as it was. Raises RunError for
    what the disk refuses, and for a pipe that nobody reads.
    """
    if written_through(path):
        with private_folder() as folder:
            temporary = Path(folder) / "content"
            with disk_errors(path):
                yield temporary
                _pour(temporary, path)
        return
    with disk_errors(path):
        target = Path(os.path.realpath(path)) if path.is_symlink() else path
        if target.is_symlink():
            raise OSError(errno.ELOOP, os.strerror(errno.ELOOP))
    temporary = target.with_name(f".{target.name[:100]}.{os.getpid()}.part")
    try:
        with disk_errors(path):
            yield temporary
            with temporary.open("rb+") as file:
                os.fsync(file.fileno())
            temporary.replace(target)
    except BaseException:
        with suppress(OSError):
            temporary.unlink(missing_ok=True)
        raise


def written_through(path: Path) -> bool:
    """Whether `path` is there and no regular file, or a name of an open one (``/dev/stdout``)."""
    try:
        mode = path.stat().st_mode
    except (OSError, ValueError):
        return False
    in_folder = os.path.realpath(path.parent)
    opened = str(path) in ("/dev/stdout", "/dev/stderr") or _DESCRIPTORS.fullmatch(in_folder)
    return bool(opened) or not (stat.S_ISREG(mode) or stat.S_ISDIR(mode))


def _pour(source: Path, path: Path) -> None:
    """Copies a file into what is there already. Raises OSError, RunError for an unread pipe."""
    until = time.monotonic() + READER_WAIT_S
    while True:
        try:
            descriptor = os.open(path, os.O_WRONLY | os.O_APPEND | os.O_NONBLOCK | os.O_NOCTTY)
            break
        except OSError as error:
            if error.errno != errno.ENXIO or not stat.S_ISFIFO(path.stat().st_mode):
                raise
        if time.monotonic() > until:
            raise RunError("no program reads this pipe", str(path), "start its reader first")
        time.sleep(0.01)
    os.set_blocking(descriptor, True)
    with source.open("rb") as content, os.fdopen(descriptor, "wb") as out:
        shutil.copyfileobj(content, out)


def write_text(path: Path, text: str) -> None:
    """Write `path` whole or not at all. Raises RunError for what the disk refuses."""
    with replacing(path) as temporary, temporary.open("w", encoding="utf-8") as file:
        file.write(text)


@contextmanager
def disk_errors(path: Path) -> Iterator[None]:
    """Turn what the operating system says about writing `path` into a RunError."""
    try:
        yield
    except BrokenPipeError:
        raise  # a reader that has gone is no fault of the disk
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
