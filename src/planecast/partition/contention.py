"""What a neighbour costs a calibrated data plane: less of the last cache level, slower memory.

Both are a fixed point. The neighbour's lines take part in Che's approximation at the rate at which
it touches them, which follows from where they are found; what room is left to the data plane is
the size at which, alone, each of its lines would stay as long. Memory's latency rises with what
both ask for. The data plane's cost is then the closed form's, on a machine with that cache and that
memory. A neighbour on a sibling thread takes a part of the core as well.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from planecast.engines.solve.cache import hit_shares
from planecast.engines.solve.engine import UNSURE_BESIDE
from planecast.engines.solve.regions import Region, facts_of, regions_of
from planecast.generators.neighbour import Work
from planecast.machine.hierarchy import LINE_BYTES, Hierarchy
from planecast.model.calibration import Calibration
from planecast.model.neighbours import line_cycles
from planecast.model.prediction import predict
from planecast.model.supported import asked
from planecast.results.estimate import Estimate
from planecast.results.result import Result
from planecast.scenario.scenario import Scenario

Floats = NDArray[np.float64]

_ROUNDS = 60
_SETTLED = 1e-4


@dataclass(frozen=True)
class Contended:
    """A machine as it is beside a neighbour."""

    calibration: Calibration
    cache_share: float
    """Of the last level, what is left to the data plane."""
    neighbour_lines_per_s: float
    memory_factor: float
    """Latency of memory over an idle machine's."""
    memory_source: str
    """Where that is from, in words."""


@dataclass(frozen=True)
class Parts:
    """A last level that is divided, and memory that is held back."""

    own: float
    """Share of it that the data plane may fill."""
    other: float
    """Share that the neighbour may fill."""
    held_back: float = 1.0
    """How many times as long memory takes for the neighbour, by its limit of bandwidth."""


def beside(
    calibration: Calibration,
    scenario: Scenario,
    work: Work,
    memory_gbs: float | None,
    parts: Parts | None = None,
) -> Contended:
    """The machine that the data plane has beside this neighbour; both share the last level, or
    have the `parts` of it that a division gives them. Memory gives `memory_gbs` at most, if that is
    known (`Hierarchy.memory_by_load`)."""
    whole = parts.own if parts is not None else 1.0
    if work.mode in ("idle", "spin") or work.bytes <= _private_bytes(calibration.hierarchy):
        rate = _private_rate(calibration.hierarchy, work)
        quiet = on_what_is_left(calibration, whole, 1.0) if parts is not None else calibration
        return Contended(quiet, whole, rate, 1.0, "memory is as without it")
    hierarchy = calibration.hierarchy.with_last_level(calibration.last_level_factor)
    memory = hierarchy.memory_by_load(memory_gbs)
    facts = facts_of(asked([scenario]))
    regions = regions_of(facts)
    capacity = np.array([hierarchy.levels[-1].size_bytes / LINE_BYTES])
    # The other sizes of the last level matter to the interval alone.
    one = calibration.model_copy(update={"alternatives": ()})
    held_back = parts.held_back if parts is not None else 1.0
    share, factor, hit, rate = whole, 1.0, 0.5, 0.0
    for turn in range(_ROUNDS):
        step = 1.0 if turn == 0 else 0.4
        slower = on_what_is_left(one, share, factor)
        cycles = float(predict([scenario], slower, by_stage=False).value[0])
        rate = _rate(hierarchy, work, hit, factor * held_back)
        own = _region(work, rate * cycles / hierarchy.tsc_hz / len(scenario.placement.cpus))
        if parts is None:
            shares = hit_shares([*regions, own], capacity, facts.lcores, shared=True)
            left = _left(regions, shares[:-1], capacity, work.bytes / LINE_BYTES)
        else:
            shares = hit_shares(regions, capacity * parts.own, facts.lcores, shared=True)
            shares += hit_shares([own], capacity * parts.other, facts.lcores, shared=True)
            left = parts.own
        served = float(shares[-1][0])
        moved = abs(served - hit)
        hit = (1 - step) * hit + step * served
        moved = max(moved, abs(left - share))
        share = (1 - step) * share + step * left
        missed = sum(float((r.touches * (1 - s))[0]) for r, s in zip(regions, shares, strict=False))
        pps = hierarchy.tsc_hz * len(scenario.placement.cpus) / cycles
        gbs = (rate * (1 - hit) + pps * missed) * LINE_BYTES / 1e9
        wanted = memory.latency_ns(gbs) / memory.latency_ns(pps * missed * LINE_BYTES / 1e9)
        moved = max(moved, abs(wanted - factor))
        factor = (1 - step) * factor + step * wanted
        if moved < _SETTLED:
            break
    source = hierarchy.memory_source(memory_gbs)
    return Contended(on_what_is_left(calibration, share, factor), share, rate, factor, source)


def with_neighbour(
    result: Result, quiet: Result, contended: Contended, thread_factor: float = 1.0
) -> Result:
    """A predicted result with what the neighbour's effect leaves open, and what a busy sibling
    takes (`thread_factor` on the cost)."""
    cost = result.cycles_per_packet.scaled(thread_factor, result.cycles_per_packet.unit)
    added = cost.value - quiet.cycles_per_packet.value
    half = np.hypot((cost.high or cost.value) - cost.value, UNSURE_BESIDE * added)
    wider = Estimate(
        value=cost.value,
        low=max(cost.value - float(half), 0.01 * cost.value),
        high=cost.value + float(half),
        unit=cost.unit,
        kind="computed",
    )
    clock = result.throughput_pps.value * result.cycles_per_packet.value
    throughput = Estimate(
        value=clock / wider.value,
        low=clock / (wider.high or wider.value),
        high=clock / (wider.low or wider.value),
        unit="pps",
        kind="computed",
    )
    note = (
        f"beside the neighbour: {100 * contended.cache_share:.0f} % of the last cache level, "
        f"memory {contended.memory_factor:.2f} times as far; it touches "
        f"{contended.neighbour_lines_per_s / 1e6:.1f} M lines/s; {contended.memory_source}"
    )
    return result.model_copy(
        update={
            "cycles_per_packet": wider,
            "throughput_pps": throughput,
            "notes": (*result.notes, note),
        }
    )


def on_what_is_left(calibration: Calibration, share: float, factor: float) -> Calibration:
    """The calibration on a machine with this share of the last level, and memory `factor` times as
    far."""
    return calibration.model_copy(
        update={
            "hierarchy": calibration.hierarchy.with_memory(factor),
            "last_level_factor": calibration.last_level_factor * share,
            "alternatives": tuple(
                a.model_copy(update={"last_level_factor": a.last_level_factor * share})
                for a in calibration.alternatives
            ),
        }
    )


def _private_bytes(hierarchy: Hierarchy) -> float:
    return max((level.size_bytes for level in hierarchy.levels if not level.shared), default=0.0)


def _private_rate(hierarchy: Hierarchy, work: Work) -> float:
    """Lines a second of a neighbour whose working set is its own core's."""
    if work.mode in ("idle", "spin"):
        return 0.0
    level = next((x for x in hierarchy.levels if x.size_bytes >= work.bytes), hierarchy.levels[-1])
    return _limited(work, hierarchy.tsc_hz / level.line_cycles)


def _limited(work: Work, lines_per_s: float) -> float:
    return min(work.lines_per_s, lines_per_s) if work.lines_per_s else lines_per_s


def _rate(hierarchy: Hierarchy, work: Work, hit: float, factor: float) -> float:
    """Lines a second of a neighbour beyond its core's own caches."""
    width = np.array([float(work.width)])
    cycles = line_cycles(hierarchy, work.mode == "walk", width, hit, factor)
    return _limited(work, hierarchy.tsc_hz / float(cycles[0]))


def _region(work: Work, touches: float) -> Region:
    """The neighbour's lines, which it touches in order, over and over."""
    lines = np.array([work.bytes / LINE_BYTES])
    return Region(
        stage="neighbour",
        name="working set",
        cyclic=True,
        lines=lines,
        touches=np.array([touches]),
        pages=lines / 64,
        total_lines=lines,
    )


def _left(
    regions: Sequence[Region], shares: Sequence[Floats], capacity: Floats, neighbour_lines: float
) -> float:
    """Share of the cache that the data plane's lines take up: alone in so much, they'd stay as
    long."""
    held = needed = 0.0
    for region, share in zip(regions, shares, strict=True):
        if float(region.touches[0]) <= 0:
            continue
        lines, served = float(region.total_lines[0]), float(share[0])
        needed += lines
        # A cyclic region's lines are there for the part of a round that they stay (solve/cache).
        rest = max(1 - served, 1e-300)
        stay = min(1.0, float(-np.log(rest)) ** 0.25) if region.cyclic else served
        held += lines * stay
    size = float(capacity[0])
    if needed + neighbour_lines <= size:
        return 1.0
    return float(np.clip(held / size, 1e-3, 1.0))
