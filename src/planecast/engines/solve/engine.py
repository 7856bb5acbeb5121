"""The engine: features times parameters, with intervals, for many scenarios at once."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from planecast.engines.solve.beside import company, has_neighbours
from planecast.engines.solve.calibration import Calibration
from planecast.engines.solve.carry import Carried, carried
from planecast.engines.solve.counted import STAGE, counted_features, notes_of
from planecast.engines.solve.delays import Company
from planecast.engines.solve.features import (
    FOLDED,
    STAGES,
    FeatureTable,
    Spread,
    features,
    instructions_of,
    spread,
    stage_instructions,
)
from planecast.engines.solve.known import asked
from planecast.engines.solve.loaded import WORTH_A_WORD, Load, under_load
from planecast.engines.solve.questions import Questions
from planecast.engines.solve.ranges import any_outside, outside
from planecast.engines.solve.site import Site, by_site
from planecast.errors import InputError
from planecast.results.estimate import Estimate
from planecast.results.manifest import Manifest
from planecast.results.result import Result, StageResult
from planecast.results.student import t_quantile
from planecast.scenario.scenario import Scenario

Floats = NDArray[np.float64]

EXTRAPOLATION = 1.5
"""Outside the calibrated range the model's own error counts so much more."""


UNSURE_BESIDE = 0.3
"""Half the 95 % interval of what a neighbour adds, as a share of it: how a cache replaces lines and
how much of a latency shows are known to about so much."""

_BESIDE_ROUNDS = 4


@dataclass(frozen=True)
class Predicted:
    """Cycles a packet of many scenarios: arrays of shape (scenarios,), TSC cycles."""

    value: Floats
    half_width: Floats
    """Half the 95 % interval."""
    stages: dict[str, tuple[Floats, Floats]]
    """By stage: value and half width."""
    capped_by_memory: NDArray[np.bool_]
    extrapolates: NDArray[np.bool_]
    """Some key lies outside its calibrated range."""
    memory_lines: Floats
    """Lines a packet from memory."""
    load: Load | None = None
    """What memory is under, where it slows down."""


def predicted_cycles(
    scenarios: Questions | Sequence[Scenario], calibration: Calibration, *, by_stage: bool = True
) -> Predicted:
    """What the model says of many scenarios.

    The interval adds what the parameters leave open, what the size of the last cache level leaves
    open, and the model's own error as the calibration points showed it. Without `by_stage` there
    are no stages in it, at a third of the time.
    """
    if not isinstance(scenarios, Questions):
        sites = by_site(scenarios)
        if any(not site.calibrated for site in sites):
            return _over_sites(scenarios, sites, calibration, by_stage=by_stage)
    return _predicted(_asked(scenarios, calibration), calibration, by_stage=by_stage)


def _asked(scenarios: Questions | Sequence[Scenario], calibration: Calibration) -> Questions:
    return asked(scenarios, any_workload=calibration.any_workload)


def _over_sites(
    scenarios: Sequence[Scenario],
    sites: Mapping[Site, Sequence[int]],
    calibration: Calibration,
    *,
    by_stage: bool,
) -> Predicted:
    """The scenarios of each site by the calibration carried there, in the scenarios' order."""
    order: list[int] = []
    parts = []
    for site, places in sites.items():
        own = carried(calibration, site).calibration
        questions = _asked([scenarios[i] for i in places], calibration)
        parts.append(_predicted(questions, own, by_stage=by_stage))
        order.extend(places)
    back = np.argsort(order)
    stages = {
        stage: (
            np.concatenate([part.stages[stage][0] for part in parts])[back],
            np.concatenate([part.stages[stage][1] for part in parts])[back],
        )
        for stage in parts[0].stages
    }
    return Predicted(
        np.concatenate([part.value for part in parts])[back],
        np.concatenate([part.half_width for part in parts])[back],
        stages,
        np.concatenate([part.capped_by_memory for part in parts])[back],
        np.concatenate([part.extrapolates for part in parts])[back],
        np.concatenate([part.memory_lines for part in parts])[back],
        _together([part.load for part in parts], [part.value.size for part in parts], back),
    )


def _together(loads: Sequence[Load | None], sizes: Sequence[int], back: NDArray[np.intp]) -> Load:
    """The loads of all sites; a memory that is idle for want of knowledge counts as such."""
    known = [
        Load(np.ones(size), np.zeros(size)) if load is None else load
        for load, size in zip(loads, sizes, strict=True)
    ]
    return Load(
        np.concatenate([load.factor for load in known])[back],
        np.concatenate([load.gbs for load in known])[back],
    )


def _predicted(questions: Questions, calibration: Calibration, *, by_stage: bool) -> Predicted:
    found = _with_idle_memory(questions, calibration, by_stage=by_stage)
    known = calibration.hierarchy.memory
    if known is None:
        return found
    farther = calibration.model_copy(update={"hierarchy": calibration.hierarchy.with_memory(2)})
    twice = _with_idle_memory(questions, farther, by_stage=by_stage)
    load = under_load(
        found.value,
        twice.value,
        memory_lines=found.memory_lines,
        pps_cycles=calibration.hierarchy.tsc_hz * questions.lcores,
        memory=known.curve(),
    )

    def at(idle: Floats, far: Floats) -> Floats:
        return np.asarray(idle + (load.factor - 1) * (far - idle))

    return replace(
        found,
        value=at(found.value, twice.value),
        half_width=at(found.half_width, twice.half_width),
        stages={
            stage: (at(part, twice.stages[stage][0]), at(half, twice.stages[stage][1]))
            for stage, (part, half) in found.stages.items()
        },
        load=load,
    )


def _with_idle_memory(
    questions: Questions, calibration: Calibration, *, by_stage: bool
) -> Predicted:
    """What the model says when memory has its idle latency."""
    if calibration.counted is not None:
        return _of_counters(questions, calibration)
    beside, alone = neighbours_of(questions, calibration)
    names = calibration.names
    found = _with_every_last_level(questions, calibration, beside)
    table = found.table
    _refuse_unknown(table, names)
    value, others = found.values, found.others
    outer = any_outside(questions, calibration.ranges)
    own = calibration.discrepancy * value * np.where(outer, EXTRAPOLATION, 1.0)
    # Root mean square of what the other sizes of the last cache level would change.
    cache = np.sqrt(((others - value) ** 2).sum(axis=0) / max(1, len(others)))
    quantile = t_quantile(calibration.freedom)
    half = quantile * np.sqrt(_spread(found.rows, calibration) ** 2 + own**2 + cache**2)
    if alone is not None:
        half = np.hypot(half, UNSURE_BESIDE * (value - alone))
    bound = table.memory_lines * calibration.hierarchy.memory_line_cycles
    stages = {}
    for stage in STAGES if by_stage else ():
        row = table.row(stage, names)
        part = row @ calibration.vector
        stages[stage] = (part, quantile * np.hypot(_spread(row, calibration), own * part / value))
    return Predicted(
        np.maximum(value, bound), half, stages, bound > value, outer, table.memory_lines
    )


def _of_counters(questions: Questions, calibration: Calibration) -> Predicted:
    """What a model of counters says: of the whole, for it knows no stages."""
    assert calibration.counted is not None
    if has_neighbours(questions):
        raise InputError(
            "a calibration from counters doesn't tell what a neighbour costs",
            "neighbour",
            "leave the neighbour out, or calibrate by measuring: planecast calibrate STUDY",
        )
    hierarchy = calibration.hierarchy
    instructions = calibration.instructions[STAGE].instructions_per_packet
    found = counted_features(calibration.counted, hierarchy, instructions, questions.lcores)
    value = found.rows @ calibration.vector
    own = calibration.discrepancy * value * np.where(found.outside, EXTRAPOLATION, 1.0)
    caches = found.open_delay * calibration.vector[-1]
    quantile = t_quantile(calibration.freedom)
    half = quantile * np.sqrt(_spread(found.rows, calibration) ** 2 + own**2 + caches**2)
    bound = found.memory_lines * hierarchy.memory_line_cycles
    return Predicted(
        np.maximum(value, bound), half, {}, bound > value, found.outside, found.memory_lines
    )


def neighbours_of(
    questions: Questions, calibration: Calibration
) -> tuple[Company | None, Floats | None]:
    """The scenarios' neighbours, and what the scenarios would cost without them.

    How fast a neighbour is depends on how fast the data plane is, and the other way round.
    """
    if not has_neighbours(questions):
        return None, None
    hierarchy = calibration.hierarchy.with_last_level(calibration.last_level_factor)
    found: Company | None = None
    alone = cycles = None
    for _ in range(_BESIDE_ROUNDS):
        table = features(questions, hierarchy, calibration.instructions, found)
        _refuse_unknown(table, calibration.names)
        cycles = table.row(None, calibration.names) @ calibration.vector
        alone = cycles if alone is None else alone
        found = company(questions, hierarchy, cycles)
    return found, alone


def _with_every_last_level(
    questions: Questions, calibration: Calibration, beside: Company | None
) -> Spread:
    """Features with the last cache level that fitted best; the cost with it and with the others."""
    others = calibration.alternatives
    factors = [calibration.last_level_factor, *(other.last_level_factor for other in others)]
    machines = [calibration.hierarchy.with_last_level(factor) for factor in factors]
    vectors = np.array([calibration.vector, *(other.values for other in others)])
    parameters = calibration.names, vectors
    return spread(questions, machines, parameters, calibration.instructions, beside)


def _refuse_unknown(table: FeatureTable, names: Sequence[str]) -> None:
    """A scenario that needs a parameter which no calibration point had can't be predicted."""
    for stage, row in table.stages.items():
        for name, column in row.items():
            if name not in (*names, *FOLDED) and bool(np.any(column != 0)):
                raise InputError(
                    f"the calibration has no parameter {name}, so the stage {stage} can't be "
                    "predicted in this scenario",
                    "predict",
                    "calibrate on points that have it (small bursts, for acl.narrow and acl.round; "
                    "pipelines without acl, for source.drain)",
                )


def _spread(rows: Floats, calibration: Calibration) -> Floats:
    """Standard deviation that the parameters' covariance gives to each row."""
    columns = rows.T  # a row a parameter lies together in memory
    variance = ((calibration.matrix @ columns) * columns).sum(axis=0)
    return np.asarray(np.sqrt(np.maximum(variance, 0.0)))


def solve(
    scenarios: Sequence[Scenario], calibration: Calibration, manifest: Manifest
) -> list[Result]:
    """Predicts scenarios. Intervals are 95 %."""
    predicted = predicted_cycles(scenarios, calibration)
    sites = {site: carried(calibration, site) for site in by_site(scenarios)}
    return [
        _result(scenario, i, predicted, sites[Site.of(scenario)], manifest)
        for i, scenario in enumerate(scenarios)
    ]


def _result(
    scenario: Scenario, i: int, predicted: Predicted, at: Carried, manifest: Manifest
) -> Result:
    calibration = at.calibration
    cost = _estimate(predicted.value[i], predicted.half_width[i], "cycles/packet")
    clock = calibration.hierarchy.tsc_hz * len(scenario.placement.cpus)
    low, high = cost.interval or (cost.value, cost.value)
    count = _instructions(scenario, calibration)
    stages = {
        stage: StageResult(
            cycles_per_packet=_estimate(part[i], half[i], "cycles/packet"),
            instructions_per_packet=_counted(
                stage_instructions(scenario, stage, calibration.instructions)
            ),
        )
        for stage, (part, half) in predicted.stages.items()
        if stage in ("source", "tx") or stage in scenario.workload.stages
    }
    return Result(
        scenario=scenario,
        throughput_pps=Estimate(
            value=clock / cost.value,
            low=clock / high,
            high=clock / low,
            unit="pps",
            kind="computed",
        ),
        cycles_per_packet=cost,
        instructions_per_packet=count,
        ipc=_ipc(count, cost, calibration),
        stages=stages,
        capped_by="memory" if predicted.capped_by_memory[i] else "core",
        notes=(
            *at.notes,
            *_of_load(predicted.load, i),
            *_of_neighbour(scenario, calibration),
            *_outside(scenario, calibration),
        ),
        manifest=manifest,
    )


def _of_load(load: Load | None, i: int) -> list[str]:
    if load is None or load.factor[i] < WORTH_A_WORD:
        return []
    return [
        f"memory's latency is {load.factor[i]:.2f} times the idle one, under the "
        f"{load.gbs[i]:.0f} GB/s that all lcores move"
    ]


def _of_neighbour(scenario: Scenario, calibration: Calibration) -> list[str]:
    return [calibration.hierarchy.memory_source()] if scenario.neighbour.touched_bytes else []


def _outside(scenario: Scenario, calibration: Calibration) -> list[str]:
    if calibration.counted is None:
        return outside(scenario, calibration.ranges)
    lcores = len(scenario.placement.cpus)
    return notes_of(calibration.counted, calibration.hierarchy, lcores)


def interval_of(value: Floats, half_width: Floats) -> tuple[Floats, Floats]:
    """Ends of an interval. A cost can't be nothing: one that would reach zero ends above it."""
    return np.maximum(value - half_width, value * 0.01), value + half_width


def _estimate(value: float, half_width: float, unit: str) -> Estimate:
    low, high = interval_of(np.asarray(value), np.asarray(half_width))
    return Estimate(
        value=float(value), low=float(low), high=float(high), unit=unit, kind="computed"
    )


def _counted(value: float) -> Estimate:
    return Estimate(value=value, unit="instructions/packet", kind="computed")


def _instructions(scenario: Scenario, calibration: Calibration) -> Estimate:
    if calibration.counted is not None:
        return _counted(calibration.instructions[STAGE].instructions_per_packet)
    counts = instructions_of(scenario, calibration.instructions)
    stages = ("source", *scenario.workload.stages, "tx")
    parts = [stage_instructions(scenario, stage, calibration.instructions) for stage in stages]
    return _counted(sum(parts) + counts.other.at(scenario.placement.burst))


def _ipc(count: Estimate, cost: Estimate, calibration: Calibration) -> Estimate:
    """Instructions a cycle of the core, whose clock is not the TSC's."""
    core = calibration.hierarchy.core_hz / calibration.hierarchy.tsc_hz
    low, high = cost.interval or (cost.value, cost.value)
    return Estimate(
        value=count.value / (cost.value * core),
        low=count.value / (high * core),
        high=count.value / (low * core),
        unit="instructions/cycle",
        kind="computed",
    )
