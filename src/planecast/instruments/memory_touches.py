"""Memory touches a packet by stage: what callgrind's cache simulation saw.

Reads and writes are exact. The misses are those of the simulated caches (32 KiB first level, 32 MiB
last level, nobody else in them), so they show which stage strays through memory, not what this
machine's caches do: that is the model's and the measurement's to say.
"""

from __future__ import annotations

from collections.abc import Sequence

from planecast.errors import InputError
from planecast.instruments.callgrind import profile_run, stage_costs
from planecast.instruments.callgrind_output import CallgrindProfile
from planecast.instruments.count_instructions import Command, Progress
from planecast.instruments.side_by_side import side_by_side
from planecast.scenario.model import Noun

_EVENTS = {
    "reads": ("Dr",),
    "writes": ("Dw",),
    "l1_misses": ("D1mr", "D1mw"),
    "ll_misses": ("DLmr", "DLmw"),
}


class StageTouches(Noun):
    """Data accesses of one stage, each a packet."""

    reads: float
    """Reading instructions."""
    writes: float
    """Writing instructions."""
    l1_misses: float
    """Reads and writes that the simulated first level missed."""
    ll_misses: float
    """Reads and writes that the simulated last level missed."""


class MemoryTouches(Noun):
    """Data accesses a packet by stage."""

    burst: int
    """Packets in a burst."""
    stages: dict[str, StageTouches]
    """By stage; names without the prefix ``stage_``."""
    other: StageTouches
    """Outside every stage."""
    total: StageTouches
    """All stages and other."""

    def part(self, name: str) -> StageTouches:
        """A stage, ``other`` or ``total``. Raises KeyError for a stage that did not run."""
        return {"other": self.other, "total": self.total}.get(name) or self.stages[name]


def memory_touches(
    command: Command,
    *,
    packets: int = 32768,
    burst: int = 32,
    timeout_s: float = 900.0,
    progress: Progress | None = None,
) -> MemoryTouches:
    """Touches over the second half of a run twice as long as another: the first half warms the
    caches.

    Raises InputError when `burst` doesn't divide `packets`, MissingError without valgrind, RunError
    when a run fails.
    """
    if packets < 1 or burst < 1 or packets % burst:
        raise InputError(
            f"{packets} packets don't make whole bursts of {burst}",
            what_to_do="take a multiple of the burst as packets",
        )

    def profiled(count: int) -> CallgrindProfile:
        return profile_run(command(count, burst), cache_sim=True, timeout_s=timeout_s)

    short, long = side_by_side((packets, 2 * packets), profiled, progress)
    return touches(short, long, packets, burst)


def touches(
    short: CallgrindProfile, long: CallgrindProfile, packets: int, burst: int
) -> MemoryTouches:
    """Touches a packet from two profiles, `long` with `packets` packets more than `short`."""
    before, after = stage_costs(short), stage_costs(long)
    zero = [0] * len(long.events)
    costs = {
        name: [b - a for a, b in zip(before.get(name, zero), cost, strict=True)]
        for name, cost in after.items()
    }
    total = [b - a for a, b in zip(short.totals, long.totals, strict=True)]
    inside = [sum(column) for column in zip(*costs.values(), strict=True)] or zero
    other = [all_ - stages for all_, stages in zip(total, inside, strict=True)]
    return MemoryTouches(
        burst=burst,
        stages={name: _touches(long.events, cost, packets) for name, cost in costs.items()},
        other=_touches(long.events, other, packets),
        total=_touches(long.events, total, packets),
    )


def _touches(events: Sequence[str], cost: Sequence[int], packets: int) -> StageTouches:
    by_event = dict(zip(events, cost, strict=True))
    return StageTouches(
        **{
            name: sum(by_event[event] for event in parts) / packets
            for name, parts in _EVENTS.items()
        }
    )
