"""Which point is visited next: all in turns at first, then whoever lacks undisturbed windows most.

Undisturbed time on a busy machine comes in stretches of some 100 ms between seconds of disturbance.
So before a visit the canaries are looked at, which takes a thousandth of a second; a visit is spent
when they are undisturbed, on the point that has the fewest such windows on its CPUs, for how much
its visits differ (`visit_spread`). Every point then has windows from many quiet stretches. Time
without any is not waited through for ever: a visit is made all the same, now and then, so that
every point has been seen in every state.

While a hypervisor has moved the CPUs, points to which other CPUs matter wait: such visits of
them don't count. The others' turns come then.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from planecast.dataplanes import TrialAnswer
from planecast.engines.measure.quiet_windows import undisturbed_windows
from planecast.engines.measure.visit_spread import VisitSpread
from planecast.instruments.canary import Lines, lines
from planecast.instruments.core_to_core import CpuDistance

MIN_ROUNDS = 1
"""Stays at every point in each restart, however short the time is."""
ENOUGH = 400
"""Undisturbed windows of a point on each CPU, beyond which no more time is asked for: some fifteen
visits, for quiet moments differ in what they left in the shared cache. Fewer do where visits
differ less than the mean point's."""
WAIT_S = 0.1
"""Disturbance that is waited through before a visit is made all the same."""
_RENEWED = 256
"""New canaries after which a CPU's lines are taken again: it costs a millisecond."""

Look = Callable[[int], TrialAnswer]
"""Reads the canaries of a point's CPUs, in as short a trial as there is."""


class Schedule:
    """Turns of the points over one run of the engine."""

    def __init__(
        self,
        cpus: Sequence[Sequence[int]],
        random: np.random.Generator,
        usual_only: Sequence[bool],
        distance: CpuDistance,
    ) -> None:
        """`cpus` are those of each point; windows of those that are `usual_only` count while the
        CPUs are where they usually are by `distance`, which is looked at after each stay."""
        self._cpus = [tuple(own) for own in cpus]
        self._random = random
        self._usual_only = usual_only
        self._distance = distance
        self._known: dict[int, _Known] = {}
        self._counts = [dict.fromkeys(own, 0) for own in self._cpus]
        self._earlier = [0] * len(self._cpus)
        self._spread = VisitSpread(len(self._cpus))
        self._shares = self._spread.shares()

    def seen(self, point: int, answer: TrialAnswer) -> None:
        """Counts what a visit gave."""
        found = self._undisturbed(answer)
        if self._waits(point):
            return
        for cpu, costs in found.items():
            self._counts[point][cpu] = self._counts[point].get(cpu, 0) + costs.size
        self._spread.add(point, [*found.values()])
        self._shares = self._spread.shares()

    def lacking(self, enough: int) -> int:
        """Points that have fewer than `enough` undisturbed windows, or than their share of these
        where that is less."""
        wanted = enough * np.minimum(self._shares, 1.0)
        return sum(self._least(point) < wanted[point] for point in range(len(self._cpus)))

    def turns(
        self, until: float, patience: float, look: Look, enough: int = ENOUGH
    ) -> Iterator[int]:
        """Numbers of points for one process instance, until the clock is at `until`, and for
        `patience` seconds more while some are `lacking`. `seen` is to be called after each."""
        self._spread.restarted()
        self._earlier = [self._least(point) for point in range(len(self._cpus))]
        for _ in range(MIN_ROUNDS):
            yield from (int(point) for point in self._random.permutation(len(self._cpus)))
        waiting_since = time.monotonic()
        while (now := time.monotonic()) < until or (
            now < until + patience and self.lacking(enough)
        ):
            quiet, every = self._quiet(look), range(len(self._cpus))
            wanted = [point for point in every if not self._waits(point)] or every
            ready = [point for point in wanted if quiet.issuperset(self._cpus[point])]
            if not ready and now - waiting_since < WAIT_S:
                continue
            yield self._neediest(ready or wanted)
            waiting_since = time.monotonic()

    def _waits(self, point: int) -> bool:
        return self._usual_only[point] and self._distance.moved

    def _least(self, point: int) -> int:
        return min(self._counts[point].values())

    def _neediest(self, points: Sequence[int]) -> int:
        """By this process instance's windows, over the point's share."""
        order = self._random.permutation(np.array(points))
        own = [(self._least(p) - self._earlier[p]) / self._shares[p] for p in order]
        return int(order[int(np.argmin(own))])

    def _quiet(self, look: Look) -> set[int]:
        """CPUs that are undisturbed at the moment."""
        seen: set[int] = set()
        quiet: set[int] = set()
        # A look at several CPUs reports each of them.
        for point in sorted(range(len(self._cpus)), key=lambda p: -len(self._cpus[p])):
            if seen.issuperset(self._cpus[point]):
                continue
            seen.update(self._cpus[point])
            quiet.update(cpu for cpu, own in self._undisturbed(look(point)).items() if own.size)
        return quiet

    def _undisturbed(self, answer: TrialAnswer) -> Mapping[int, NDArray[np.float64]]:
        """What undisturbed windows cost by CPU, judged by all canaries so far: a packet over their
        own canaries, for a core's clock moves."""
        found = {}
        for lcore in answer.lcores:
            known = self._known.setdefault(lcore.cpu, _Known())
            known.add(lcore.windows.canary_compute)
            pairs, cycles, packets = (
                np.array(column, dtype=np.float64)
                for column in (
                    lcore.windows.canary_compute,
                    lcore.windows.cycles,
                    lcore.windows.packets,
                )
            )
            good = undisturbed_windows(pairs, cycles, packets, known.lines)
            found[lcore.cpu] = cycles[good] / packets[good] / pairs[good].mean(axis=1)
        return found


class _Known:
    """What undisturbed canaries read, by all that one CPU has shown."""

    def __init__(self) -> None:
        self.lines = Lines(0.0, np.empty((0, 2)))
        self._pairs: list[tuple[float, float]] = []
        self._at = 0

    def add(self, pairs: Sequence[tuple[float, float]]) -> None:
        self._pairs.extend(pairs)
        if len(self._pairs) >= self._at:
            self.lines = lines(self._pairs)
            self._at = len(self._pairs) + min(_RENEWED, len(self._pairs))
