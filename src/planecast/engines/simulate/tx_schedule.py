"""When a generator in software sends: what is due, in batches, late where it was preempted.

It sends what has become due whenever it comes round. After a pause all that is due goes at once, a
burst after the other as fast as it can; what is late by more than it catches up is given up, and
neither load nor loss (native/generator/schedule.h has the same rule).
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]

_BURST = 32
"""Packets of a send call at most."""
_LEAST_LEAD = 1.05
"""A generator that can send no faster than it shall never catches up: it can so much faster."""


@dataclass(frozen=True)
class TxSchedule:
    """How the generator sends at one load."""

    rate_pps: float
    seconds: float
    at_once: float
    """Packets that go together on average, when nothing has taken it away."""
    catch_up_s: float
    """Packets that are late by more are given up."""
    pace_pps: float
    """What it sends while it is late."""
    warm_up_s: float = 0.0
    """It sends for so long before the seconds that count."""

    def instants(
        self, starts_s: Floats, lengths_s: Floats, random: np.random.Generator
    ) -> tuple[Floats, int]:
        """When each packet is sent, seconds from the warm-up's beginning on, ascending; how many
        are given up, without the warm-up's.

        The generator is away from each start for each length; starts are ascending.
        """
        whole = self.warm_up_s + self.seconds
        due = np.arange(max(1, int(self.rate_pps * whole))) / self.rate_pps
        sent = due[self._batch_ends(due.size, random)]
        kept = np.ones(due.size, dtype=np.bool_)
        for start, end in zip(starts_s, starts_s + lengths_s, strict=True):
            first = int(np.searchsorted(sent, start))
            if first == due.size:
                break
            if sent[first] < end:
                self._resume(due, sent, kept, first, float(end))
        kept &= sent <= whole + self.catch_up_s
        return sent[kept], int(np.sum(~kept & (due >= self.warm_up_s)))

    def _batch_ends(self, count: int, random: np.random.Generator) -> NDArray[np.intp]:
        """Of each packet the last one of its batch: batches of the two whole sizes round the mean,
        sent when their last packet is due."""
        fewer = math.floor(max(self.at_once, 1.0))
        more = random.random(count) < self.at_once - fewer
        ends = np.cumsum(fewer + more) - 1
        batch = np.searchsorted(ends, np.arange(count))
        return np.asarray(np.minimum(ends[batch], count - 1), dtype=np.intp)

    def _resume(
        self, due: Floats, sent: Floats, kept: NDArray[np.bool_], first: int, end: float
    ) -> None:
        """Delays what `first` and its successors were to be sent at, for a pause until `end`."""
        going = max(first, int(np.searchsorted(due, end - self.catch_up_s)))
        kept[first:going] = False
        sent[first:going] = end
        if going == due.size:
            return
        pace = max(self.pace_pps, _LEAST_LEAD * self.rate_pps)
        waiting = max(0.0, end - float(due[going])) * self.rate_pps
        caught_up = int(waiting * pace / (pace - self.rate_pps)) + 2 * _BURST
        late = sent[going : going + caught_up]
        turns = np.arange(late.size) // _BURST
        np.maximum(late, end + turns * _BURST / pace, out=late)
