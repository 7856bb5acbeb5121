"""Recording: what another tool has counted, as its file says it."""

from __future__ import annotations

from dataclasses import dataclass, field


@dataclass(frozen=True)
class Count:
    """An event's count in one round at one place."""

    event: str
    """As the file names it."""
    value: float | None
    """None when there is none; `reason` says why."""
    running: float = 1.0
    """Share of the time in which a counter counted it; the value is scaled up to the whole time."""
    round: float = 0.0
    """End of the round in seconds since the start; 0 for one count of the whole."""
    place: str = ""
    """``CPU3``, ``S0-D0-C1``; empty for all together."""
    reason: str = ""
    """``<not supported>``, ``<not counted>``, ``nan``."""


@dataclass(frozen=True)
class Share:
    """A node's share as another tool has computed it."""

    node: str
    """The tool's name: ``Frontend_Bound.Fetch_Latency``, ``tma_backend_bound``."""
    value: float | None
    """Of 1; None when there is none."""
    running: float = 1.0
    """As of a count."""
    round: float = 0.0
    place: str = ""
    spread: float | None = None
    """Standard deviation over the tool's own repetitions, of 1."""


@dataclass(frozen=True)
class Reading:
    """Any other figure of a tool, by the name of its column."""

    name: str
    """With its unit where the column has one: ``Mem Read (MB/s)``."""
    value: float | None
    round: float = 0.0
    """Seconds since the first row; the row's number where there is no time."""
    place: str = ""
    """``SKT0``, ``Socket 0``, ``Core3 (Socket 0)``."""


@dataclass(frozen=True)
class Recording:
    """All that a file holds."""

    tool: str
    """What wrote it: ``perf stat``, ``toplev``, ``pcm-memory``."""
    counts: tuple[Count, ...] = ()
    shares: tuple[Share, ...] = ()
    readings: tuple[Reading, ...] = ()
    seconds: float | None = None
    """How long it counted, where the file says it."""
    remarks: tuple[str, ...] = field(default=())
    """What is odd in the file, a sentence each."""
