"""TracedProfile: what a program does to memory, by stage, whatever caches it may meet.

A touch is a reference to a line of 64 bytes. Its stack distance is how many distinct lines the
program touched since it last touched that one: a fully associative cache with LRU of n lines misses
the touches of n and more (Mattson, Gecsei, Slutz, Traiger: Evaluation techniques for storage
hierarchies, 1970). So one trace gives the miss ratio of any size.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Annotated, Any, NamedTuple

from pydantic import BeforeValidator

from planecast.scenario.model import ListOf, Noun


class DistanceBin(NamedTuple):
    """Touches with a stack distance from `start` up to `end`, which is not among them."""

    start: int
    end: int
    touches_per_packet: float


def _bins(value: Any) -> Any:
    """JSON's lists of three as the bins that they are."""
    return tuple(DistanceBin(*found) for found in value)


class TouchHistogram(Noun):
    """Touches a packet by stack distance, of lines or of pages."""

    references_per_packet: float
    """Instructions that touched memory; one that crosses a line touches two."""
    bins: Annotated[tuple[DistanceBin, ...], BeforeValidator(_bins)] = ()
    """By rising distance; each below 16 alone, above that eight an octave."""
    cold_per_packet: float = 0.0
    """Touches of what the trace had not seen before: a longer one would know their distance."""

    @property
    def touches_per_packet(self) -> float:
        """All of them, however near."""
        return sum(found.touches_per_packet for found in self.bins) + self.cold_per_packet

    def misses(self, lines: float) -> float:
        """Touches a packet that a cache of so many lines, or a TLB of so many pages, misses; within
        a bin in proportion."""
        return self.cold_per_packet + sum(
            found.touches_per_packet * _beyond(found, lines) for found in self.bins
        )

    def plus(self, other: TouchHistogram) -> TouchHistogram:
        """Both together."""
        joined: dict[tuple[int, int], float] = {}
        for start, end, touches in (*self.bins, *other.bins):
            joined[start, end] = joined.get((start, end), 0.0) + touches
        return TouchHistogram(
            references_per_packet=self.references_per_packet + other.references_per_packet,
            bins=tuple(DistanceBin(*place, touches) for place, touches in sorted(joined.items())),
            cold_per_packet=self.cold_per_packet + other.cold_per_packet,
        )


class TracedStage(Noun):
    """What one stage did in the trace."""

    instructions_per_packet: float
    """At the trace's burst, the burst's share included."""
    instructions_per_burst: float = 0.0
    """Of these, what each burst adds, whatever its size, a burst: from two burst sizes."""
    prefetches_per_packet: float
    """Prefetch instructions; which lines they ask for is not seen, and they are no touches."""
    mispredictions_per_packet: float = 0.0
    """Branches that a predictor as cores have them takes for others; 0 in traces of before."""
    loads: TouchHistogram
    stores: TouchHistogram
    pages: TouchHistogram = TouchHistogram(references_per_packet=0.0)
    """Of pages of 4 KiB, by loads and stores together, as a TLB sees them; none in traces of
    before."""

    @property
    def touches(self) -> TouchHistogram:
        """Loads and stores."""
        return self.loads.plus(self.stores)


class TracedProfile(Noun):
    """A traced program: instructions and touches a packet by stage."""

    program: str
    """What was traced."""
    tracer: str
    """What traced it."""
    instruction_set: str
    """Which instructions it could use."""
    packets: int
    """Packets counted; as many or more were followed before."""
    burst: int
    """Packets in a burst."""
    lines: int
    """Distinct lines that it touched in all, before the counted packets too."""
    pages: int = 0
    """Distinct pages of 4 KiB, likewise."""
    stages: dict[str, TracedStage]
    """By stage, in the order in which a packet meets them; ``other`` is what no stage did."""
    notes: ListOf[str] = ()
    """What is to be known of them, as of instruction counts."""

    @property
    def total(self) -> TracedStage:
        """All stages."""
        return summed(self.stages.values())

    def misses(self, lines: float) -> dict[str, float]:
        """Touches a packet by stage that a cache of so many lines misses."""
        return {name: stage.touches.misses(lines) for name, stage in self.stages.items()}


def summed(stages: Iterable[TracedStage]) -> TracedStage:
    """Some stages together."""
    found = TracedStage(
        instructions_per_packet=0.0,
        prefetches_per_packet=0.0,
        loads=TouchHistogram(references_per_packet=0.0),
        stores=TouchHistogram(references_per_packet=0.0),
    )
    for stage in stages:
        found = TracedStage(
            instructions_per_packet=found.instructions_per_packet + stage.instructions_per_packet,
            instructions_per_burst=found.instructions_per_burst + stage.instructions_per_burst,
            prefetches_per_packet=found.prefetches_per_packet + stage.prefetches_per_packet,
            mispredictions_per_packet=found.mispredictions_per_packet
            + stage.mispredictions_per_packet,
            loads=found.loads.plus(stage.loads),
            stores=found.stores.plus(stage.stores),
            pages=found.pages.plus(stage.pages),
        )
    return found


def _beyond(found: DistanceBin, lines: float) -> float:
    """The share of a bin's distances that are not below `lines`."""
    if lines <= found.start:
        return 1.0
    return max(0.0, (found.end - lines) / (found.end - found.start))
