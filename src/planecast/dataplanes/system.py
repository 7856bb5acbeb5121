"""The small interface behind which every data plane under test stands."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Protocol, Self

from planecast.controlled import Planned
from planecast.results.estimate import Estimate


class System(Protocol):
    """A data plane between two links. A context manager: entered, it forwards or is about to;
    left, it is gone, and everything that it changed is put back."""

    name: str

    @property
    def pid(self) -> int | None:
        """The process whose thread forwards; None when it doesn't run."""

    def planned(self) -> list[Planned]:
        """The processes that it starts; what it asks of them then is not among them.

        Raises MissingError for a program that isn't here."""

    def __enter__(self) -> Self: ...

    def __exit__(self, *about: object) -> None: ...

    def ports(self) -> Mapping[str, int]:
        """What its ports have counted since its start, by name; empty when it doesn't tell.

        Raises RunError when it ought to and doesn't answer."""

    def check(self) -> None:
        """Raises RunError when it has ended, with its last words."""

    def begin_opinion(self) -> None:
        """From now on it counts for `opinion`; nothing for those that count nothing."""

    def opinion(self) -> Mapping[str, Estimate]:
        """What it says of itself since `begin_opinion`: cycles a packet. May be empty."""
