"""The first half of a study: probe, count, measure the calibration points, fit."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from planecast.engines.measure import TrialTable, measure
from planecast.instruments.host_state import HostState, usual_states
from planecast.instruments.loaded_latency import remembered_latency
from planecast.instruments.machine_probe import MachineProbe
from planecast.instruments.probe import probe_machine
from planecast.machine.hierarchy import Hierarchy
from planecast.model.calibrate import calibrate
from planecast.model.calibration import Calibration
from planecast.model.supported import refuse_unmodelled
from planecast.progress import Progress
from planecast.results.estimate import Estimate
from planecast.results.manifest import Manifest
from planecast.results.result import Result
from planecast.results.store import CALIBRATION, RunDirectory
from planecast.scenario.dataplane import OWN
from planecast.scenario.host_cpus import cpus_here
from planecast.scenario.points import Point, point_label
from planecast.scenario.scenario import Scenario
from planecast.scenario.study import Study
from planecast.study.instructions import count_pipelines
from planecast.study.program import profile_program
from planecast.study.runnable_points import possible
from planecast.workload.counts import InstructionCounts
from planecast.workload.profile import instructions_by_stage
from planecast.workload.traced.clocks import clocked_stages
from planecast.workload.traced.program_profile import ProgramProfile

PROGRAM = "program"
"""The one pipeline of a program of others, among instruction counts."""

# Shares of the progress of a study, about as long as each part takes; a probe is often remembered.
_PROBED, PREPARED, MEASURED = 0.04, 0.2, 0.9


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
    skipped: tuple[str, ...] = ()
    """Points that this machine can't measure, and why."""


@dataclass(frozen=True)
class Prepared:
    """What a fit needs in addition to measurements."""

    probe: MachineProbe
    counts: dict[str, InstructionCounts]
    program: ProgramProfile | None = None
    """Of a program of others."""
    states: Sequence[HostState] = ()
    """Of the host while it measured; none: the probe's counts."""

    def in_states(self, states: Sequence[HostState]) -> Prepared:
        """The same for what was measured in these states of the host: those with its CPUs where
        they usually are, as for visits next to neighbours."""
        return replace(self, states=usual_states(states))

    @property
    def hierarchy(self) -> Hierarchy:
        """What the model computes with."""
        return Hierarchy.of(self.probe, remembered_latency(), self.states)


def prepare(context: Context) -> Prepared:
    """Probes the machine and counts the instructions of all points of the study.

    Raises InputError for what no model knows, MissingError and RunError as the instruments do.
    """
    study = context.study
    fitted = study.scenarios(study.calibrate)
    others = study.scenarios((*study.hold_out, *study.check))
    refuse_unmodelled([*fitted, *others])
    context.progress(0, 1, "probing caches and memory")
    probe = probe_machine(cpu=cpus_here(study.scenario)[0])
    preparing = context.part(_PROBED, PREPARED).progress
    if study.scenario.dataplane.kind != OWN:
        return _prepared_program(study, probe, fitted, preparing)
    # Bursts of points that are not calibrated on are predicted from those that were counted.
    usual = study.scenario.placement.burst
    plain = [one.in_bursts(usual) for one in others]

    def done(number: int, whole: int) -> None:
        preparing(number, whole, "counting instructions")

    return Prepared(probe, count_pipelines([*fitted, *plain], done))


def _prepared_program(
    study: Study, probe: MachineProbe, fitted: Sequence[Scenario], progress: Progress
) -> Prepared:
    """What keys change is traced over the calibration points' values."""

    def done(number: int, whole: int) -> None:
        progress(number, whole, "counting and tracing the program")

    program = profile_program(study.scenario, fitted, done)
    return Prepared(probe, {PROGRAM: program.counts}, program)


def fit(context: Context, ready: Prepared, results: Sequence[Result]) -> Calibrated:
    """Fits the model to the calibration points' results and writes the calibration.

    Raises InputError for fewer than three points, and for what the model doesn't know.
    """
    context.progress(MEASURED, 1, "fitting the model")
    measured = [with_instructions(result, ready.counts, ready.program) for result in results]
    calibration = calibrate(
        measured, ready.hierarchy, ready.counts, context.manifest, ready.program
    )
    context.run.write_json(CALIBRATION, calibration)
    return Calibrated(calibration, measured)


def calibrate_study(context: Context) -> Calibrated:
    """Probes, counts instructions, measures the calibration points, fits; writes the calibration.

    Points that this machine can't measure are left out (`possible`).
    Raises InputError as `fit` does, MissingError and RunError as the instruments and the engine do.
    """
    study, skipped = possible(context.study)
    context = replace(context, study=study)
    ready = prepare(context)
    measured = measure_points(context.part(PREPARED, MEASURED), study.calibrate)
    return replace(fit(context, ready, measured), skipped=skipped)


def measure_points(context: Context, points: Sequence[Point]) -> list[Result]:
    """Measures points together; keeps their raw trials, whatever happens."""
    study = context.study
    table = TrialTable([point_label(point) for point in points])
    try:
        return measure(
            study.scenarios(tuple(dict(point) for point in points)),
            study.budget,
            context.manifest,
            progress=context.progress,
            table=table,
        )
    finally:
        if rows := table.stored():
            context.run.write_trials(rows)


def with_instructions(
    result: Result,
    counts: Mapping[str, InstructionCounts],
    program: ProgramProfile | None = None,
) -> Result:
    """A measured result with the instructions that were counted for its pipeline and burst: each
    clock's are those of the stages that it times, none where it cuts through stages."""
    own = instructions_by_stage(result.scenario, counts, program)
    clocks: dict[str, tuple[str, ...]] = {name: (name,) for name in own}
    if program is not None:
        clocks = clocked_stages(program.subject, program.stages)
    stages = {
        name: stage.model_copy(
            update={
                "instructions_per_packet": _counted(sum(own.get(one, 0.0) for one in clocks[name]))
                if name in clocks
                else None
            }
        )
        for name, stage in result.stages.items()
    }
    whole = _counted(sum(own.values()))
    return result.model_copy(update={"stages": stages, "instructions_per_packet": whole})


def _counted(value: float) -> Estimate:
    return Estimate(value=value, samples=1, unit="instructions/packet", kind="measured")
