"""Latency of memory under load.

A request waits for those before it: with the share u of the peak in use, latency = idle +
wait * u / (1 - u), the mean of a queue with one server. At full use it grows until demand fits, so
u stays below 1. Source of the form: any text on queues (M/M/1); `reproduce components` holds it
against published points.
"""

from __future__ import annotations

from dataclasses import dataclass

_FULL = 0.97
"""Share of the peak beyond which the curve goes on as a straight line, so that it stays finite."""

WAIT_SHARE = 0.12
"""Wait at half the peak, as a share of the idle latency; 0.12 joins 82 ns at 1.2 GB/s to 98.9 ns at
68.4 of about 142 GB/s (published, two sockets of eight cores)."""


@dataclass(frozen=True)
class Memory:
    """Memory of one socket."""

    idle_ns: float
    peak_gbs: float
    """What reads reach at most, GB/s."""
    wait_ns: float | None = None
    """Wait at half the peak; by default a share of the idle latency."""

    def latency_ns(self, load_gbs: float) -> float:
        """Nanoseconds of a line when so many GB/s are under way. Never falls with load."""
        wait = WAIT_SHARE * self.idle_ns if self.wait_ns is None else self.wait_ns
        used = max(0.0, load_gbs) / self.peak_gbs
        if used <= _FULL:
            return self.idle_ns + wait * used / (1 - used)
        slope = wait / (1 - _FULL) ** 2
        return self.idle_ns + wait * _FULL / (1 - _FULL) + slope * (used - _FULL)
