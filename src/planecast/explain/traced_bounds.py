"""Stalls of a program that was traced and that no model is calibrated for: bounded by its lines.

A trace has the stack distance of each touch, so it shows which cache holds the line, if caches
evict what was used least recently. How much of that latency shows is not known: a program may ask
early enough to wait for nothing, or wait for each line alone. So an interval goes from nothing to
every load waited for alone; the value is what lines cost that are asked for together. Stores are
left out, for cores do not wait for them one by one. Mispredictions are the trace's, each at most
the catalogue's penalty.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import pairwise
from pathlib import Path

from planecast.cache_line import LINE_BYTES
from planecast.explain.core import Core
from planecast.explain.estimates import bounded_cycles
from planecast.explain.stall_bounds import Stalls
from planecast.explain.stall_causes import MISPREDICTED
from planecast.machine.caches import MEMORY
from planecast.machine.hierarchy import Hierarchy
from planecast.results.estimate import Estimate
from planecast.scenario import value_if_any
from planecast.scenario.scenario import Scenario
from planecast.workload.traced.profile import TracedProfile, TracedStage

TRACED = "traced.json"
"""Of a run that traced a program's memory."""
TRACED_SCENARIO = "traced-scenario.json"
"""Which scenario that was of."""
_LEAST = 0.005
"""Cycles a packet below which a stall is left out."""


def traced_stalls(
    traced: TracedProfile, machine: Hierarchy, core: Core | None
) -> Mapping[str, Stalls]:
    """By stage, in TSC cycles a packet."""
    return {name: dict(_stalls(stage, machine, core)) for name, stage in traced.stages.items()}


def _stalls(
    stage: TracedStage, machine: Hierarchy, core: Core | None
) -> Iterator[tuple[str, Estimate]]:
    beyond = [stage.loads.misses(level.size_bytes / LINE_BYTES) for level in machine.levels]
    for level, (missed, left) in zip(machine.levels[1:], pairwise(beyond), strict=True):
        lines = max(0.0, missed - left)
        yield from _stall(level.name, lines * level.line_cycles, lines * level.latency_cycles)
    lines = beyond[-1]
    many = machine.flights[-1].line_cycles
    yield from _stall(MEMORY, lines * many, lines * machine.memory_latency_cycles)
    if core is not None and core.frontend is not None:
        each = core.frontend.mispredict_cycles * machine.tsc_per_core_cycle
        most = stage.mispredictions_per_packet * each
        yield from _stall(MISPREDICTED, most, most)


def _stall(cause: str, value: float, most: float) -> Iterator[tuple[str, Estimate]]:
    if most > _LEAST:
        yield cause, bounded_cycles(value, most)


def traced_of(scenario: Scenario, root: Path) -> tuple[TracedProfile, str] | None:
    """The latest trace of a scenario's program under the same traffic, and its run's name; None
    where nobody traced it, or a file can't be read."""
    for path in sorted(root.glob(f"*/{TRACED_SCENARIO}"), reverse=True):
        found = read_traced(path.parent)
        if found is not None and all(
            value_if_any(found[1], key) == value_if_any(scenario, key)
            for key in ("dataplane", "traffic", "workload")
        ):
            return found[0], path.parent.name
    return None


def read_traced(folder: Path) -> tuple[TracedProfile, Scenario] | None:
    """A run's trace and its scenario; None where it has none, or of another version."""
    try:
        scenario = (folder / TRACED_SCENARIO).read_text(encoding="utf-8")
        traced = (folder / TRACED).read_text(encoding="utf-8")
        return TracedProfile.model_validate_json(traced), Scenario.model_validate_json(scenario)
    except (OSError, ValueError):
        return None
