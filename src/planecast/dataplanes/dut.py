"""Dut: the data plane under test between a generator's two ports; and a program of it.

A testbed joins a Dut with a LoadGenerator (engines.measure.testbed). Most Duts are programs in
series on this host (`DutChain`); others are on another host (`RemoteDut`), asked trial by trial
(`OwnDut`), or there already (`ExternalDut`).
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from planecast.dataplanes.port import Port
from planecast.dataplanes.trial import TrialAnswer
from planecast.process import Planned, Started
from planecast.results.estimate import Estimate


@dataclass(frozen=True)
class Turns:
    """A thread's turns on a CPU that it shares."""

    seconds: float
    count: int


class Program(Started):
    """A program that forwards between two links. Entered, it forwards or is about to; left, it is
    gone, and everything that it changed is put back."""

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

    def counters(self) -> Mapping[str, int]:
        """What its ports have counted since its start, by name; empty when it doesn't report it.

        Raises RunError when it ought to and doesn't answer."""
        return {}

    def begin_opinion(self) -> None:
        """From now on it counts for `opinion`; nothing for those that count nothing."""

    def opinion(self) -> Mapping[str, Estimate]:
        """Its own statistics since `begin_opinion`: cycles a packet. May be empty."""
        return {}


class Dut(Started):
    """A data plane under test, as a testbed sees it. Context manager; ends it on exit."""

    name: str
    ports: tuple[Port, Port] | None = None
    """The generator's ports: where it sends, where it receives. None where a generator
    of others has ports of its own; known from the start or from `planned` on."""
    before: Sequence[str] = ()
    """Words before the generator's command, without which it doesn't see its ports."""
    drain_s: float = 0.05
    """The generator keeps receiving until nothing came for so long. Two programs on one CPU take
    turns, so it is longer than a turn."""
    lead_s: float = 0.0
    """For how long it has to poll before packets come."""
    tail_s: float = 0.0
    """And after the last is due."""
    reports_cost: bool = True
    """Whether `opinion` can be asked while packets flow."""

    @abstractmethod
    def planned(self, folder: Path) -> list[Planned]:
        """The processes that it would start, with their sockets in `folder`; from then on `ports`
        is as if they ran, where that is known here. Raises as entering it does for what isn't
        here."""

    @abstractmethod
    def check(self) -> None:
        """Raises RunError when a program has ended, with its last words."""

    def begin_trial(self, seconds: float, *, every_burst: bool) -> None:
        """A trial begins that may last so long; nothing for those that forward all the time. With
        `every_burst` it reads its stage clock in each burst."""

    def finish_trial(self, timeout_s: float) -> TrialAnswer | None:
        """What it says of that trial; None for those that are not asked trial by trial. Raises
        RunError when it fails."""
        return None

    def counters(self) -> Mapping[str, int]:
        """What its DPDK ports have counted; of several programs, by program. Raises RunError."""
        return {}

    def cpu_seconds(self) -> Mapping[int, float]:
        """CPU time that the threads which forward have had, by CPU; empty where it isn't known."""
        return {}

    def away_seconds(self) -> float | None:
        """For how long the threads which forward wanted their CPUs and did not have them; None
        where it isn't known."""
        return None

    def turns(self) -> Mapping[int, tuple[Turns, ...]]:
        """Of each CPU that several programs' threads share, the turns that each has had."""
        return {}

    def pages(self) -> str | None:
        """Pages that its memory lies in by now: 2MiB, 4KiB or mixed; of several programs those of
        each, with + between; None where it isn't known."""
        return None

    def begin_opinion(self) -> None:
        """From now on its programs count for `opinion`."""

    def opinion(self) -> Mapping[str, Estimate]:
        """What they say of themselves since then."""
        return {}


class ExternalDut(Dut):
    """A data plane that runs already, between the ports of an external generator: it is neither
    started nor ended here."""

    name = "what is between the generator's ports"
    reports_cost = False

    def planned(self, folder: Path) -> list[Planned]:
        """Nothing."""
        return []

    def check(self) -> None:
        """Nothing is known of it."""

    def stop(self) -> None:
        """Nothing was started."""

    def _start(self) -> None:
        pass
