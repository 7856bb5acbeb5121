"""Dut: a data plane under test, between two links."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping

from planecast.process import Planned, Started
from planecast.results.estimate import Estimate


class Dut(Started):
    """A data plane between two links. Entered, it forwards or is about to; left, it is gone, and
    everything that it changed is put back."""

    name: str

    @property
    @abstractmethod
    def pid(self) -> int | None:
        """The process whose thread forwards; None when it doesn't run."""

    @abstractmethod
    def planned(self) -> list[Planned]:
        """The processes that it starts; what it asks of them then is not among them.

        Raises MissingError for a program that isn't here."""

    @abstractmethod
    def check(self) -> None:
        """Raises RunError when it has ended, with its last words."""

    def ports(self) -> Mapping[str, int]:
        """What its ports have counted since its start, by name; empty when it doesn't report it.

        Raises RunError when it ought to and doesn't answer."""
        return {}

    def begin_opinion(self) -> None:
        """From now on it counts for `opinion`; nothing for those that count nothing."""

    def opinion(self) -> Mapping[str, Estimate]:
        """What it says of itself since `begin_opinion`: cycles a packet. May be empty."""
        return {}
