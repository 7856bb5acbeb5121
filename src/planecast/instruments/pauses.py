"""When CPUs are taken from a program that only polls: by interrupts, the kernel, another guest.

The probe spins on the clock of several CPUs at once and notes every time that it was away for more
than a microsecond. That is measured without packets, so it may explain their loss and latency.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from planecast.errors import RunError
from planecast.instruments.probe_process import probe_words, run_probe

Floats = NDArray[np.float64]

_ROUNDING_S = 1e-9

SHORTEST_US = 1.0
"""The probe takes what is shorter for a turn of its own loop (native/probe/interruptions.c)."""


@dataclass(frozen=True)
class Pauses:
    """Those of one CPU, seconds since all CPUs of a recording began."""

    cpu: int
    seconds: float
    """For how long it was watched."""
    starts_s: Floats
    """Ascending; none begins before the last one has ended."""
    lengths_s: Floats

    def window(self, offset_s: float, seconds: float) -> tuple[Floats, Floats]:
        """Starts and lengths of what falls into [offset, offset + seconds), starts from its
        beginning on. A recording that is shorter goes round."""
        offset_s %= self.seconds
        turns = range(int((offset_s + seconds) // self.seconds) + 1)
        starts = np.concatenate([self.starts_s + turn * self.seconds for turn in turns]) - offset_s
        ends = np.minimum(starts + np.tile(self.lengths_s, len(turns)), seconds)
        starts = np.maximum(starts, 0.0)
        inside = ends > starts
        return starts[inside], (ends - starts)[inside]


def watch_pauses(cpus: Sequence[int], seconds: float) -> list[Pauses]:
    """Spins on all of these CPUs at once for `seconds` (0.001 to 10).

    Raises MissingError when the probe is not built, RunError when it fails.
    """
    named = ",".join(map(str, cpus))
    words = probe_words("--interruptions", named, "--seconds", f"{seconds:.6f}")
    return parse_pauses(run_probe(words, seconds + 60))


def parse_pauses(text: str) -> list[Pauses]:
    """What ``planecast-probe --interruptions`` prints. Raises RunError for anything else."""
    try:
        answer = json.loads(text)
        hz = float(answer["tsc_hz"])
        found = [
            Pauses(
                cpu=int(one["cpu"]),
                seconds=float(answer["cycles"]) / hz,
                starts_s=np.array(one["starts"], dtype=np.float64) / hz,
                lengths_s=np.array(one["lengths"], dtype=np.float64) / hz,
            )
            for one in answer["cpus"]
        ]
    except (ValueError, KeyError, TypeError, ZeroDivisionError) as error:
        raise RunError(f"planecast-probe sent a malformed reply: {error!r}") from error
    for one in found:
        if len(one.starts_s) != len(one.lengths_s):
            raise RunError("planecast-probe answered starts without lengths")
        ends = one.starts_s + one.lengths_s
        if np.any(one.starts_s[1:] < ends[:-1] - _ROUNDING_S):
            raise RunError("planecast-probe answered interruptions that overlap")
    return found
