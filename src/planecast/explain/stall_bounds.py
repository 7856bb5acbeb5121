"""Stalls of stages that no model is calibrated for: bounded by the lines that tables touch.

Which level serves a stage's lines follows from the sizes of its tables (its descriptor). How much
of that shows does not: a stage may ask for lines early enough to wait for none, or wait for each
alone. So a stall's interval goes from nothing to the lone latency of all lines, in an L2 and a last
level as small as may be; its value is what the parameters' prior medians say, or what a calibration
of this machine found of them. What is left of the measured stage is the core's own.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from planecast.explain.estimates import bounded_cycles, exact_cycles
from planecast.explain.stall_causes import CORE_REST, ISSUE
from planecast.machine.caches import Others, serve
from planecast.machine.hierarchy import Flight, Hierarchy
from planecast.machine.last_level import CAPACITY, LIFETIME
from planecast.machine.overlap import BY_CLASS, SHARE_OF_STORED
from planecast.machine.private_caches import FILLED
from planecast.machine.registry import MECHANISMS
from planecast.machine.tlb import LARGE, WALK, Tlb
from planecast.model.calibration import Calibration
from planecast.model.stage_cost import near_terms
from planecast.results.estimate import Estimate
from planecast.scenario.machine import HOST
from planecast.scenario.scenario import Scenario
from planecast.workload.profile import WorkloadProfile
from planecast.workload.scenario_columns import ScenarioColumns

_UNIT = "cycles/packet"
_TWO_SIDED = 1.96

Stalls = Mapping[str, Estimate]
"""By cause, in TSC cycles a packet."""
Cycles = dict[tuple[str, str], float]
"""By stage and cause, TSC cycles a packet."""


def bounded_stalls(
    scenario: Scenario, calibration: Calibration, cycles: float
) -> Mapping[str, Stalls]:
    """By stage, the stalls of its tables on the calibrated machine, of a packet that takes so many
    TSC cycles.

    None of a function whose stages have no descriptors, of a data plane of somebody else, of a
    pipeline over several lcores, or with a neighbour: what shares the caches then is not known.
    """
    own = scenario.dataplane.kind == "ours" and scenario.machine == HOST
    if not own or scenario.placement.cuts or scenario.neighbour.busy:
        return {}
    columns = ScenarioColumns.of([scenario])
    try:
        profile = WorkloadProfile.of(columns, calibration.instructions)
    except KeyError:
        return {}
    machine = calibration.hierarchy
    likely, worst = _values(calibration)
    values = _stalls(profile, machine, likely, cycles)
    most = _stalls(profile, _alone(machine), worst, cycles)
    found: dict[str, dict[str, Estimate]] = {}
    for (stage, cause), high in most.items():
        if high:
            value = values.get((stage, cause), 0.0)
            found.setdefault(stage, {})[cause] = bounded_cycles(value, high)
    return found


def _values(calibration: Calibration) -> tuple[dict[str, float], dict[str, float]]:
    """(the machine's parameters as they likely are, those with which lines cost most)."""
    fitted = {one.name: one for one in calibration.parameters}
    likely: dict[str, float] = {}
    ends: dict[str, tuple[float, float]] = {}
    for mechanism in MECHANISMS:
        for one in mechanism.parameters(calibration.hierarchy):
            own = fitted.get(one.name)
            factor = float(np.exp(_TWO_SIDED * one.spread))
            likely[one.name] = own.value if own else one.median
            prior = (one.median / factor, one.median * factor)
            ends[one.name] = (own.low, own.high) if own else prior
    worst = likely | dict.fromkeys((*BY_CLASS.values(), SHARE_OF_STORED), 1.0)
    worst |= {name: ends[name][0] for name in (FILLED, CAPACITY, LIFETIME) if name in ends}
    # Large pages take no more walks than small ones would.
    walks = {WALK: ends[WALK][1], LARGE: max(likely[LARGE], min(ends[LARGE][1], 1.0))}
    return likely, worst | walks


def _stalls(
    profile: WorkloadProfile, machine: Hierarchy, values: Mapping[str, float], cycles: float
) -> Cycles:
    walks = Tlb().terms(profile, machine, values)
    near = near_terms(profile, machine, values)
    served = serve(profile, machine, values, np.array([cycles]), Others.none(1), near=near)
    found: Cycles = {}
    for term in (*walks, *served.terms):
        place = (term.stage, term.cause)
        found[place] = found.get(place, 0.0) + float(term.cycles[0])
    return found


def split_stage(cycles: Estimate, issue: float, stalls: Stalls) -> dict[str, Estimate]:
    """A measured stage by cause: `issue` cycles at the issue width, its stalls, the rest is `core`.

    They add up to what was measured, of which stalls can't take more than the instructions leave.
    """
    low, high = cycles.interval or (cycles.value, cycles.value)
    room, most = max(0.0, cycles.value - issue), max(0.0, high - issue)
    wanted = sum(stall.value for stall in stalls.values())
    part = min(1.0, room / wanted) if wanted else 1.0
    found = {
        cause: stall.model_copy(
            update={"value": part * stall.value, "high": min(stall.high or stall.value, most)}
        )
        for cause, stall in stalls.items()
    }
    longest = min(most, sum(stall.high or 0.0 for stall in found.values()))
    left = room - part * wanted
    found[CORE_REST] = Estimate(
        value=left,
        low=min(left, max(0.0, low - issue - longest)),
        high=max(left, most),
        unit=_UNIT,
        kind="computed",
    )
    if issue:
        found[ISSUE] = exact_cycles(issue)
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
