"""Memory latency under load: a chase on one CPU while others stream, slower and faster.

Both are planecast-neighbour: `walk` with one access in flight, whose time a line is the latency;
`stream`, held to a rate. Loads take turns, so that what disturbs the machine falls on all of them
alike, and each is the median of its turns.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from typing import Annotated, Protocol

import numpy as np
from pydantic import BeforeValidator

from planecast.errors import RunError
from planecast.generators.neighbour import Done, Neighbour, Work
from planecast.instruments.latency_curve import monotone
from planecast.instruments.probe import boot_id, host_id
from planecast.instruments.remembered import cache_folder, recall, remember
from planecast.results.estimate import Estimate
from planecast.scenario.model import Noun, listed

LINE_BYTES = 64
WALK_BYTES = 256 << 20
"""Beyond what a tenant gets of any last level; 128 pages of 2 MiB, which every TLB reaches."""
STREAM_BYTES = 256 << 20
SHARES = (0.0, 0.25, 0.5, 0.75, 1.0)
"""Of the rate at which the others stream unhindered."""
TURNS = 6
TURN_SECONDS = 0.2
_SETTLING = 0.05
_VERSION = 1


class LoadedPoint(Noun):
    """Latency beside traffic."""

    gbs: Estimate
    """GB/s that all moved together."""
    ns: Estimate
    """Nanoseconds of a random access, 2 MiB pages where the kernel gives them."""


class LoadedLatency(Noun):
    """The curve of a host."""

    cpu: int
    """The one that was measured."""
    streaming: Annotated[tuple[int, ...], BeforeValidator(listed)]
    """Those that made the load."""
    points: Annotated[tuple[LoadedPoint, ...], BeforeValidator(listed)]
    """By rising load, the first without."""

    def risen(self) -> tuple[tuple[float, float], ...]:
        """(GB/s, ns) of the points, with latencies that never fall: what a model interpolates."""
        found = monotone([point.ns.value for point in self.points])
        return tuple((p.gbs.value, float(ns)) for p, ns in zip(self.points, found, strict=True))


class Worker(Protocol):
    """Does work on a CPU: a `Neighbour`."""

    def do(self, work: Work) -> None:
        """From now on."""

    def done(self) -> Done:
        """Of it so far."""


def loaded_latency(*, fresh: bool = False) -> LoadedLatency | None:
    """This host's curve; None with fewer than two CPUs. Remembered for this boot and these CPUs.

    Raises MissingError when the program isn't built, RunError when it fails.
    """
    cpus = sorted(os.sched_getaffinity(0))
    if len(cpus) < 2:
        return None
    which = "-".join(map(str, cpus[:8]))
    kept = cache_folder() / f"loaded-{_VERSION}-{host_id()}-{boot_id()}-{which}.json"
    if not fresh:
        known = recall(kept, LoadedLatency)
        if known is not None:
            return known
    cpu, others = cpus[-1], cpus[:-1]
    with ExitStack() as stack:
        walker = stack.enter_context(Neighbour(cpu))
        streamers = [stack.enter_context(Neighbour(other)) for other in others]
        points = measure_loaded(walker, streamers)
    found = LoadedLatency(cpu=cpu, streaming=tuple(others), points=points)
    remember(kept, found)
    return found


def measure_loaded(
    walker: Worker,
    streamers: Sequence[Worker],
    wait: Callable[[float], None] = time.sleep,
) -> tuple[LoadedPoint, ...]:
    """The points, by rising load. Raises RunError when a turn moved nothing."""
    walker.do(Work(mode="walk", bytes=WALK_BYTES, width=1))
    most = [_full_rate(streamer, wait) for streamer in streamers]
    turns: dict[float, list[tuple[float, float]]] = {share: [] for share in SHARES}
    for _ in range(TURNS):
        for share in SHARES:
            for streamer, rate in zip(streamers, most, strict=True):
                streamer.do(_stream(share, rate))
            wait(_SETTLING)
            turns[share].append(_turn(walker, streamers if share else (), wait))
    for streamer in streamers:
        streamer.do(Work())
    found = [_point(turns[share]) for share in SHARES]
    return tuple(sorted(found, key=lambda point: point.gbs.value))


def _full_rate(streamer: Worker, wait: Callable[[float], None]) -> float:
    streamer.do(Work(mode="stream", bytes=STREAM_BYTES))
    before = streamer.done()
    wait(TURN_SECONDS)
    after = streamer.done()
    streamer.do(Work())
    return _rate(before, after)


def _stream(share: float, rate: float) -> Work:
    if share == 0:
        return Work()
    held = 0.0 if share == 1 else share * rate  # 0: as fast as it goes
    return Work(mode="stream", bytes=STREAM_BYTES, lines_per_s=held)


def _turn(
    walker: Worker, streamers: Sequence[Worker], wait: Callable[[float], None]
) -> tuple[float, float]:
    """(GB/s of all, ns of a line) over a turn."""
    everyone = (walker, *streamers)
    before = [worker.done() for worker in everyone]
    wait(TURN_SECONDS)
    after = [worker.done() for worker in everyone]
    rates = [_rate(one, other) for one, other in zip(before, after, strict=True)]
    return sum(rates) * LINE_BYTES / 1e9, 1e9 / rates[0]


def _rate(before: Done, after: Done) -> float:
    """Lines a second between two answers."""
    lines, seconds = after.lines - before.lines, after.seconds - before.seconds
    if lines <= 0 or seconds <= 0:
        raise RunError("the neighbour moved no line while memory's latency was measured")
    return lines / seconds


def _point(turns: Sequence[tuple[float, float]]) -> LoadedPoint:
    loads, latencies = (np.array(column) for column in zip(*turns, strict=True))
    return LoadedPoint(gbs=_median(loads, "GB/s"), ns=_median(latencies, "ns"))


def _median(values: np.ndarray[tuple[int, ...], np.dtype[np.float64]], unit: str) -> Estimate:
    """The median with the range of the turns, which for six of them holds the true median in 97 of
    100 cases (binomial)."""
    ordered = np.sort(values)
    return Estimate(
        value=float(np.median(ordered)),
        low=float(ordered[0]),
        high=float(ordered[-1]),
        samples=int(values.size),
        unit=unit,
        kind="measured",
    )
