"""Tester: what a search needs of an engine. One trial at a load, and a fresh start."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Protocol

from planecast.results.estimate import Estimate, Kind
from planecast.search.trial import Trial


@dataclass(frozen=True)
class Ceiling:
    """The highest load that can be offered, whatever the data plane takes."""

    pps: float
    by: str
    """What sets it: link, generator."""
    why: str
    """The same as a sentence."""


@dataclass(frozen=True)
class Opinion:
    """What a trial cost, as the data plane counts it and as its tester does."""

    own: Mapping[str, Estimate] = field(default_factory=dict)
    """What the data plane says of itself: cycles a packet, by name; may be empty."""
    cycles_per_packet: Estimate | None = None
    """Time-stamp cycles of the trial over the packets that it took in it."""


class Tester(Protocol):
    """An engine as a search sees it. Searches never ask which it is."""

    @property
    def kind(self) -> Kind:
        """Of what the trials show: measured or simulated."""

    @property
    def dataplane(self) -> str:
        """What is under test, in words."""

    def start(self, repetition: int) -> None:
        """Restarts the data plane, and warms it up: its first packets belong to no trial."""

    def trial(self, offered_pps: float, seconds: float, number: int) -> Trial:
        """Offers a load for so long; read after it has drained. `number` counts all trials, for
        an engine that needs a seed of each. Raises RunError when the trial fails."""

    def burst(self, packets: int, offered_pps: float, number: int) -> Trial:
        """Offers so many packets at a rate, from empty queues on."""

    def opinion(self, offered_pps: float, seconds: float) -> Opinion:
        """What the data plane says of itself in a trial of its own, outside the search."""

    def close(self) -> None:
        """Ends everything, and puts back what was changed."""
