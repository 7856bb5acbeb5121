"""What a machine is divided through: the kernel's resctrl tree, or the program pqos.

Both show classes as groups with two texts: ``schemata`` (ways and bandwidth by domain) and
``cpus_list``. The default group is "".
"""

from __future__ import annotations

from contextlib import AbstractContextManager
from typing import Protocol

from planecast.partition.record import Backend


class Groups(Protocol):
    """Reads and changes the classes of a machine. Everything raises RunError when refused."""

    @property
    def backend(self) -> Backend:
        """Which of the two."""

    def check(self) -> None:
        """Raises MissingError unless it is there, and ours to write."""

    def locked(self) -> AbstractContextManager[None]:
        """Locks groups against changes by others that follow the same rule."""

    def groups(self) -> list[str]:
        """Names of all groups whose state is to be kept, the default one first."""

    def taken(self) -> list[str]:
        """Those of them, in addition to the default one, that somebody uses."""

    def read(self, group: str, name: str) -> str:
        """A group's text."""

    def write(self, group: str, name: str, text: str) -> None:
        """Writes a group's text."""

    def make(self, group: str) -> None:
        """Makes a group."""

    def remove(self, group: str) -> None:
        """Takes a group away: its CPUs are the default group's then."""

    def place(self, group: str, name: str) -> str:
        """Where a group's text is, for errors."""
