"""Waits of stages that no model is calibrated for: bounded by what their tables make them touch.

Which level serves a stage's lines follows from the sizes of its tables, as it does for the stages
that are calibrated. How much of that shows does not: a stage may ask for lines early enough to wait
for none, or wait for each alone. So a wait's interval goes from nothing to the lone latency of all
lines, and no further than what was measured; its value is what lines cost that are asked for
together, a burst's worth from memory, as the probe measured it. What is left of the measured stage
is the core's own.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from planecast.engines.solve import Questions
from planecast.machine.hierarchy import Flight, Hierarchy
from planecast.model.calibration import Calibration
from planecast.engines.solve.delays import Delays
from planecast.engines.solve.regions import facts_of
from planecast.results.estimate import Estimate
from planecast.scenario.scenario import Scenario
from planecast.workload.regions import Region
from planecast.workload.scenario_columns import ScenarioColumns
from planecast.workload.sizes import Sizes
from planecast.workload.stages.registry import stages_of

_UNIT = "cycles/packet"

Waits = Mapping[str, Estimate]
"""By cause, in TSC cycles a packet."""


def bounded_waits(scenario: Scenario, calibration: Calibration) -> dict[str, Waits]:
    """By stage, the waits of its tables on the calibrated machine.

    None of a function whose tables nobody described, of a data plane of somebody else, of a
    pipeline over several lcores, or beside a neighbour: what shares the caches then is not known.
    """
    ours = scenario.dataplane.kind == "ours" and scenario.machine == "host"
    if not ours or scenario.placement.cuts or scenario.neighbour.busy:
        return {}
    facts = facts_of(Questions.of([scenario]))
    regions = _regions(scenario)
    if not regions:
        return {}
    delays = Delays(facts, regions=regions)
    factors = [calibration.last_level_factor]
    factors += [other.last_level_factor for other in calibration.alternatives]
    machines = [calibration.hierarchy.with_last_level(factor) for factor in factors]
    likely = delays.parts(machines[0])
    most = [delays.parts(_alone(machine)) for machine in machines]
    found: dict[str, Waits] = {}
    for stage, parts in likely.items():
        waits = {
            cause: _estimate(float(cycles[0]), [float(one[stage][cause][0]) for one in most])
            for cause, cycles in parts.items()
        }
        found[stage] = {cause: wait for cause, wait in waits.items() if wait.high}
    return found


def _regions(scenario: Scenario) -> list[Region]:
    """What its stages touch."""
    sizes = Sizes(ScenarioColumns.of([scenario]))
    found = [r for stage in stages_of(scenario.workload.kind) for r in stage.regions(sizes)]
    return [region for region in found if region.touches[0]]


def taken_apart(cycles: Estimate, issue: float, waits: Waits) -> dict[str, Estimate]:
    """A measured stage by cause: `issue` cycles at the issue width, its waits, the rest the core's.

    They add up to what was measured, of which waits can't take more than the instructions leave.
    """
    low, high = cycles.interval or (cycles.value, cycles.value)
    room, most = max(0.0, cycles.value - issue), max(0.0, high - issue)
    wanted = sum(wait.value for wait in waits.values())
    part = min(1.0, room / wanted) if wanted else 1.0
    found = {
        cause: wait.model_copy(
            update={"value": part * wait.value, "high": min(wait.high or wait.value, most)}
        )
        for cause, wait in waits.items()
    }
    longest = min(most, sum(wait.high or 0.0 for wait in found.values()))
    left = room - part * wanted
    found["core"] = Estimate(
        value=left,
        low=min(left, max(0.0, low - issue - longest)),
        high=max(left, most),
        unit=_UNIT,
        kind="computed",
    )
    if issue:
        found["issue"] = Estimate(value=issue, low=issue, high=issue, unit=_UNIT, kind="computed")
    return found


def _alone(machine: Hierarchy) -> Hierarchy:
    """The machine for accesses that wait for each other."""
    return machine.model_copy(
        update={
            "levels": tuple(
                level.model_copy(update={"line_cycles": level.latency_cycles})
                for level in machine.levels
            ),
            "flights": (Flight(width=1, line_cycles=machine.memory_latency_cycles),),
        }
    )


def _estimate(value: float, most: Sequence[float]) -> Estimate:
    return Estimate(value=value, low=0.0, high=max(value, *most), unit=_UNIT, kind="computed")
