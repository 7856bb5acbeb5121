"""Vectors: a recording's counts as arrays of a definition's events, impossible ones taken out.

Element 0 is the whole recording, the others are its rounds, summed over places. A ratio of the
whole is a ratio of sums, and the rounds show how much it varies.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from planecast.instruments.recorded import Count, Recording
from planecast.topdown import Definition
from planecast.topdown.event_names import SMALL_CORES, TSC_HZ, event_lookup, plain_name
from planecast.topdown.expression import Values
from planecast.topdown.plausible import impossible_count

_TSC = "tsc"
"""perf's event ``msr/tsc/``, in one spelling."""
CYCLES = ("CPU_CLK_UNHALTED.THREAD", "ls_not_halted_cyc")
"""The core cycles of a thread, as the definitions call them."""


@dataclass(frozen=True)
class Vectors:
    """Counts of a recording by event."""

    events: dict[str, Values]
    """The whole, then the rounds. Each is the mean over places and rounds, scaled to their sum."""
    running: dict[str, float]
    """The least share of the time in which an event was counted."""
    rejected: dict[str, str]
    """Why an event that the file has is not used, by event."""
    rounds: int
    places: int
    unknown: tuple[str, ...]
    """Events of the file that the definition doesn't know."""
    remarks: tuple[str, ...]


def vectors_of(recording: Recording, definition: Definition, places: set[str] | None) -> Vectors:
    """The counts of `places` (all by default) as arrays."""
    lookup = event_lookup(definition)
    found: dict[str, list[Count]] = defaultdict(list)
    unknown: dict[str, None] = {}
    small = False
    ticks: list[Count] = []
    for count in recording.counts:
        if places is not None and count.place not in places:
            continue
        name = plain_name(count.event)
        if name == _TSC:
            ticks.append(count)
            continue
        if name.startswith(SMALL_CORES):
            small = True
            continue
        event = lookup.get(name) or lookup.get(name.replace(":", "_"))
        if event is None:
            unknown.setdefault(count.event)
        else:
            found[event].append(count)
    remarks = ["counts of the efficient cores (cpu_atom) are left out"] if small else []
    rejected = _rejected(found)
    kept = {event: counts for event, counts in found.items() if event not in rejected}
    rounds = sorted({count.round for counts in kept.values() for count in counts})
    sites = {count.place for counts in kept.values() for count in counts}
    events = {event: _array(counts, rounds, len(sites)) for event, counts in kept.items()}
    running = {event: min(count.running for count in counts) for event, counts in kept.items()}
    hz = _tsc_hz(ticks, rounds)
    if hz is not None:
        events[TSC_HZ], running[TSC_HZ] = hz, 1.0
    return Vectors(
        events,
        running,
        rejected,
        len(rounds),
        len(sites),
        tuple(unknown),
        tuple(remarks),
    )


def _tsc_hz(ticks: list[Count], rounds: list[float]) -> Values | None:
    """The time-stamp counter's ticks a second, of the whole and of each round, from ``msr/tsc/``.

    None without it, or where the file doesn't say how long a round was.
    """
    if not ticks or not rounds or rounds[0] <= 0 or any(count.value is None for count in ticks):
        return None
    whole = _array(ticks, rounds, 1)  # of one CPU: all have the same clock
    lengths = np.array([rounds[-1], *np.diff([0.0, *rounds])])
    return np.asarray(whole / lengths, dtype=np.float64)


def _rejected(found: Mapping[str, list[Count]]) -> dict[str, str]:
    """Events with a count that is none or can't be, and why."""
    cycles: dict[tuple[float, str], float] = {}
    for event in CYCLES:
        for count in found.get(event, ()):
            if count.value is not None and impossible_count(count.value) is None:
                cycles[count.round, count.place] = count.value
    rejected = {}
    for event, counts in found.items():
        for count in counts:
            reason = _reason(count, None if event in CYCLES else cycles)
            if reason:
                rejected[event] = reason
                break
    return rejected


def _reason(count: Count, cycles: Mapping[tuple[float, str], float] | None) -> str | None:
    if count.value is None:
        return f"was not counted ({count.reason or 'no value'})"
    cycles_then = cycles.get((count.round, count.place)) if cycles is not None else None
    alone = count.round if count.place.startswith("CPU") else None  # one thread, from the start on
    return impossible_count(count.value, cycles_then, alone)


def _array(counts: list[Count], rounds: list[float], places: int) -> Values:
    """Sums over places: of all rounds together, then of each. A gap is filled with the mean."""
    by_round: dict[float, list[float]] = defaultdict(list)
    for count in counts:
        assert count.value is not None
        by_round[count.round].append(count.value)
    sums = [float(np.mean(by_round[r])) * places if r in by_round else np.nan for r in rounds]
    whole = float(np.nanmean(sums)) * len(rounds)
    return np.array([whole, *sums])
