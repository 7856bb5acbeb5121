"""Neighbours on other CPUs: how much of the last cache level and of memory they take.

A neighbour's lines join the data plane's in Che's approximation, at the rate at which it touches
them. That follows from where it finds them, which follows from the room that it has: a fixed point,
found for many scenarios at once. Memory's latency rises with what both ask for (`model.memory`).
How fast the data plane is decides, too, for its own rate is what the neighbour's competes with; it
is measured or predicted, and given.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from planecast.engines.solve.delays import Company, Delays
from planecast.engines.solve.hierarchy import LINE_BYTES, Hierarchy
from planecast.engines.solve.questions import Questions
from planecast.engines.solve.regions import facts_of
from planecast.model.memory import Memory
from planecast.scenario.neighbour import Neighbour

Floats = NDArray[np.float64]

MEMORY_GBS = 119.7
"""What a node's memory gives at most, GB/s, for the latency under load: assumed to be that of six
channels of DDR4, less than what most servers of today have."""

_ROUNDS = 40
_SETTLED = 1e-5
_STEP = 0.5  # damping
_GB = LINE_BYTES / 1e9
_PROBED_WIDTH = 8  # accesses in flight behind a level's cycles a line


@dataclass(frozen=True)
class _Works:
    """What the neighbours do, as columns."""

    lines: Floats
    """Of its working set; 0 where it stays in its core's own caches, or there is none."""
    limit: Floats
    """Lines a second at most."""
    walks: NDArray[np.bool_]
    width: Floats


def has_neighbours(questions: Questions) -> bool:
    """Whether some scenario has a neighbour that touches memory."""
    return any(one.touched_bytes for one in questions.choices["neighbour"].values)


def _works(questions: Questions, hierarchy: Hierarchy) -> _Works:
    private = max((x.size_bytes for x in hierarchy.levels if not x.shared), default=0.0)
    choice = questions.choices["neighbour"]

    def lines(one: Neighbour) -> float:
        return one.touched_bytes / LINE_BYTES if one.touched_bytes > private else 0.0

    return _Works(
        lines=choice.each(lines),
        limit=choice.each(lambda one: one.rate or np.inf),
        walks=choice.each(lambda one: one.walk is not None) > 0,
        width=choice.each(lambda one: one.width),
    )


def company(questions: Questions, hierarchy: Hierarchy, cycles: Floats) -> Company:
    """The neighbours of these scenarios, whose packets take so many TSC cycles of an lcore each."""
    facts, works = facts_of(questions), _works(questions, hierarchy)
    memory = Memory(hierarchy.memory_latency_cycles / hierarchy.tsc_hz * 1e9, MEMORY_GBS)
    packets_per_s = hierarchy.tsc_hz * facts.lcores / cycles

    def at(hit: Floats, factor: Floats) -> Company:
        lines_per_s = np.where(works.lines > 0, _lines_per_s(works, hierarchy, hit, factor), 0.0)
        return Company(
            lines=works.lines,
            touches=lines_per_s / packets_per_s,
            memory_factor=np.where(works.lines > 0, factor, 1.0),
            lines_per_s=lines_per_s,
        )

    hit, factor = np.full_like(cycles, 0.5), np.ones_like(cycles)
    found = at(hit, factor)
    for turn in range(_ROUNDS):
        step = 1.0 if turn == 0 else _STEP
        served, missed = Delays(facts, found).beside(hierarchy)
        alone = packets_per_s * missed * _GB
        both = alone + found.lines_per_s * (1 - served) * _GB
        wanted = _latency(memory, both) / _latency(memory, alone)
        moved = max(np.max(np.abs(served - hit)), np.max(np.abs(wanted - factor)))
        hit, factor = hit + step * (served - hit), factor + step * (wanted - factor)
        found = at(hit, factor)
        if moved < _SETTLED:
            break
    return found


def _latency(memory: Memory, load_gbs: Floats) -> Floats:
    return np.array([memory.latency_ns(float(load)) for load in load_gbs])


def _lines_per_s(works: _Works, hierarchy: Hierarchy, hit: Floats, factor: Floats) -> Floats:
    """Of neighbours of whose touches the last level serves the share `hit`."""
    near = hierarchy.levels[-1].line_cycles
    close = np.where(works.walks, near * _PROBED_WIDTH / works.width, near)
    far = np.where(works.walks, hierarchy.line_cycles(works.width), hierarchy.memory_line_cycles)
    cycles = hit * close + (1 - hit) * far * factor
    return np.asarray(np.minimum(works.limit, hierarchy.tsc_hz / cycles))
