"""A load curve: measured over memory interfaces, simulated at the same loads, put side by side."""

from __future__ import annotations

from dataclasses import dataclass

from planecast.engines.measure.load_pauses import BothPauses, PauseTable
from planecast.engines.measure.load_sweep import (
    LoadBudget,
    MeasuredLoad,
    MeasuredLoads,
    measure_loads,
)
from planecast.engines.measure.load_trials import LoadTable
from planecast.engines.simulate.port import Port, with_port
from planecast.engines.simulate.stage_cost import stage_costs
from planecast.model.calibration import Calibration
from planecast.progress import Progress
from planecast.results.estimate import Estimate
from planecast.results.load_curve import LoadCalibration, LoadCurve, LoadPoint
from planecast.results.manifest import Manifest
from planecast.results.result import Result
from planecast.results.store import RunDirectory
from planecast.scenario.host_cpus import cpus_here
from planecast.scenario.scenario import Scenario
from planecast.study.replayed_loads import replayed_loads

_MEASURED = 0.87
"""Share of the progress that is over when the simulation begins."""


@dataclass(frozen=True)
class LoadCurveContext:
    """What a curve is made with."""

    scenario: Scenario
    generator_cpu: int
    budget: LoadBudget
    calibration: Calibration
    run: RunDirectory
    manifest: Manifest
    progress: Progress


def load_curve(context: LoadCurveContext) -> LoadCurve:
    """Measures, simulates, compares; keeps the raw trials whatever happens, writes the result.

    Raises as measure_loads and simulate do; InputError before anything is measured for a scenario
    that the calibration can't answer.
    """
    check_calibration(context.scenario, context.calibration)
    table, pauses = LoadTable(), PauseTable()
    try:
        measured = measure_loads(
            context.scenario,
            context.generator_cpu,
            context.budget,
            context.manifest,
            table=table,
            pauses=pauses,
            progress=lambda done, total, words: context.progress(
                _MEASURED * done / total, 1, words
            ),
        )
    finally:
        if table.rows:
            context.run.write_trials(table.columns())
        if pauses.recordings:
            context.run.write_pauses(pauses.columns())
    context.progress(_MEASURED, 1, "simulating the same loads")
    both = pauses.both(cpus_here(context.scenario)[0], context.generator_cpu)
    curve = compared(context.scenario, measured, both, context.calibration, context.manifest)
    context.run.write_result(curve)
    return curve


def check_calibration(scenario: Scenario, calibration: Calibration) -> None:
    """Raises InputError where the model can't say what a burst of the scenario costs."""
    stage_costs([scenario], calibration)


def compared(
    scenario: Scenario,
    measured: MeasuredLoads,
    pauses: BothPauses,
    calibration: Calibration,
    manifest: Manifest,
) -> LoadCurve:
    """The curve of what was measured, with the simulation of the same loads."""
    port = Port(
        packet_cycles=measured.tsc_hz / measured.capacity_pps.value,
        single_cycles=measured.single_cycles.value,
        poll_cycles=measured.poll_cycles.value,
    )
    replayed = replayed_loads(measured, pauses, port, calibration, manifest)
    (service,) = stage_costs([scenario], calibration)
    limit = scenario.placement.burst
    ported = with_port(service, port, limit).stages[0]
    points = [
        _point(load, answer, loss, measured.capacity_pps.value)
        for load, answer, loss in zip(
            measured.loads, replayed.results, replayed.losses, strict=True
        )
    ]
    return LoadCurve(
        scenario=scenario,
        loads=tuple(points),
        calibration=LoadCalibration(
            capacity_pps=measured.capacity_pps,
            poll_cycles=measured.poll_cycles,
            single_cycles=measured.single_cycles,
            port_cycles=ported.per_packet(limit),
            single_port_cycles=ported.per_packet(1),
        ),
        measured_knee=measured.knee,
        simulated_knee=replayed.knee,
        disturbed_share=measured.disturbed_share,
        simulated_disturbed_share=replayed.disturbed_share,
        pauses=pauses.summaries(),
        notes=(*measured.notes, *_notes(points)),
        manifest=manifest,
    )


def _point(load: MeasuredLoad, simulated: Result, loss: Estimate, capacity_pps: float) -> LoadPoint:
    offered = load.result.scenario.traffic.offered_pps or 0.0
    return LoadPoint(
        offered_pps=offered,
        load=offered / capacity_pps,
        measured=load.result,
        simulated=simulated,
        measured_loss=load.loss,
        simulated_loss=loss,
        unsent=load.unsent,
        mean_burst=load.mean_burst,
        send_call_ns=load.send_call_ns,
        receive_call_ns=load.receive_call_ns,
        receive_wait_ns=load.receive_wait_ns,
        trials=load.trials,
    )


def _notes(points: list[LoadPoint]) -> list[str]:
    """What the simulator has to say of all its answers."""
    said = [point.simulated.notes for point in points]
    shared = [note for note in said[0] if all(note in notes for notes in said)]
    # Trials have a warm-up, and an interval of their own.
    of_one = ("calibration leaves open", "from empty rings on")
    return [f"simulated: {note}" for note in shared if not any(words in note for words in of_one)]
