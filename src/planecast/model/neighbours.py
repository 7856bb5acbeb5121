"""Neighbours on other CPUs: what they do to the last level and to memory.

How fast a neighbour is depends on where it finds its lines, which depends on what room the data
plane leaves it, and memory's latency rises with what both ask for: a fixed point of a few rounds,
for many scenarios at once. Ways that a neighbour alone may fill are a cache of its own; in ways of
both lie as many of its lines as these are of its ways, of a working set never more than they hold.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from planecast.cache_line import LINE_BYTES
from planecast.machine.cache_sharing import hit_shares
from planecast.machine.caches import Others
from planecast.machine.hierarchy import RANDOM_SHAPE, Hierarchy
from planecast.machine.last_level import capacity_lines
from planecast.machine.mechanism import Values
from planecast.model.stage_cost import stage_cost
from planecast.scenario.neighbour import Neighbour
from planecast.workload.profile import WorkloadProfile
from planecast.workload.scenario_columns import Choice, ScenarioColumns

Floats = NDArray[np.float64]

_ROUNDS = 40
_SETTLED = 1e-3
_STEP = 0.6  # damping; halved where memory near its peak makes the latency swing
_GB = LINE_BYTES / 1e9


class Neighbours(NamedTuple):
    """Neighbours of many scenarios as they settle: arrays of shape (scenarios,)."""

    others: Others
    lines_per_s: Floats
    """Lines that they touch a second, wherever."""
    memory_gbs: Floats
    """What they ask of memory, GB/s."""


class _Works(NamedTuple):
    """What the neighbours do, as columns."""

    cores: Floats
    lines: Floats
    """Of all working sets; 0 where these stay in their cores' own caches, or there is none."""
    limit: Floats
    """Lines a TSC cycle at most, of all."""
    walks: NDArray[np.bool_]
    width: Floats
    overlap: Floats
    """Share of the lcores' ways that is theirs, too."""
    inside: Floats
    """Share of theirs that is the lcores', too: of their lines, too, then."""
    over_own: Floats
    """Their ways over the lcores'."""

    @classmethod
    def of(cls, choice: Choice, hierarchy: Hierarchy) -> _Works:
        private = max((x.size_bytes for x in hierarchy.levels if not x.shared), default=0.0)

        def lines(one: Neighbour) -> float:
            return one.all_bytes / LINE_BYTES if one.touched_bytes > private else 0.0

        ways = hierarchy.ways
        every = np.ones(choice.index.shape)
        theirs = every if ways is None else choice.each(lambda one: one.ways or ways.of)
        own = 1.0 if ways is None else float(ways.own)
        both = every if ways is None else np.maximum(own + theirs - ways.of, 0.0)
        return cls(
            cores=choice.each(lambda one: one.cores),
            lines=choice.each(lines),
            limit=choice.each(lambda one: one.cores * one.rate or np.inf) / hierarchy.tsc_hz,
            walks=choice.each(lambda one: one.walk is not None) > 0,
            width=choice.each(lambda one: one.width),
            overlap=both / own,
            inside=both / theirs,
            over_own=theirs / own,
        )

    def lines_per_cycle(self, hierarchy: Hierarchy, hit: Floats, factor: Floats) -> Floats:
        cycles = line_cycles(hierarchy, self.walks, self.width, hit, factor)
        return np.where(self.lines > 0, np.minimum(self.limit, self.cores / cycles), 0.0)


def has_neighbours(columns: ScenarioColumns) -> bool:
    """Whether some scenario has a neighbour that touches memory."""
    return any(one.touched_bytes for one in columns.choices["neighbour"].values)


def next_to_neighbours(columns: ScenarioColumns) -> NDArray[np.bool_]:
    """Which scenarios have one."""
    return columns.choices["neighbour"].each(lambda one: one.touched_bytes) > 0


def neighbours_of(
    profile: WorkloadProfile, hierarchy: Hierarchy, values: Values
) -> Neighbours | None:
    """The neighbours of a workload's scenarios; None where none has any."""
    columns = profile.sizes.columns
    if not has_neighbours(columns):
        return None
    works = _Works.of(columns.choices["neighbour"], hierarchy)
    size = capacity_lines(hierarchy, values)
    there = works.lines > 0
    here = works.lines * works.inside
    most = np.where((works.overlap < 1) & works.walks, works.overlap * size, np.inf)
    capped = np.minimum(here, most)
    streams = ~works.walks
    memory = hierarchy.memory_by_load()
    own_hit = _hit_alone(works, size)
    hit, factor = np.where(streams, 0.0, 0.5), np.ones(columns.size)
    step, last = np.ones(columns.size), np.zeros(columns.size)
    for turn in range(_ROUNDS):
        rate = works.lines_per_cycle(hierarchy, hit, factor)
        shared = rate * works.inside
        others = Others(
            lines=capped,
            touched=shared * capped / np.maximum(here, 1e-9),
            stream=streams,
            memory_factor=np.where(there, factor, 1.0),
        )
        cost = stage_cost(profile, hierarchy, values, others)
        found = works.inside * cost.served.others_share + (1 - works.inside) * own_hit
        alone = hierarchy.tsc_hz * profile.sizes.lcores / cost.total
        alone = alone * cost.served.memory_lines * _GB
        asked = rate * (1 - hit) * hierarchy.tsc_hz * _GB
        wanted = memory.latencies_ns(alone + asked) / memory.latencies_ns(alone)
        moved = max(np.max(np.abs(found - hit)), np.max(np.abs(wanted - factor)))
        change = wanted - factor
        step = np.where(change * last < 0, step / 2, step) if turn else step
        hit, factor = hit + step * (found - hit), factor + step * change
        step, last = np.minimum(step, _STEP), change
        if moved < _SETTLED:
            break
    per_s = rate * hierarchy.tsc_hz
    return Neighbours(others, per_s, per_s * (1 - hit) * _GB)


def _hit_alone(works: _Works, size: float) -> Floats:
    """Share of the neighbours' touches that a cache of their own ways serves."""
    shares = hit_shares(
        np.array([True]),
        np.maximum(works.lines, 1.0)[None],
        np.ones((1, works.lines.size)),
        size * np.maximum(works.over_own, 1e-9),
        shape=RANDOM_SHAPE,
    )
    return np.asarray(shares[0])


def line_cycles(
    hierarchy: Hierarchy,
    walks: NDArray[np.bool_] | bool,
    width: Floats,
    hit: Floats | float,
    factor: Floats | float,
) -> Floats:
    """TSC cycles a line of a neighbour that walks with `width` misses in flight, or else streams;
    the last level serves the share `hit` of its touches, and memory's latency has a `factor`."""
    last = hierarchy.levels[-1]
    close = np.where(walks, hierarchy.near_cycles(last, width), last.line_cycles)
    streamed = hierarchy.stream_line_cycles * factor
    far = np.where(walks, hierarchy.line_cycles(width, factor), streamed)
    return np.asarray(hit * close + (1 - hit) * far)
