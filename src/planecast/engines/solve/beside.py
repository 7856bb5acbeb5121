"""Neighbours on other CPUs: how much of the last cache level and of memory they take.

A neighbour's lines join the data plane's in Che's approximation, at the rate at which it touches
them. That follows from where it finds them, which follows from the room that it has: a fixed point,
found for many scenarios at once. Memory's latency rises with what both ask for (`model.memory`).
How fast the data plane is decides, too, for its own rate is what the neighbour's competes with; it
is measured or predicted, and given. Ways that a neighbour alone may fill are a cache of its own; in
ways of both lie as many of its lines as these are of its ways, and never more than they hold.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from planecast.engines.solve.cache import hit_shares
from planecast.engines.solve.delays import Company, Delays
from planecast.engines.solve.hierarchy import LINE_BYTES, Hierarchy
from planecast.engines.solve.questions import Choice, Questions
from planecast.engines.solve.regions import facts_of
from planecast.scenario.neighbour import Neighbour

Floats = NDArray[np.float64]

_ROUNDS = 40
_SETTLED = 1e-5
_STEP = 0.5  # damping
_GB = LINE_BYTES / 1e9
_PROBED_WIDTH = 8  # accesses in flight behind a level's cycles a line


@dataclass(frozen=True)
class _Works:
    """What the neighbours do, as columns."""

    cores: Floats
    lines: Floats
    """Of all working sets; 0 where these stay in their cores' own caches, or there is none."""
    limit: Floats
    """Lines a second at most, of all."""
    walks: NDArray[np.bool_]
    width: Floats


@dataclass(frozen=True)
class _Room:
    """The ways that neighbours may fill, as columns."""

    overlap: Floats
    """Share of the lcores' ways that is theirs, too."""
    inside: Floats
    """Share of theirs that is the lcores', too: of their lines, too, then."""
    over_own: Floats
    """Theirs over the lcores'."""

    def capped(self, lines: Floats, last_level_lines: Floats | float) -> Floats:
        """Of so many lines in ways of both, those that these have room for."""
        room = np.where(self.overlap < 1, self.overlap * last_level_lines, np.inf)
        return np.asarray(np.minimum(lines, room))


def has_neighbours(questions: Questions) -> bool:
    """Whether some scenario has a neighbour that touches memory."""
    return any(one.touched_bytes for one in questions.choices["neighbour"].values)


def _works(choice: Choice, hierarchy: Hierarchy) -> _Works:
    private = max((x.size_bytes for x in hierarchy.levels if not x.shared), default=0.0)

    def lines(one: Neighbour) -> float:
        return one.all_bytes / LINE_BYTES if one.touched_bytes > private else 0.0

    return _Works(
        cores=choice.each(lambda one: one.cores),
        lines=choice.each(lines),
        limit=choice.each(lambda one: one.cores * one.rate or np.inf),
        walks=choice.each(lambda one: one.walk is not None) > 0,
        width=choice.each(lambda one: one.width),
    )


def _room(choice: Choice, hierarchy: Hierarchy) -> _Room:
    if hierarchy.ways is None:
        every = np.ones(choice.index.shape)
        return _Room(every, every, every)
    own, of = hierarchy.ways.own, hierarchy.ways.of
    theirs = choice.each(lambda one: one.ways or of)
    both = np.maximum(own + theirs - of, 0.0)  # theirs are the highest, the lcores' the lowest
    return _Room(both / own, both / theirs, theirs / own)


def company(questions: Questions, hierarchy: Hierarchy, cycles: Floats) -> Company:
    """The neighbours of these scenarios, of whose packets one begins every so many TSC cycles on an
    lcore: as many as it takes, where packets always wait."""
    choice = questions.choices["neighbour"]
    facts, works, room = facts_of(questions), _works(choice, hierarchy), _room(choice, hierarchy)
    packets_per_s = hierarchy.tsc_hz * facts.lcores / cycles
    there = works.lines > 0
    size = hierarchy.levels[-1].size_bytes / LINE_BYTES
    kept = np.where(works.walks, 1.0, hierarchy.stream_share)
    here = works.lines * room.inside
    capped = room.capped(here, size)

    def at(hit: Floats, factor: Floats) -> Company:
        lines_per_s = np.where(there, _lines_per_s(works, hierarchy, hit, factor), 0.0)
        return Company(
            lines=capped,
            touches=lines_per_s * kept * room.inside / packets_per_s,
            memory_factor=np.where(there, factor, 1.0),
            lines_per_s=lines_per_s,
            memory_gbs=lines_per_s * (1 - hit) * _GB,
        )

    own_hit = _hit_alone(works, size * room.over_own)
    hit, factor = np.full_like(cycles, 0.5), np.ones_like(cycles)
    found = at(hit, factor)
    for turn in range(_ROUNDS):
        step = 1.0 if turn == 0 else _STEP
        served, missed = Delays(facts, found).beside(hierarchy)
        served = _served_of_all(served, capped / np.maximum(here, 1e-9))
        wanted_hit = room.inside * served + (1 - room.inside) * own_hit
        alone = packets_per_s * missed * _GB
        wanted = _memory_factor(works, hierarchy, wanted_hit, alone)
        moved = max(np.max(np.abs(wanted_hit - hit)), np.max(np.abs(wanted - factor)))
        hit, factor = hit + step * (wanted_hit - hit), factor + step * (wanted - factor)
        found = at(hit, factor)
        if moved < _SETTLED:
            break
    return found


def _served_of_all(served: Floats, share: Floats) -> Floats:
    """Share of touches served of a working set of which a `share` was taken for all: a line is
    then touched again so much later (`cache`: 1 - exp(-(T/P)^4))."""
    stays = -np.log(np.maximum(1 - served, 1e-300))
    return np.where(share < 1, -np.expm1(-stays * share**4), served)


def _memory_factor(works: _Works, hierarchy: Hierarchy, hit: Floats, alone: Floats) -> Floats:
    """How many times as far memory is for what neighbours ask of it that find the share `hit` of
    their lines, beside `alone` GB/s of the data plane's. The farther it is, the less they ask: so
    there is one factor that fits, found by halving."""
    memory = hierarchy.memory_by_load()
    without = memory.latencies_ns(alone)

    def wanted(factor: Floats) -> Floats:
        asked = _lines_per_s(works, hierarchy, hit, factor) * (1 - hit) * (works.lines > 0) * _GB
        return np.asarray(memory.latencies_ns(alone + asked) / without)

    low = np.ones_like(hit)
    high = wanted(low)
    while np.max(high - low) > 0.1 * _SETTLED:
        middle = (low + high) / 2
        farther = wanted(middle) > middle
        low, high = np.where(farther, middle, low), np.where(farther, high, middle)
    return (low + high) / 2


def _hit_alone(works: _Works, lines: Floats) -> Floats:
    """Share of the neighbours' touches that a cache of their own of so many lines serves."""
    some = np.ones_like(works.lines)
    alone = Company(lines=works.lines, touches=some, memory_factor=some, lines_per_s=some).region()
    return hit_shares([alone], lines, some, shared=True)[0]


def _lines_per_s(works: _Works, hierarchy: Hierarchy, hit: Floats, factor: Floats) -> Floats:
    cycles = line_cycles(hierarchy, works.walks, works.width, hit, factor)
    return np.asarray(np.minimum(works.limit, works.cores * hierarchy.tsc_hz / cycles))


def line_cycles(
    hierarchy: Hierarchy,
    walks: NDArray[np.bool_] | bool,
    width: Floats,
    hit: Floats | float,
    factor: Floats | float,
) -> Floats:
    """TSC cycles a line of a neighbour that walks with `width` misses in flight, or else streams;
    the last level serves the share `hit` of its touches, and memory is `factor` times as far."""
    near = hierarchy.levels[-1].line_cycles
    close = np.where(walks, near * _PROBED_WIDTH / width, near)
    far = np.where(walks, hierarchy.line_cycles(width), hierarchy.memory_line_cycles)
    return np.asarray(hit * close + (1 - hit) * far * factor)
