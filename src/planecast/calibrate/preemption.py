"""How often and for how long a measured run's lcores were preempted, from its trials or, of a load
curve, from its recordings of pauses.

A window that takes `STOPPED` times its visit's median or more was interrupted (by another process,
or by another guest); what it took beyond the median is how long. A window is some hundred
microseconds, so shorter interruptions are part of what windows cost anyway, and not seen here.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from planecast.engines.measure.quiet_windows import STOPPED
from planecast.errors import InputError
from planecast.instruments.pauses import SHORTEST_US
from planecast.scenario.interference import Interference

Columns = Mapping[str, NDArray[np.generic]]
Floats = NDArray[np.float64]

_NEEDED = ("point", "visit", "cpu", "cycles")


@dataclass(frozen=True)
class Interruptions:
    """The interruptions of a run."""

    interference: Interference
    """The same as what a scenario says: a Poisson process, lengths of a mean and a spread."""
    count: int
    """Interrupted windows."""
    seconds: float
    """Time of the lcores in all windows, without the interruptions."""
    shortest_us: float
    """Shorter ones are not seen, microseconds."""

    def sentence(self, run: str) -> str:
        """What a reader of a result should know."""
        found = self.interference
        return (
            f"interrupted as in {run}: {found.per_second:.3g} times a second for "
            f"{found.duration_us:.3g} us on average ({self.count} times in {self.seconds:.3g} s; "
            f"shorter than {self.shortest_us:.3g} us is not seen)"
        )


def interruptions(columns: Columns, tsc_hz: float, where: str) -> Interruptions:
    """The interruptions in a run's trials; `where` names them in errors.

    Raises InputError for a table that has no windows.
    """
    absent = [name for name in _NEEDED if name not in columns]
    if absent or not len(columns["cycles"]):
        raise InputError(
            "the trials have no windows" + (f": no column {absent[0]}" if absent else ""),
            where,
            "name a run of measure or validate",
        )
    cycles = np.asarray(columns["cycles"], dtype=np.float64)
    usual = _medians(columns, cycles)
    stopped = cycles > STOPPED * usual
    away = (cycles - usual)[stopped] / tsc_hz
    seconds = float(np.where(stopped, usual, cycles).sum()) / tsc_hz
    shortest_us = (STOPPED - 1) * float(np.median(usual)) / tsc_hz * 1e6
    return _fitted(away, seconds, shortest_us)


def recorded_interruptions(columns: Columns, cpu: int, where: str) -> Interruptions:
    """The interruptions of one CPU in a curve's recordings; `where` names them in errors.

    Raises InputError when that CPU was not watched.
    """
    own = np.asarray(columns["cpu"]) == cpu
    if not own.any():
        raise InputError(f"CPU {cpu} was not watched", where, "name another run")
    away = np.asarray(columns["length_us"], dtype=np.float64)[own] * 1e-6
    away = away[away > 0]
    _, first = np.unique(np.asarray(columns["round"])[own], return_index=True)
    watched = np.asarray(columns["watched_s"], dtype=np.float64)[own][first].sum()
    seconds = float(watched - away.sum())
    return _fitted(away, seconds, SHORTEST_US)


def _fitted(away: Floats, seconds: float, shortest_us: float) -> Interruptions:
    """Of the lengths in seconds, and of the lcores' own time: so many in both together, for one
    that falls into another waits for its end."""
    mean = float(away.mean()) if away.size else 0.0
    spread = float(away.std() / mean) if away.size > 1 else 0.0
    return Interruptions(
        interference=Interference(
            per_second=min(away.size / max(seconds + float(away.sum()), 1e-9), 1e6),
            duration_us=min(mean * 1e6, 1e6),
            spread=min(spread, 100.0),
        ),
        count=int(away.size),
        seconds=seconds,
        shortest_us=shortest_us,
    )


def _medians(columns: Columns, cycles: Floats) -> Floats:
    """For each window the median of its lcore in its visit."""
    keys = np.stack([np.asarray(columns[name], dtype=np.int64) for name in _NEEDED[:3]], axis=1)
    _, groups = np.unique(keys, axis=0, return_inverse=True)
    groups = groups.ravel()
    order = np.lexsort((cycles, groups))
    counts = np.bincount(groups)
    firsts = np.cumsum(counts) - counts
    ordered = cycles[order]
    middle = (ordered[firsts + (counts - 1) // 2] + ordered[firsts + counts // 2]) / 2
    return np.asarray(middle[groups])
