"""The resctrl file system: groups, their schemata and CPUs, and why the kernel refuses a write.

Source: the kernel's Documentation/arch/x86/resctrl.rst; its section on locking says that tools
which change groups hold a lock on the top folder.
"""

from __future__ import annotations

import errno
import fcntl
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from planecast.errors import MissingError, RunError
from planecast.partition.record import Backend

RESCTRL = Path("/sys/fs/resctrl")
STATUS = "info/last_cmd_status"
_RESERVED = {"info", "mon_groups", "mon_data"}


class Tree:
    """Reads and changes one resctrl tree. A group is named by its folder, the default one ""."""

    backend: Backend = "resctrl"

    def __init__(self, path: Path = RESCTRL) -> None:
        self.path = path

    def check(self) -> None:
        """Raises MissingError unless the file system is mounted, and ours to write."""
        if not (self.path / "schemata").exists():
            raise MissingError(
                "the kernel's resctrl file system is not mounted",
                str(self.path),
                "mount it: mount -t resctrl resctrl /sys/fs/resctrl (planecast partition topology "
                "shows whether the machine has anything to divide)",
            )
        if not os.access(self.path / "schemata", os.W_OK):
            raise MissingError("only root may divide the machine", str(self.path), "run as root")

    @contextmanager
    def locked(self) -> Iterator[None]:
        """Keeps other tools that keep to the kernel's locking rule from changing groups."""
        folder = os.open(self.path, os.O_RDONLY | os.O_DIRECTORY)
        try:
            fcntl.flock(folder, fcntl.LOCK_EX)
            yield
        finally:
            os.close(folder)

    def groups(self) -> list[str]:
        """Names of the control groups that exist, the default one first."""
        found = sorted(
            path.name
            for path in self.path.iterdir()
            if path.is_dir() and path.name not in _RESERVED
        )
        return ["", *found]

    def taken(self) -> list[str]:
        """All groups but the default one: who made a group uses it."""
        return self.groups()[1:]

    def place(self, group: str, name: str) -> str:
        """A group's file."""
        return str(self.path / group / name)

    def read(self, group: str, name: str) -> str:
        """The text of a group's file, as it stands. Raises RunError."""
        path = self.path / group / name
        try:
            return path.read_text(encoding="utf-8")
        except OSError as error:
            raise RunError(f"can't read: {error.strerror}", str(path)) from error

    def write(self, group: str, name: str, text: str) -> None:
        """Writes a group's file in one call, as the kernel wants it. Raises RunError."""
        path = self.path / group / name
        try:
            file = os.open(path, os.O_WRONLY | os.O_TRUNC)
            try:
                os.write(file, text.encode())
            finally:
                os.close(file)
        except OSError as error:
            raise self.refused(error, f"writing {text.strip()!r}", path) from error

    def make(self, group: str) -> None:
        """Makes a group. Raises RunError, when there are no classes left too."""
        try:
            (self.path / group).mkdir()
        except OSError as error:
            raise self.refused(error, "making the group", self.path / group) from error

    def remove(self, group: str) -> None:
        """Takes a group away; its CPUs and tasks are the default group's then. Raises RunError."""
        try:
            (self.path / group).rmdir()
        except FileNotFoundError:
            return
        except OSError as error:
            raise self.refused(error, "removing the group", self.path / group) from error

    def refused(self, error: OSError, what: str, path: Path) -> RunError:
        """What the kernel said about the last command, next to its error number."""
        try:
            status = (self.path / STATUS).read_text(encoding="utf-8").strip()
        except OSError:
            status = ""
        said = status if status and status != "ok" else error.strerror or str(error)
        if error.errno == errno.ENOSPC and status in ("", "ok"):
            said = "no class of service is left"
        return RunError(f"{what}: the kernel refused: {said}", str(path))
