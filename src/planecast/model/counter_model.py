"""A workload known by counters alone: instructions, and lines by the level that served them.

No stages, no regions: cycles a packet are

    CPI_core * instructions + BF * lines a packet from L2, last level and memory times their latency

the vPE study's cost model (Fig 6) with one blocking factor for all levels. What other caches would
serve is assumed, as little as possible:

- Lines from memory at a size of the last level that was counted are as counted. They fall ever more
  slowly as it grows, so between two sizes they lie below the line through both and above the lines
  through each and its other neighbour.
  Outside of the counted sizes they lie between staying as they are and following that line; with
  one size, the line is that of a footprint of which nothing but room is missing.
- Misses of an L2 of another size follow the square root of it, an empirical rule of thumb
  (Hartstein et al., 2006), between not following it at all and following it in proportion.

Half of what lies between these is taken as a standard deviation.
"""

from __future__ import annotations

from typing import Annotated, NamedTuple

import numpy as np
from numpy.typing import NDArray
from pydantic import Field

from planecast.cache_line import LINE_BYTES
from planecast.machine.hierarchy import Flight, Hierarchy, Level
from planecast.scenario.machine import Machine
from planecast.scenario.model import ListOf, Noun

Floats = NDArray[np.float64]

STAGE = "whole"
"""In place of a stage."""
BF = "overlap.counted"
"""Parameter: the blocking factor of all levels together. The other one is `machine.core.CPI`."""
_SAME_SIZE = 0.01


class MemoryLines(Noun):
    """What came from memory with a last level of a size."""

    llc_bytes: Annotated[float, Field(gt=0)]
    """Of it, for each lcore."""
    lines: Annotated[float, Field(ge=0)]
    """A packet."""


class Counted(Noun):
    """What counters reported about a workload."""

    files: ListOf[str]
    """Which were read."""
    machine: Machine
    """Where it ran."""
    lcores: Annotated[int, Field(ge=1)]
    """Cores that shared its last level and did the same."""
    l2_lines: Annotated[float, Field(ge=0)]
    """Lines a packet that L2 served; 0 where that wasn't counted."""
    llc_lines: Annotated[float, Field(ge=0)] | None
    """Lines a packet that asked the last level; None where that wasn't counted."""
    memory: Annotated[ListOf[MemoryLines], Field(min_length=1)]
    """By rising size."""


class CountedCost(NamedTuple):
    """TSC cycles a packet of scenarios: arrays of shape (scenarios,)."""

    value: Floats
    slopes: Floats
    """Of its logarithm by those of the parameters, of shape (2, scenarios)."""
    caches: Floats
    """Standard deviation of its logarithm by what other caches serve."""
    memory_lines: Floats
    outside: NDArray[np.bool_]
    """The last level lies outside the counted sizes."""


def counted_cost(
    counted: Counted,
    hierarchy: Hierarchy,
    lcores: Floats,
    *,
    instructions: float,
    parameters: Floats,
) -> CountedCost:
    """What a packet costs on a machine, by the number of lcores that share it. `parameters` are
    core cycles an instruction and the blocking factor."""
    places = {n: _delay(counted, hierarchy, n) for n in np.unique(lcores).tolist()}
    delay, spread, lines, outside = (
        np.array(column) for column in zip(*(places[n] for n in lcores.tolist()), strict=True)
    )
    cpi, overlap = parameters
    core = instructions * cpi * hierarchy.tsc_per_core_cycle
    value = core + overlap * delay
    slopes = np.stack([core / value, overlap * delay / value])
    return CountedCost(value, slopes, overlap * spread / value, lines, outside.astype(np.bool_))


def delay_cycles(hierarchy: Hierarchy, l2: float, llc: float, memory: float) -> float:
    """TSC cycles a packet that so many lines from each level take beyond L1's latency."""
    near = hierarchy.levels[0].latency_cycles
    second, last = (level.latency_cycles - near for level in hierarchy.levels[1:])
    return l2 * second + llc * last + memory * (hierarchy.memory_latency_cycles - near)


def _delay(
    counted: Counted, hierarchy: Hierarchy, lcores: float
) -> tuple[float, float, float, bool]:
    """(delay, its standard deviation, lines from memory, outside the counted sizes)."""
    size = hierarchy.levels[-1].size_bytes * counted.lcores / lcores
    sizes = [point.llc_bytes for point in counted.memory]
    strange = not sizes[0] * (1 - _SAME_SIZE) <= size <= sizes[-1] * (1 + _SAME_SIZE)
    memories = _memory_lines(counted, size)
    own_l2 = counted.machine.core.l2_kib.value * 1024
    ratio = own_l2 / hierarchy.levels[1].size_bytes
    same = abs(ratio - 1) < _SAME_SIZE or counted.llc_lines is None
    exponents = (0.5,) if same else (0.0, 0.5, 1.0)
    parts = []
    for power in exponents:
        for memory in memories:
            asked = memory if counted.llc_lines is None else counted.llc_lines
            moved = max(memory, asked * (1.0 if same else ratio**power))
            second = max(0.0, counted.l2_lines + asked - moved)
            parts.append(delay_cycles(hierarchy, second, moved - memory, memory))
    middle = (max(parts) + min(parts)) / 2
    return middle, (max(parts) - min(parts)) / 2, sum(memories) / len(memories), strange


def _memory_lines(counted: Counted, size: float) -> tuple[float, ...]:
    """Lines from memory with a last level of `size`, by each assumption."""
    sizes = [point.llc_bytes for point in counted.memory]
    lines = [point.lines for point in counted.memory]
    most = max(lines) if counted.llc_lines is None else max(*lines, counted.llc_lines)
    if sizes[0] * (1 - _SAME_SIZE) <= size <= sizes[-1] * (1 + _SAME_SIZE):
        chord = float(np.interp(size, sizes, lines))
        return chord, min(chord, max(_adjacent(sizes, lines, size)))
    end = 0 if size < sizes[0] else -1
    if len(sizes) > 1:
        a, b = (0, 1) if end == 0 else (-2, -1)
        slope = min(0.0, (lines[b] - lines[a]) / (sizes[b] - sizes[a]))
    elif counted.llc_lines:
        # A footprint F touched at random misses 1 - size/F of what asks.
        slope = -(counted.llc_lines - lines[0]) / sizes[0]
    else:
        slope = -lines[0] / sizes[0]
    line = lines[end] + slope * (size - sizes[end])
    return lines[end], float(np.clip(line, 0.0, most))


def _adjacent(sizes: list[float], lines: list[float], size: float) -> tuple[float, float]:
    """What the lines through the two points before `size` and the two behind it say of it."""
    above = int(np.searchsorted(sizes, size))
    if above in (0, len(sizes)) or sizes[above] == size:
        found = float(np.interp(size, sizes, lines))
        return found, found
    before = behind = lines[above] if above == len(sizes) - 1 else -np.inf
    if above >= 2:
        slope = (lines[above - 1] - lines[above - 2]) / (sizes[above - 1] - sizes[above - 2])
        before = lines[above - 1] + min(0.0, slope) * (size - sizes[above - 1])
    if above + 1 < len(sizes):
        slope = (lines[above + 1] - lines[above]) / (sizes[above + 1] - sizes[above])
        behind = lines[above] + min(0.0, slope) * (size - sizes[above])
    return float(before), float(behind)


def blank_hierarchy(machine: Machine) -> Hierarchy:
    """A hierarchy in which every latency is 1 cycle of the machine's base clock: to be scaled by
    what the catalogue says of it (`transfer.machine_hierarchy`)."""
    hz = machine.values.base_ghz.value * 1e9
    most = int(machine.core.line_fill_buffers.value)
    return Hierarchy(
        tsc_hz=hz,
        core_hz=hz,
        levels=tuple(
            Level(
                name=name,
                size_bytes=LINE_BYTES,
                latency_cycles=1.0,
                line_cycles=1.0,
                shared=name == "LLC",
            )
            for name in ("L1", "L2", "LLC")
        ),
        memory_latency_cycles=1.0,
        flights=(Flight(width=1, line_cycles=1.0), Flight(width=most, line_cycles=1.0 / most)),
        walk_cycles=0.0,
        tlb_pages=1.0,
    )


def notes_of(counted: Counted, hierarchy: Hierarchy, lcores: int) -> list[str]:
    """What rests on counters, and what was assumed of caches, as sentences."""
    found = [
        f"calibrated from counters of {', '.join(counted.files)} on {counted.machine.title}: "
        "of its workload, traffic, bursts, rings, pages and cuts alone"
    ]
    size = hierarchy.levels[-1].size_bytes * counted.lcores / lcores
    if _delay(counted, hierarchy, lcores)[3]:
        ends = dict.fromkeys((counted.memory[0].llc_bytes, counted.memory[-1].llc_bytes))
        known = " to ".join(f"{end / 2**20:.3g}" for end in ends)
        found.append(
            f"{size / 2**20:.3g} MiB of last-level cache lie outside the {known} MiB that were "
            "counted: misses are between those and what a footprint touched at random would have"
        )
    ratio = hierarchy.levels[1].size_bytes / (counted.machine.core.l2_kib.value * 1024)
    if abs(ratio - 1) >= _SAME_SIZE:
        rule = (
            "its misses follow the square root of its size"
            if counted.llc_lines is not None
            else "its misses weren't counted, so they stay"
        )
        found.append(f"L2 of {ratio:.3g} times the counted size: {rule}")
    return found
