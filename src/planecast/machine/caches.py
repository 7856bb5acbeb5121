"""Caches and memory: which level serves the lines of a workload's stages, and what they cost.

A cache serves what no nearer one does (the law is in `machine.cache_sharing`). Lines asked for
together share a latency, until the fill buffers are full or the level's own rate limits: cycles a
line = max(latency / in flight, least cycles a line), for memory as the probe measured it by lines
in flight. Of that a stage waits for the share by which it asked for them (`machine.overlap`).
Lines that were asked for ahead take what one of many in flight does, and a burst's
wait once for the first of them (`machine.asked_ahead`).
Touches of lanes in lock step wait together, once, for the slowest of them:
where a share x is not served, n of them wait (1 - (1 - x)^n) / n times each. How long a line stays
in the last level depends on how long packets take, and the other way round where others use it,
too; native/model finds both together.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from planecast.machine import _native
from planecast.machine.asked_ahead import AskedAhead
from planecast.machine.hierarchy import Hierarchy
from planecast.machine.last_level import background_lines_per_cycle, capacity_lines
from planecast.machine.lock_step import covered_cycles
from planecast.machine.mechanism import Term, Values
from planecast.machine.neighbour_stream import STREAM
from planecast.machine.overlap import BY_CLASS, blocking
from planecast.machine.page_tables import page_tables
from planecast.machine.private_caches import private_levels
from planecast.workload.profile import WorkloadProfile
from planecast.workload.regions import PAGE_LINES, Overlap, Region

Floats = NDArray[np.float64]

MEMORY = "memory"
"""What serves a line that no cache holds."""


class Others(NamedTuple):
    """What others do to the last level and to memory, in many scenarios: arrays of shape
    (scenarios,)."""

    lines: Floats
    """Distinct lines that they touch in order, over and over."""
    touched: Floats
    """Lines of these that they touch a TSC cycle."""
    stream: NDArray[np.bool_]
    """Whether they stream: of lines that the last level misses `neighbour.stream` takes room."""
    memory_factor: Floats
    """Memory's latency over what it were without them."""

    @classmethod
    def none(cls, size: int) -> Others:
        """Nobody else."""
        nothing = np.zeros(size)
        return cls(nothing, nothing, nothing > 0, np.ones(size))


class Served(NamedTuple):
    """What caches and memory serve."""

    terms: list[Term]
    """By stage and level beyond the first."""
    memory_lines: Floats
    """Lines a packet from memory."""
    last_level_lines: Floats
    """Lines a packet that the last level serves."""
    others_share: Floats
    """Share of the others' touches that the last level serves."""
    variants: Floats
    """Cost of all lines beyond the first level, TSC cycles a packet, with each of the variants of
    the parameters, of shape (variants, scenarios)."""
    reach: tuple[Floats, Floats]
    """TSC cycles a packet by which the cost would fall if the last level held all that it may, and
    rise if it held nothing."""

    @classmethod
    def nothing(cls, size: int, variants: int) -> Served:
        """Of workloads without lines."""
        none = np.zeros(size)
        return cls([], none, none, none, np.zeros((1 + variants, size)), (none, none))


def serve(
    profile: WorkloadProfile,
    hierarchy: Hierarchy,
    values: Values,
    base: Floats,
    others: Others,
    *,
    near: Sequence[Term] = (),
    variants: Sequence[Values] = (),
) -> Served:
    """The lines of a workload; `base` is what its packets take without them, TSC cycles.

    `near` are the terms of that, where they are known: what passes while lines are on their way.
    `variants` are other values of the caches' parameters whose costs are wanted, too.
    """
    size = profile.sizes.columns.size
    tables = page_tables(profile, hierarchy, values)
    own = (*profile.regions, *(table.region for table in tables))
    regions = list(own)
    foreign = bool(np.any(others.touched))
    covered = [_covered(profile, region, hierarchy, values) for region in regions]
    costs = _costs_of(regions, hierarchy, values, others, covered)
    for place, table in enumerate(tables, len(profile.regions)):
        costs[place] = table.costs(costs[place])
    if foreign:
        regions.append(_foreign(others))
        costs.append((np.zeros(size),) * 3)
    if not regions:
        return Served.nothing(size, len(variants))
    asked = AskedAhead.of(
        profile, regions, hierarchy, near, memory_factor=others.memory_factor, values=values
    )
    found = _answered(
        profile,
        hierarchy,
        (values, *variants),
        base,
        others,
        regions=regions,
        own=len(own),
        costs=costs,
        asked=asked,
    )
    names = (hierarchy.levels[-2].name, hierarchy.levels[-1].name, MEMORY)
    waits = found.waits.swapaxes(0, 1)
    terms = _together(profile.regions, names, costs, waits, covered)
    for place, table in enumerate(tables, len(profile.regions)):
        terms += table.terms(costs[place], waits[place])
    *cost, least, most = found.cost
    return Served(
        terms=[*terms, *asked.terms(names[1:], own, found.first)],
        memory_lines=found.lines[1],
        last_level_lines=found.lines[0],
        reach=(cost[0] - least, most - cost[0]),
        others_share=found.waits[1, -1] if foreign else np.zeros(size),
        variants=found.cost[:-2],
    )


def _together(
    regions: Sequence[Region],
    levels: Sequence[str],
    costs: Sequence[tuple[Floats, Floats, Floats]],
    waits: Floats,
    covered: Sequence[Sequence[tuple[str, Floats]]],
) -> list[Term]:
    """What stages wait for regions, which are the first of those that the others list: one term of
    a stage's regions that wait for the same level by the same parameters."""
    found: dict[tuple[str, str, tuple[str, ...]], Floats] = {}
    for region, *own in zip(regions, costs, waits, covered, strict=False):
        for term in _terms(region, levels, *own):
            key = (term.stage, term.cause, term.parameters)
            found[key] = found[key] + term.cycles if key in found else term.cycles
    return [Term(*key, cycles) for key, cycles in found.items()]


def _terms(
    region: Region,
    levels: Sequence[str],
    costs: tuple[Floats, Floats, Floats],
    waits: Floats,
    covered: Sequence[tuple[str, Floats]],
) -> list[Term]:
    """What a region's stage waits for each level, by waits a touch of shape (levels, scenarios);
    `covered` is what `costs` leave out of a wait."""
    found = []
    blocking_by = BY_CLASS[region.overlap]
    for name, cost, each in zip(levels, costs, waits, strict=True):
        waited = each * region.touches
        cycles = cost * waited
        for step, of_step in covered:
            passed = of_step * (cost > 0) * waited
            cycles += passed
            found.append(Term(region.stage, name, (blocking_by, step), -passed))
        found.append(Term(region.stage, name, (blocking_by,), cycles))
    return found


def _covered(
    profile: WorkloadProfile, region: Region, hierarchy: Hierarchy, values: Values
) -> list[tuple[str, Floats]]:
    """TSC cycles of a wait in which other lanes walk, by the parameter that they follow."""
    walk = profile.lock_steps.get(region.stage)
    if walk is None or region.overlap is not Overlap.DEPENDENT:
        return []
    share = blocking(region.overlap, values)
    return [(name, share * each) for name, each in covered_cycles(walk, hierarchy, values)]


class _Answer(NamedTuple):
    """What the native model fills in (native/model/served.hpp)."""

    waits: Floats
    """A touch, of shape (levels, regions, scenarios)."""
    first: Floats
    """Share of bursts that wait for lines asked for ahead, for the last level and for memory, of
    shape (2, regions, scenarios)."""
    lines: Floats
    """A packet, of the last level and of memory, of shape (2, scenarios)."""
    cost: Floats
    """TSC cycles a packet of shape (variants + 2, scenarios), the last two if the last level held
    all, and nothing."""


def _answered(
    profile: WorkloadProfile,
    hierarchy: Hierarchy,
    every: Sequence[Values],
    base: Floats,
    others: Others,
    *,
    regions: Sequence[Region],
    own: int,
    costs: Sequence[tuple[Floats, Floats, Floats]],
    asked: AskedAhead,
) -> _Answer:
    """A region behind so many of the packets' own is the neighbours'."""
    size = profile.sizes.columns.size
    capacity = np.array([capacity_lines(hierarchy, one) for one in every])
    background = np.array([background_lines_per_cycle(hierarchy, one) for one in every])
    share = np.array([one.get(STREAM, 1.0) for one in every])
    shape = (len(regions), size)
    found = _Answer(
        waits=np.empty((3, *shape)),
        first=np.zeros((2, *shape)),
        lines=np.empty((2, size)),
        cost=np.empty((len(every) + 2, size)),
    )
    near, last, memory = zip(*costs, strict=True)
    _native.serve(
        np.array([region.cyclic for region in regions], dtype=np.bool_),
        np.arange(len(regions)) >= own,
        [region.lines for region in regions],
        [region.total_lines for region in regions],
        [region.touches for region in regions],
        [_crowding(region, PAGE_LINES) for region in regions],
        [_crowding(region, hierarchy.llc_page_conflicts) for region in regions],
        [region.together for region in regions],
        near,
        last,
        memory,
        np.ascontiguousarray(profile.sizes.lcores),
        np.ascontiguousarray(base),
        np.array([private_levels(hierarchy, one) for one in every]),
        hierarchy.levels[-1].shape,
        np.ascontiguousarray(np.broadcast_to(capacity[:, None], (len(every), size))),
        np.ascontiguousarray(np.broadcast_to(background[:, None], (len(every), size))),
        np.where(others.stream, share[:, None], 1.0),
        asked.group,
        asked.covered,
        asked.together,
        asked.latency,
        *found,
    )
    return found


def _crowding(region: Region, most: float) -> Floats | float:
    """How many times as densely its lines lie in a cache's sets that they meet in as in all of
    them: as often as lines are skipped, but so many times at most."""
    return 1.0 if region.stride is None else np.minimum(region.stride, most)


def _costs_of(
    regions: Sequence[Region],
    hierarchy: Hierarchy,
    values: Values,
    others: Others,
    covered: Sequence[Sequence[tuple[str, Floats]]],
) -> list[tuple[Floats, Floats, Floats]]:
    """`_costs` of each region; regions that ask for lines alike have the same."""
    known: dict[tuple[Overlap, int, bool, str], tuple[Floats, Floats, Floats]] = {}
    found = []
    for region, passed in zip(regions, covered, strict=True):
        walking = region.stage if passed else ""
        key = (region.overlap, id(region.in_flight), region.asked is None, walking)
        if key not in known:
            known[key] = _costs(region, hierarchy, values, others, passed)
        found.append(known[key])
    return found


def _costs(
    region: Region,
    hierarchy: Hierarchy,
    values: Values,
    others: Others,
    covered: Sequence[tuple[str, Floats]],
) -> tuple[Floats, Floats, Floats]:
    """TSC cycles a touch beyond the first level's: of the second level, the last one, memory."""
    nearest = hierarchy.levels[0].line_cycles
    width = np.maximum(np.broadcast_to(region.in_flight, others.touched.shape), 1.0)
    share = blocking(region.overlap, values)
    # A prefetch ahead of its use outlives a cache's latency: of those lines the rate counts alone.
    ahead = np.full_like(width, np.inf) if region.overlap is Overlap.PREFETCHED else width
    second, last = (
        np.maximum(hierarchy.near_cycles(level, ahead) - nearest, 0.0)
        for level in hierarchy.levels[-2:]
    )
    many = np.full_like(width, np.inf) if region.asked is not None else width
    memory = np.maximum(hierarchy.line_cycles(many, others.memory_factor) - nearest, last)
    passed = sum(each for _, each in covered)
    waits = [np.maximum(share * cycles - passed, 0.0) for cycles in (second, last, memory)]
    return waits[0], waits[1], waits[2]


def _foreign(others: Others) -> Region:
    """The lines of others: no stage's, and in no private cache of ours."""
    return Region(
        stage="",
        name="neighbour's lines",
        cyclic=True,
        lines=others.lines,
        touches=others.touched,
        pages=np.zeros_like(others.lines),
        total_lines=others.lines,
    )
