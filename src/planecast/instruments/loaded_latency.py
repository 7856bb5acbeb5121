"""Memory latency under load: a chase on one CPU while others stream, slower and faster.

Both are planecast-neighbour: `walk` with one access in flight, whose time a line is the latency;
`stream`, held to a rate. Loads take turns, so that what disturbs the machine falls on all of them
alike. A turn has many short slices. Those in which the others streamed less than they mostly can
report another load, and are left out; of the rest the 10th percentile counts, as in the probe:
what is slower was interrupted.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import Annotated, Protocol

import numpy as np
from pydantic import BeforeValidator

from planecast.cache_line import LINE_BYTES
from planecast.errors import RunError
from planecast.generators.neighbour import Done, Neighbour, Work
from planecast.instruments.disk_cache import cache_folder, recall, remember
from planecast.instruments.latency_curve import monotone
from planecast.instruments.probe import boot_id, host_id
from planecast.results.estimate import Estimate
from planecast.scenario.model import Noun, listed

WALK_BYTES = 256 << 20
"""Beyond what a tenant gets of any last level; 128 pages of 2 MiB, which every TLB reaches."""
STREAM_BYTES = 256 << 20
SHARES = (0.0, 0.25, 0.5, 0.75, 1.0)
"""Of the rate at which the others stream unhindered."""
TURNS = 6
SLICES = 15
SLICE_SECONDS = 0.012
FULL_SLICE = 0.9
"""Share of the rate that one in ten slices exceeds: a slice that has less was disturbed."""
MOST_ALONE = 1.4
"""Times the probe's latency that a chase alone may take: slices hold short interruptions."""
_SETTLING = 0.03
_FEWEST = 5
_VERSION = 4


class LoadedPoint(Noun):
    """Latency under traffic."""

    gbs: Estimate
    """GB/s that all moved together."""
    ns: Estimate
    """Nanoseconds of a random access, 2 MiB pages where the kernel gives them."""


class LoadedLatency(Noun):
    """The curve of a host."""

    undisturbed_share: float
    """Share of the slices that count."""
    points: Annotated[tuple[LoadedPoint, ...], BeforeValidator(listed)]
    """By rising load, the first without."""

    def risen(self) -> tuple[tuple[float, float], ...]:
        """(GB/s, ns) of the points, with latencies that never fall: what a model interpolates."""
        found = monotone([point.ns.value for point in self.points])
        return tuple((p.gbs.value, float(ns)) for p, ns in zip(self.points, found, strict=True))

    def rise(self) -> tuple[tuple[float, float], ...]:
        """(GB/s, times the latency without traffic), likewise."""
        points = self.risen()
        return tuple((gbs, ns / points[0][1]) for gbs, ns in points)


class Worker(Protocol):
    """Does work on a CPU: a `Neighbour`."""

    def do(self, work: Work) -> None:
        """From now on."""

    def done(self) -> Done:
        """Of it so far."""


def loaded_latency(idle_ns: float, *, fresh: bool = False) -> LoadedLatency | None:
    """This host's curve; None with fewer than two CPUs. Remembered for this boot and these CPUs.

    `idle_ns` is memory's latency as the probe found it in undisturbed slices. Raises MissingError
    when the program isn't built, RunError when it fails and when others take the CPUs, so that a
    chase alone takes much longer.
    """
    cpus = sorted(os.sched_getaffinity(0))
    if len(cpus) < 2:
        return None
    if not fresh:
        known = remembered_latency()
        if known is not None:
            return known
    cpu, others = cpus[-1], cpus[:-1]
    with ExitStack() as stack:
        walker = stack.enter_context(Neighbour(cpu))
        streamers = [stack.enter_context(Neighbour(other)) for other in others]
        points, share = measure_loaded(walker, streamers)
    found = LoadedLatency(undisturbed_share=share, points=points)
    alone = found.points[0].ns.value
    if alone > MOST_ALONE * idle_ns:
        raise RunError(
            f"others take the CPUs: a chase alone takes {alone:.0f} ns, "
            f"{idle_ns:.0f} with its CPU to itself",
            what_to_do="run it when the machine is quieter",
        )
    remember(kept_at(cpus), found)
    return found


def remembered_latency() -> LoadedLatency | None:
    """This host's curve, if it was measured since it booted and on the CPUs that we have."""
    return recall(kept_at(sorted(os.sched_getaffinity(0))), LoadedLatency)


def kept_at(cpus: Sequence[int]) -> Path:
    """Where the curve of these CPUs is kept until this host boots."""
    which = "-".join(map(str, cpus[:8]))
    return cache_folder() / f"loaded-{_VERSION}-{host_id()}-{boot_id()}-{which}.json"


def measure_loaded(
    walker: Worker,
    streamers: Sequence[Worker],
    wait: Callable[[float], None] = time.sleep,
) -> tuple[tuple[LoadedPoint, ...], float]:
    """The points, by rising load, and the share of the slices that they rest on.

    Raises RunError when nothing moved.
    """
    walker.do(Work(mode="walk", bytes=WALK_BYTES, width=1))
    most = [_full_rate(streamer, wait) for streamer in streamers]
    slices: dict[float, list[tuple[float, float]]] = {share: [] for share in SHARES}
    for _ in range(TURNS):
        for share in SHARES:
            for streamer, rate in zip(streamers, most, strict=True):
                streamer.do(_stream(share, rate))
            wait(_SETTLING)
            slices[share] += _turn((walker, *streamers), wait)
    for streamer in streamers:
        streamer.do(Work())
    kept = {share: _undisturbed(slices[share]) for share in SHARES}
    points = [_point(found) for found in kept.values()]
    used = sum(len(found) for found in kept.values()) / sum(map(len, slices.values()))
    return tuple(sorted(points, key=lambda point: point.gbs.value)), used


def _full_rate(streamer: Worker, wait: Callable[[float], None]) -> float:
    """Lines a second of a streamer unhindered: the fastest slice, for others may disturb it."""
    streamer.do(Work(mode="stream", bytes=STREAM_BYTES))
    wait(_SETTLING)
    rates = [streamed for _, streamed in _turn((streamer, streamer), wait)]
    streamer.do(Work())
    if max(rates) <= 0:
        raise RunError("the neighbour moved no line while memory's latency was measured")
    return max(rates)


def _stream(share: float, rate: float) -> Work:
    if share == 0:
        return Work()
    held = 0.0 if share == 1 else share * rate  # 0: as fast as it goes
    return Work(mode="stream", bytes=STREAM_BYTES, lines_per_s=held)


def _turn(workers: Sequence[Worker], wait: Callable[[float], None]) -> list[tuple[float, float]]:
    """(lines a second of the first, of all others) in each slice of a turn."""
    found = []
    before = [worker.done() for worker in workers]
    for _ in range(SLICES):
        wait(SLICE_SECONDS)
        after = [worker.done() for worker in workers]
        rates = [_rate(one, other) for one, other in zip(before, after, strict=True)]
        found.append((rates[0], sum(rates[1:])))
        before = after
    return found


def _rate(before: Done, after: Done) -> float:
    """Lines a second between two answers; 0 where it did nothing."""
    lines, seconds = after.lines - before.lines, after.seconds - before.seconds
    return lines / seconds if lines > 0 and seconds > 0 else 0.0


def _undisturbed(slices: Sequence[tuple[float, float]]) -> list[tuple[float, float]]:
    """Slices in which the walker moved and the others streamed as they mostly can."""
    usual = float(np.quantile([streamed for _, streamed in slices], 0.9))
    kept = [one for one in slices if one[0] > 0 and one[1] >= FULL_SLICE * usual]
    if len(kept) < _FEWEST:
        raise RunError(
            "others take the CPUs: too few slices were undisturbed",
            what_to_do="run it when the machine is quieter",
        )
    return kept


def _point(slices: Sequence[tuple[float, float]]) -> LoadedPoint:
    """The 10th percentile of latencies, its interval by order statistics, and the mean load."""
    walked, streamed = (np.array(column) for column in zip(*slices, strict=True))
    order = np.sort(1e9 / walked)
    n = order.size
    half = 1.96 * float(np.sqrt(0.09 * n))  # of a binomial with 0.1
    low, high = (round(min(max(0.1 * n + side, 0), n - 1)) for side in (-half, half))
    quick = float(order[int(0.1 * (n - 1))])
    gbs = float((streamed.mean() + 1e9 / quick) * LINE_BYTES / 1e9)
    return LoadedPoint(
        gbs=Estimate(value=gbs, samples=n, unit="GB/s", kind="measured"),
        ns=Estimate(
            value=quick,
            low=min(quick, float(order[low])),
            high=max(quick, float(order[high])),
            samples=n,
            unit="ns",
            kind="measured",
        ),
    )
