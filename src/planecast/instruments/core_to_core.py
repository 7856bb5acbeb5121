"""What a cache line costs from one CPU to another, now: a canary of every measurement across two.

Where a guest's CPUs run is the hypervisor's choice, and changes: the same two were 50 to 80 ns
apart in one hour and 340 ns in another, and a memory interface between them took 20 or 6 million
packets a second. No other clock, canary or counter shows it.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from planecast.errors import MissingError, RunError
from planecast.host import Check, Root
from planecast.instruments.probe_process import probe_words, run_probe
from planecast.scenario.model import Noun

CHANGED = 2.0
"""Factor by which half a round trip differs between two states: 24 and 165 ns, 45 and 220, 60 and
340. Within one, looks differed by a tenth on some guests, and were 40 to 65 ns on another."""
_WITHIN = 1.5
"""Factor from its median within which a state's looks lie."""
_OFTEN = 1 / 3
"""A nearer state with more looks than this share of the most frequent one's is the usual one, for
the CPUs are meant to share a last level. In 4 to 14 % of the looks a hypervisor had put both on the
two threads of one core of an Ice Lake guest (20 to 30 ns in place of 55 to 75), and next to a
stream a packet took up to twice as long."""
_MANY = 10
"""Looks after which a rare state is one."""
_TIMEOUT_S = 30.0
_LOOKS = 8


class CoreToCore(Noun):
    """Half a round trip of a cache line between two CPUs."""

    cpu: int
    other: int
    ns: float
    """The median of slices, each of 100 round trips."""
    canary_cycles: float
    """Cycles a round of the compute canary on `cpu`, the median of some: it shows another guest on
    the same core."""

    def __str__(self) -> str:
        return f"CPUs {self.cpu} and {self.other} {self.ns:.0f} ns apart"


def core_to_core(cpu: int, other: int) -> CoreToCore:
    """Measures it, in some 10 ms; nothing else should run on the two.

    Raises MissingError when the probe is not built, RunError when it fails.
    """
    words = probe_words("--ping-pong", f"{cpu},{other}")
    return parse_ping_pong(run_probe(words, _TIMEOUT_S))


def parse_ping_pong(text: str) -> CoreToCore:
    """What ``planecast-probe --ping-pong`` prints. Raises RunError for anything else."""
    try:
        answer = json.loads(text)
        slices = np.asarray(answer["half_round_trips"], dtype=np.float64)
        return CoreToCore(
            cpu=int(answer["cpu"]),
            other=int(answer["other"]),
            ns=float(np.quantile(slices, 0.5) * (1e9 / float(answer["tsc_hz"]))),
            canary_cycles=float(np.median(answer["canary"])),
        )
    except (ValueError, KeyError, TypeError, IndexError, ZeroDivisionError) as error:
        raise RunError(f"planecast-probe sent a malformed reply: {error!r}") from error


def ping_pong_now(cpu: int, other: int | None = None) -> CoreToCore | None:
    """The same where it is no more than a remark: None on one CPU, and when it can't be had."""
    allowed = sorted(os.sched_getaffinity(0))
    others = [one for one in allowed if one != cpu]
    wanted = (others[0] if others else None) if other is None else other
    if wanted is None or cpu not in allowed or wanted not in allowed or wanted == cpu:
        return None
    try:
        return core_to_core(cpu, wanted)
    except (MissingError, RunError):
        return None


class CpuDistance:
    """The way between two CPUs, from one look to the next: a hypervisor moves them."""

    def __init__(self, *cpus: int) -> None:
        """One CPU is looked at with any other one."""
        self._cpus = cpus
        self._looks: list[float] = []
        self.ns: float | None = None
        """What a cache line took at the last look; None: there is no other CPU, or no probe."""
        self.canary_cycles: float | None = None
        """Of the first CPU at the last look (`CoreToCore`)."""

    def look(self, *, counts: bool = True) -> float | None:
        """Looks again, in some 10 ms, and returns `ns`. What polls on the two has half of its CPU
        in that time. Looks that wait for something do not count in what is usual (`moved`)."""
        found = ping_pong_now(*self._cpus)
        if found is not None:
            self.ns, self.canary_cycles = found.ns, found.canary_cycles
            if counts:
                self._looks.append(found.ns)
        return self.ns

    @property
    def moved(self) -> bool:
        """Whether they were further apart at the last look than they usually are; or nearer, once
        there were enough looks to say that they seldom are."""
        if self.ns is None:
            return False
        low, high = _usual_range(np.array(self._looks or [self.ns]))
        return self.ns >= high or (self.ns <= low and len(self._looks) >= _MANY)


def usual_looks(ns: NDArray[np.float64]) -> NDArray[np.bool_]:
    """Which of some looks, half round trips in nanoseconds, of shape (looks,), found the CPUs where
    they usually are: in the nearest state that is not rare. NaN, no look, counts as usual."""
    looks = ns[np.isfinite(ns)]
    if looks.size == 0:
        return np.ones(ns.shape, dtype=np.bool_)
    low, high = _usual_range(looks)
    return np.asarray(~((ns <= low) | (ns >= high)), dtype=np.bool_)


def _usual_range(looks: NDArray[np.float64]) -> tuple[float, float]:
    """Between which half round trips, in nanoseconds, the CPUs are where they usually are; by looks
    of shape (looks,), one at least."""
    ordered = np.sort(looks)
    alike = np.searchsorted(ordered, CHANGED * ordered) - np.arange(ordered.size)
    often = (alike > _OFTEN * alike.max()) & (alike >= min(2, alike.max()))
    nearest = np.flatnonzero(often)[0]
    middle = float(np.median(ordered[nearest : nearest + alike[nearest]]))
    return middle / _WITHIN, middle * _WITHIN


def check_core_to_core(machine: Root) -> Iterator[Check]:
    """The distance between the CPUs that we may use, as `doctor` says it: nothing on one CPU."""
    allowed = sorted(os.sched_getaffinity(0))
    if not machine.live or len(allowed) < 2:
        return
    looks = [found.ns for _ in range(_LOOKS) if (found := ping_pong_now(allowed[-1]))]
    if not looks:
        return
    low, high = min(looks), max(looks)
    if high >= CHANGED * low:
        yield Check(
            "core_to_core",
            "limits",
            f"{low:.0f} to {high:.0f} ns",
            "a hypervisor moves these CPUs, and rates between two of them change with it",
            "have the guest's virtual CPUs pinned to cores of one last-level cache; without that, "
            "searches wait while they are apart",
        )
        return
    yield Check(
        "core_to_core",
        "note",
        f"{np.median(looks):.0f} ns",
        f"half a round trip of a cache line between CPUs {allowed[-1]} and {allowed[0]}; searches "
        "look before each start",
    )
