"""UnmovedCpus: trials while the CPUs of generator and data plane are where they usually are.

A hypervisor moves a guest's CPUs behind another last level and back, within a trial or for seconds.
A memory interface carries half as much then, and a search that bisects down to that never comes up
again. So a trial waits for a moved CPU to come back, for a while, and one that lost packets is made
again where the CPUs were moved in it. A load curve waits in the same way, and leaves out a round in
which they were moved.
"""

from __future__ import annotations

import time

from planecast.instruments.core_to_core import CpuDistance

PATIENCE_S = 30.0
"""For how long a repetition waits in all: other states of guests lasted for one to six seconds, few
for minutes; on one of them they were a quarter of the time."""
LOOK_S = 1.0
"""After which the way is looked at again, between trials: no packets are under way."""
_AGAIN_S = 0.2


class UnmovedCpus:
    """The data plane's CPU and the generator's, from one trial to the next."""

    def __init__(self, cpu: int, other: int) -> None:
        self._distance = CpuDistance(cpu, other)
        self._looked = 0.0
        self._patience_s = 0.0
        self.waited_s = 0.0
        """What trials have waited in all."""
        self.moves = 0
        """Times that the CPUs were seen elsewhere after a trial, and not before it."""

    @property
    def ns(self) -> float | None:
        """What a cache line took at the last look; None: there is no probe."""
        return self._distance.ns

    @property
    def canary_cycles(self) -> float | None:
        """Cycles a round of the compute canary on the data plane's CPU at the last look."""
        return self._distance.canary_cycles

    def begin(self) -> None:
        """Looks, and waits, before a repetition's programs run."""
        self._patience_s = PATIENCE_S
        self._look()
        self.wait()

    def wait(self) -> float:
        """Looks when the last look is old, and waits while the CPUs are elsewhere. Returns the
        seconds that were waited."""
        if self.ns is None:
            return 0.0
        if time.monotonic() > self._looked + LOOK_S:
            self._look()
        waited_s = 0.0
        while self._distance.moved and waited_s < self._patience_s:
            time.sleep(_AGAIN_S)
            waited_s += _AGAIN_S
            self._look(counts=False)
        self._patience_s -= waited_s
        self.waited_s += waited_s
        return waited_s

    def moved(self) -> bool:
        """Looks, and says whether the CPUs are elsewhere than usual, which they were not before;
        never once a repetition's patience is over."""
        if self.ns is None or self._distance.moved or self._patience_s <= 0:
            return False
        self._look()
        self.moves += self._distance.moved
        return self._distance.moved

    def _look(self, *, counts: bool = True) -> None:
        self._distance.look(counts=counts)
        self._looked = time.monotonic()
