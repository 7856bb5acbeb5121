"""Private folders, and what is left of them when nobody could clean up.

A folder's name says which process made it, so that the next command that makes one can distinguish
a folder in use from one whose process was killed: it ends the processes noted there, and takes the
folder away. Programs of ours that a person started by hand keep their sockets where DPDK has those
of all; of these, too, what a killed one left is removed. Bottom of the import order: everything
that starts programs keeps their files in such a folder.
"""

from __future__ import annotations

import os
import re
import shutil
import signal
import tempfile
from contextlib import suppress
from pathlib import Path

from planecast.errors import InputError

PROCESSES = "processes"
"""File in a private folder: a line ``pid starttime`` for each process that may outlive us."""
_swept: tuple[int, str] | None = None
"""Process that has looked for leftovers, and where."""
_RUNTIME = re.compile(r"planecast-(\d+)")
"""EAL's prefix of our programs: its folder has the number of the process."""
_SHARED = Path("/dev/shm")
_NAME = re.compile(r"planecast-(\d+)-(\d+)-")
_WITH_SOCKETS_BYTES_MAX = 107 - len("/ovs-vswitchd.1234567.ctl")
"""The path of a socket has 107 bytes (unix(7)), of which their longest name takes some."""
_START_FIELD = 19
"""Place of the start time among the fields that follow the name in /proc/PID/stat (proc(5))."""


def private_folder(*, for_sockets: bool = False) -> tempfile.TemporaryDirectory[str]:
    """A new folder that only we can read, and that the next command finds when we are killed.

    Raises InputError when sockets are to stand in it and its path leaves no room for their names.
    """
    global _swept  # noqa: PLW0603 - once a process: others' leftovers don't grow during it
    if _swept != (os.getpid(), tempfile.gettempdir()):
        _swept = (os.getpid(), tempfile.gettempdir())
        sweep_leftovers()
    pid = os.getpid()
    folder = tempfile.TemporaryDirectory(prefix=f"planecast-{pid}-{started(pid) or 0}-")
    if for_sockets and len(os.fsencode(folder.name)) > _WITH_SOCKETS_BYTES_MAX:
        folder.cleanup()
        raise InputError(
            f"temporary files: the path {folder.name} is too long for sockets in it; set TMPDIR "
            "to a shorter folder"
        )
    return folder


def note_process(folder: Path, pid: int) -> None:
    """Notes a process that may outlive us, in a private folder or in one within it. Raises
    OSError."""
    with (folder / PROCESSES).open("a", encoding="ascii") as file:
        file.write(f"{pid} {started(pid) or 0}\n")


def sweep_leftovers() -> list[Path]:
    """Ends the processes and removes the folders of commands that were killed; those folders."""
    found = []
    for folder in sorted(Path(tempfile.gettempdir()).glob("planecast-*")):
        match = _NAME.match(folder.name)
        if match is None or not folder.is_dir() or folder.stat().st_uid != os.getuid():
            continue
        pid, start = (int(text) for text in match.groups())
        if started(pid) == start:
            continue
        _end_noted(folder)
        shutil.rmtree(folder, ignore_errors=True)
        found.append(folder)
    return found + _sweep_runtime_folders() + _sweep_shared_memory()


def _sweep_shared_memory() -> list[Path]:
    """Removes shared memory of programs that were named by a private folder whose process is gone;
    those files."""
    found = []
    for file in sorted(_SHARED.glob("planecast-*")):
        match = _NAME.match(file.name)
        with suppress(OSError):
            ours = match is not None and file.stat().st_uid == os.getuid()
            if match is not None and ours and started(int(match[1])) != int(match[2]):
                file.unlink()
                found.append(file)
    return found


def _sweep_runtime_folders() -> list[Path]:
    """Removes EAL's folders of our programs that are gone; those folders."""
    found = []
    for folder in sorted(path for base in _runtime_bases() for path in base.glob("planecast-*")):
        match = _RUNTIME.fullmatch(folder.name)
        with suppress(OSError):
            ours = folder.is_dir() and folder.stat().st_uid == os.getuid()
            if match is not None and ours and started(int(match[1])) is None:
                shutil.rmtree(folder, ignore_errors=True)
                found.append(folder)
    return found


def _runtime_bases() -> list[Path]:
    """Where EAL makes its folders: as root, and as others (DPDK's eal_filesystem.c)."""
    if os.getuid() == 0:
        return [Path("/var/run/dpdk")]
    named = os.environ.get("XDG_RUNTIME_DIR") or tempfile.gettempdir()
    return [Path(named) / "dpdk"]


def started(pid: int) -> int | None:
    """When a process began, in clock ticks since the boot; None when there is none.

    With the number it names a process for good: numbers are used again.
    """
    try:
        text = Path(f"/proc/{pid}/stat").read_text(encoding="ascii", errors="replace")
    except OSError:
        return None
    fields = text.rpartition(")")[2].split()
    return None if fields[0] in ("Z", "X") else int(fields[_START_FIELD])


def _end_noted(folder: Path) -> None:
    for noted in (folder / PROCESSES, *folder.glob(f"*/{PROCESSES}")):
        with suppress(OSError):
            for line in noted.read_text(encoding="ascii").splitlines():
                pid, _, start = line.partition(" ")
                if pid.isdigit() and start.isdigit() and started(int(pid)) == int(start):
                    with suppress(OSError):
                        os.kill(int(pid), signal.SIGKILL)
