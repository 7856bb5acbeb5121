"""One interface to whoever sends: entered it is configured, `start` runs a trial, `wait` reads it
after it has drained. Ours, any server of the Open Traffic Generator API, TRex.

An answer is that of our own generator (docs/reference/interfaces.md, section 4), of which a search
needs the keys that `run_answer` makes.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from typing import Any, Protocol

from planecast.host import Root
from planecast.host.clock import tsc_hz
from planecast.scenario.dataplanes.packets import Packets


class LoadGenerator(AbstractContextManager["LoadGenerator", None], Protocol):
    """A generator with its streams configured. Context manager; stops everything on exit."""

    late_s: float
    """How much later than asked a run may begin or be known to have ended."""

    def prepare(self, rate_pps: float, seconds: float) -> None:
        """Says what the next `start` will ask for, where that takes time. Raises as it does."""

    def start(
        self,
        streams: Sequence[str] = (),
        seconds: float | None = None,
        keys: Mapping[str, object] | None = None,
    ) -> None:
        """Starts a run of so many seconds and returns; ``keys["rate"]`` is packets a second.

        Raises InputError for what it can't send, RunError when it fails.
        """

    def stats(self) -> dict[str, Any]:
        """The run by now."""

    def wait(self, timeout_s: float = 120.0) -> dict[str, Any]:
        """Waits until the run is over and drained; the run. Raises RunError."""


@dataclass(frozen=True)
class ServerPlan:
    """What a generator of others is asked for: a server that runs already."""

    server: str
    """Where it listens, as ``generator.server`` has it."""
    tx: str
    """The port that sends, in the server's own words."""
    rx: str
    """The one that receives; may be the same."""
    frame_bytes: int
    flows: int
    """Pairs of addresses that the packets go through."""
    packets: Packets
    """Their headers."""
    drain_s: float
    """Counters are read no sooner than this after the last packet was sent."""


def run_answer(
    plan: ServerPlan,
    *,
    rate_pps: float,
    seconds: float,
    sent: int,
    received: int,
    latency_ns: Mapping[str, float] | None = None,
    running: bool,
) -> dict[str, Any]:
    """What a generator of others has counted, in the words of ours.

    Such a generator reports what it sent, not what it ought to have: that is rate times time. It is
    taken at its word that it sent for as long as it was asked to.
    """
    asked = round(rate_pps * seconds)
    drained_ms = 0.0 if running else 1e3 * plan.drain_s
    clock = tsc_hz(Root())
    return {
        "running": running,
        "seconds": seconds,
        "total": {
            "asked": asked,
            "sent": sent,
            "unsent": max(asked - sent, 0),
            "refused": 0,
            "received": received,
            "lost": sent - received,
            "latency_ns": dict(latency_ns) if latency_ns else None,
        },
        "gave_up": False,
        "drain_ms": {"asked": drained_ms, "took": drained_ms},
        "tsc_hz": clock[0] if clock else 0.0,
    }
