"""The first half of a study: probe, count, measure the calibration points, fit."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from planecast.calibrate import calibrate
from planecast.engines.measure import TrialTable, measure
from planecast.engines.solve import Calibration, Hierarchy
from planecast.engines.solve.features import instructions_of, stage_instructions
from planecast.engines.solve.known import refuse_unmodelled
from planecast.instruments.counts import InstructionCounts
from planecast.instruments.loaded_latency import remembered_latency
from planecast.instruments.probe import probe_machine
from planecast.progress import Progress
from planecast.results.estimate import Estimate
from planecast.results.manifest import Manifest
from planecast.results.result import Result, StageResult
from planecast.results.store import CALIBRATION, RunDirectory
from planecast.scenario.points import Point, point_label
from planecast.scenario.study import Study
from planecast.study.instructions import count_pipelines
from planecast.study.possible import possible

# Shares of the progress of calibrating, about as long as each part takes in the usual two minutes.
_PROBED, _COUNTED = 0.1, 0.2


@dataclass(frozen=True)
class Context:
    """What every part of a study's run needs."""

    study: Study
    run: RunDirectory
    manifest: Manifest
    progress: Progress

    def part(self, start: float, end: float) -> Context:
        """The same with a progress that covers only this part of the whole, 0 to 1."""

        def progress(done: float, total: float, words: str) -> None:
            self.progress(start + (end - start) * done / max(total, 1e-9), 1.0, words)

        return Context(self.study, self.run, self.manifest, progress)


@dataclass(frozen=True)
class Calibrated:
    """What calibrating a study gives."""

    calibration: Calibration
    measured: list[Result]
    """The calibration points, in order."""
    trials: TrialTable


def calibrate_study(context: Context, seconds: float | None = None) -> Calibrated:
    """Probes, counts instructions, measures the calibration points, fits; writes the calibration.

    Points that this machine can't measure are left out (`possible`).
    `seconds` is the time for measuring, by default the budget's. Raises InputError when the points
    leave a parameter open, MissingError and RunError as the instruments and the engine do.
    """
    study, _ = possible(context.study)
    context = replace(context, study=study)
    scenarios = study.scenarios(study.calibrate)
    refuse_unmodelled([*scenarios, *study.scenarios(study.hold_out)])
    context.progress(0, 1, "probing caches and memory")
    probe = probe_machine(cpu=study.scenario.placement.cpus[0])
    hierarchy = Hierarchy.of(probe, remembered_latency())
    context.progress(_PROBED, 1, "counting instructions")
    counts = count_pipelines([*scenarios, *study.scenarios(study.hold_out)])
    part = context.part(_COUNTED, 1.0)
    results, table = measure_points(part, study.calibrate, seconds or study.budget.seconds)
    measured = [with_instructions(result, counts) for result in results]
    calibration = calibrate(measured, hierarchy, counts, context.manifest)
    context.run.write_json(CALIBRATION, calibration)
    return Calibrated(calibration, measured, table)


def measure_points(
    context: Context, points: Sequence[Point], seconds: float, after: TrialTable | None = None
) -> tuple[list[Result], TrialTable]:
    """Measures points together; keeps their raw trials, and those of `after`, whatever happens."""
    study = context.study
    table = TrialTable([point_label(point) for point in points])
    try:
        results = measure(
            study.scenarios(tuple(dict(point) for point in points)),
            # Patience is shared out as the time is.
            study.budget.model_copy(
                update={
                    "seconds": seconds,
                    "patience": study.budget.patience * seconds / study.budget.seconds,
                }
            ),
            context.manifest,
            progress=context.progress,
            table=table,
        )
    finally:
        _write_trials(context.run, [t for t in (after, table) if t is not None])
    return results, table


def _write_trials(run: RunDirectory, tables: Sequence[TrialTable]) -> None:
    """All tables as one: `phase` numbers them; a stage that one of them lacks is NaN there."""
    parts = [part for part in (table.stored() for table in tables) if part]
    if not parts:
        return
    rows = [len(part["cycles"]) for part in parts]
    names = dict.fromkeys(name for part in parts for name in part)

    def column(name: str) -> NDArray[Any]:
        return np.concatenate(
            [p.get(name, np.full(n, np.nan)) for p, n in zip(parts, rows, strict=True)]
        )

    columns = {name: column(name) for name in names}
    columns["phase"] = np.repeat(np.arange(len(parts)), rows)
    run.write_trials(columns)


def with_instructions(result: Result, counts: Mapping[str, InstructionCounts]) -> Result:
    """A measured result with the instructions that were counted for its pipeline and burst."""
    scenario = result.scenario
    own = instructions_of(scenario, counts)
    stages = {
        name: StageResult(
            cycles_per_packet=stage.cycles_per_packet,
            instructions_per_packet=_counted(stage_instructions(scenario, name, counts)),
        )
        for name, stage in result.stages.items()
    }
    whole = sum(stage_instructions(scenario, name, counts) for name in result.stages)
    whole += own.other.at(scenario.placement.burst)
    return result.model_copy(update={"stages": stages, "instructions_per_packet": _counted(whole)})


def _counted(value: float) -> Estimate:
    return Estimate(value=value, samples=1, unit="instructions/packet", kind="measured")
