"""From the slices that planecast-probe prints to a MachineProbe: pure, no clock, no files."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np

from planecast.cache_line import LINE_BYTES
from planecast.errors import RunError
from planecast.instruments.latency_curve import (
    Claim,
    crossing,
    find_steps,
    memory_latency,
    monotone,
    plateau,
    windows,
)
from planecast.instruments.machine_probe import (
    CacheLevel,
    CpuPair,
    CurvePoint,
    FlightPoint,
    LineTransfer,
    MachineProbe,
    PagePoint,
)
from planecast.instruments.probe_output import (
    ProbedPair,
    ProbedPoint,
    ProbedTransfer,
    ProbeOutput,
    Reader,
)
from planecast.instruments.quantiles import turn_quantile
from planecast.results.estimate import Estimate

FAST_WIDTH = 8
SIBLING_SLOWDOWN = 1.2
TRANSFER_TURN = 20
"""Slices in a row that what disturbs may have in common."""

_TYPICAL = (Claim("L1", 32 << 10, None), Claim("L2", 1 << 20, None), Claim("LLC", 32 << 20, None))


def read_probe(output: ProbeOutput, *, probed_at: str) -> MachineProbe:
    """What the slices say. Raises RunError when the run was too short to have every kind of
    point."""
    reader = Reader(output)
    curve = _curve(reader, _of(output, "chase", "2MiB", 1))
    fast = _curve(reader, _of(output, "chase", "2MiB", FAST_WIDTH))
    additions = reader.estimate(_of(output, "additions", "2MiB", 1)[0]).value
    stream = reader.estimate(_of(output, "stream", "2MiB", 1)[0])
    return MachineProbe(
        probed_at=probed_at,
        cpu=output.cpu,
        cpu_model=output.cpu_model,
        tsc_hz=output.tsc_hz,
        core_hz=output.tsc_hz / additions,
        levels=_levels(output, curve, fast),
        memory_latency_cycles=_height(curve, float("-inf"), None),
        fast_curve=fast,
        pages=tuple(_pages(reader, output)),
        flights=tuple(_flights(reader, output)),
        stream_bytes_per_second=_inverse(stream, LINE_BYTES * output.tsc_hz, "B/s"),
        pairs=tuple(_pair(pair) for pair in output.siblings),
        transfers=tuple(_transfer(one) for one in output.transfers),
        notes=tuple(_notes(output, reader)),
    )


def _of(output: ProbeOutput, kind: str, page: str, width: int) -> list[ProbedPoint]:
    """Points of one kind, by rising working set."""
    found = [p for p in output.points if (p.kind, p.page, p.width) == (kind, page, width)]
    if not found:
        raise RunError(
            f"planecast-probe ended before it had measured {kind} with {page} pages",
            what_to_do="give it more seconds",
        )
    return sorted(found, key=lambda point: point.bytes)


def _curve(reader: Reader, points: Iterable[ProbedPoint]) -> tuple[CurvePoint, ...]:
    return tuple(
        CurvePoint(
            size_bytes=point.lines * LINE_BYTES,
            cycles=reader.estimate(point),
        )
        for point in points
    )


def _ends(curve: Sequence[CurvePoint]) -> tuple[list[int], list[list[float]]]:
    """Sizes, and the curve's values, lower ends and upper ends."""
    cycles = [point.cycles for point in curve]
    lows = [e.value if e.low is None else e.low for e in cycles]
    highs = [e.value if e.high is None else e.high for e in cycles]
    return [point.size_bytes for point in curve], [[e.value for e in cycles], lows, highs]


def _height(curve: Sequence[CurvePoint], low: float, high: float | None) -> Estimate:
    """The curve's height between two sizes in bytes; of memory when there is no upper one."""
    sizes, ends = _ends(curve)
    at = [
        memory_latency(sizes, monotone(y))
        if high is None
        else plateau(sizes, monotone(y), low, high)
        for y in ends
    ]
    samples = sum(point.cycles.samples for point in curve)
    return _ordered(at[0], at[1], at[2], samples, "cycles")


def _ordered(value: float, a: float, b: float, samples: int, unit: str) -> Estimate:
    return Estimate(
        value=value,
        low=min(value, a, b),
        high=max(value, a, b),
        samples=samples,
        unit=unit,
        kind="measured",
    )


def _inverse(cycles: Estimate, factor: float, unit: str) -> Estimate:
    low = cycles.value if cycles.low is None else cycles.low
    high = cycles.value if cycles.high is None else cycles.high
    samples = cycles.samples
    return _ordered(factor / cycles.value, factor / high, factor / low, samples, unit)


def _sizes(curve: Sequence[CurvePoint], claims: list[Claim]) -> list[Estimate]:
    """Where the curve leaves each level; the interval is that of the curve at the same height."""
    sizes, ends = _ends(curve)
    steps = find_steps(sizes, ends[0], claims)
    heights = [step.latency for step in steps] + [memory_latency(sizes, monotone(ends[0]))]
    samples = sum(point.cycles.samples for point in curve)
    found = []
    for step, here, above in zip(steps, heights[:-1], heights[1:], strict=True):
        middle = (here + above) / 2
        early = crossing(sizes, monotone(ends[2]), middle)
        late = crossing(sizes, monotone(ends[1]), middle)
        found.append(_ordered(step.size_bytes, early, late, samples, "bytes"))
    return found


def _claims(output: ProbeOutput) -> list[Claim]:
    caches = sorted((c for c in output.caches if c.type != "Instruction"), key=lambda c: c.level)
    if len(caches) < 2:
        return list(_TYPICAL)
    names = [f"L{cache.level}" for cache in caches[:-1]] + ["LLC"]
    return [
        Claim(name, cache.bytes, cache.ways or None)
        for name, cache in zip(names, caches, strict=True)
    ]


def _levels(
    output: ProbeOutput, curve: Sequence[CurvePoint], fast: Sequence[CurvePoint]
) -> tuple[CacheLevel, ...]:
    claims = _claims(output)
    sizes = _sizes(curve, claims)
    # The fast curve begins beyond the first level.
    fast_sizes = [None, *_sizes(fast, claims[1:])]
    return tuple(
        CacheLevel(
            name=claim.name,
            claimed_bytes=claim.size_bytes,
            size_bytes=size,
            fast_size_bytes=fast_size,
            ways=claim.ways,
            latency_cycles=_height(curve, low, high),
        )
        for claim, size, fast_size, (low, high) in zip(
            claims, sizes, fast_sizes, windows(claims), strict=True
        )
    )


def _pages(reader: Reader, output: ProbeOutput) -> Iterable[PagePoint]:
    found = {
        (point.page, point.width, point.lines): reader.estimate(point)
        for point in output.points
        if point.kind == "page_chase"
    }
    for point in _of(output, "page_chase", "4KiB", 1):
        yield PagePoint(
            pages=point.lines,
            small_cycles=found["4KiB", 1, point.lines],
            huge_cycles=found.get(("2MiB", 1, point.lines)),
            small_together_cycles=found.get(("4KiB", FAST_WIDTH, point.lines)),
            huge_together_cycles=found.get(("2MiB", FAST_WIDTH, point.lines)),
        )


def _flights(reader: Reader, output: ProbeOutput) -> Iterable[FlightPoint]:
    for batch in sorted((p for p in output.points if p.kind == "prefetch"), key=_page_and_width):
        yield FlightPoint(
            width=batch.width,
            page_size=batch.page,
            prefetch_cycles=reader.estimate(batch),
        )


def _page_and_width(point: ProbedPoint) -> tuple[str, int]:
    return point.page, point.width


def _pair(pair: ProbedPair) -> CpuPair:
    # Medians of phases that took turns: a third party on the core slows both alike.
    slowdown = float(np.median(pair.both) / np.median(pair.alone))
    return CpuPair(other=pair.other, siblings=slowdown > SIBLING_SLOWDOWN)


def _transfer(found: ProbedTransfer) -> LineTransfer:
    # The 10th percentile, as everywhere here: the other CPU may be away for a while.
    return LineTransfer(
        other=found.other,
        alone_cycles=_low(found.alone),
        read_cycles=_low(found.read),
        write_cycles=_low(found.write),
    )


def _low(cycles: Sequence[float]) -> Estimate:
    values = np.asarray(cycles)
    value, low, high = turn_quantile(values, np.arange(values.size) // TRANSFER_TURN)
    return _ordered(value, low, high, int(values.size), "cycles")


def _notes(output: ProbeOutput, reader: Reader) -> Iterable[str]:
    if len([c for c in output.caches if c.type != "Instruction"]) < 2:
        yield "the kernel reports no caches here: the levels were looked for at typical sizes"
    if output.huge_share < 0.99:
        yield (
            f"only {100 * output.huge_share:.0f} % of the 2 MiB memory was in 2 MiB pages: "
            "transparent hugepages are off or memory is scattered"
        )
    if reader.poor:
        yield (
            f"{len(reader.poor)} of {len(output.points)} points had too few undisturbed slices, "
            "so all of theirs were taken"
        )
