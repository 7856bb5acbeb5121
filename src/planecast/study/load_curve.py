"""A load curve: measured over memory interfaces, simulated at the same loads, put side by side."""

from __future__ import annotations

from dataclasses import dataclass

from planecast.engines.measure.load_trials import LoadTable
from planecast.engines.measure.loads import LoadBudget, MeasuredLoad, MeasuredLoads, measure_loads
from planecast.engines.simulate.engine import simulate
from planecast.engines.simulate.model import Recording
from planecast.engines.simulate.port import Port, with_port
from planecast.engines.simulate.service import services
from planecast.engines.simulate.tester import Tester
from planecast.engines.solve import Calibration
from planecast.progress import Progress
from planecast.results.estimate import Estimate
from planecast.results.load_curve import LoadCalibration, LoadCurve, LoadPoint, knee_pps
from planecast.results.manifest import Manifest
from planecast.results.result import Result
from planecast.results.store import RunDirectory
from planecast.scenario.scenario import Scenario


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

    Raises as measure_loads and simulate do.
    """
    table = LoadTable()
    try:
        measured = measure_loads(
            context.scenario,
            context.generator_cpu,
            context.budget,
            context.manifest,
            table=table,
            progress=context.progress,
        )
    finally:
        if table.rows:
            context.run.write_trials(table.columns())
    context.progress(context.budget.seconds, context.budget.seconds, "simulating")
    curve = compared(context.scenario, measured, context.calibration, context.manifest)
    context.run.write_result(curve)
    return curve


def compared(
    scenario: Scenario, measured: MeasuredLoads, calibration: Calibration, manifest: Manifest
) -> LoadCurve:
    """The curve of what was measured, with the simulation of the same loads."""
    port = Port(
        packet_cycles=measured.tsc_hz / measured.capacity_pps.value,
        single_cycles=measured.single_cycles.value,
        poll_cycles=measured.poll_cycles.value,
    )
    simulated = simulate(
        [load.result.scenario for load in measured.loads],
        calibration,
        manifest,
        # As long as a trial, from an empty ring on: a ring bridges a short overload.
        recording=Recording(duration_ns=measured.trial_seconds * 1e9),
        port=port,
        # As the generator sent them: what was due when it came round.
        at_once=[load.mean_burst for load in measured.loads],
        testers=[
            Tester(load.send_call_ns, load.receive_wait_ns, load.receive_call_ns)
            if load.receive_call_ns > 0
            else None
            for load in measured.loads
        ],
    )
    (service,) = services([scenario], calibration)
    limit = scenario.placement.burst
    ported = with_port(service, port, limit).stages[0]
    points = [
        _point(load, answer, measured.capacity_pps.value)
        for load, answer in zip(measured.loads, simulated, strict=True)
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
        simulated_knee=_simulated_knee(points),
        disturbed_share=measured.disturbed_share,
        notes=(*measured.notes, *_notes(points)),
        manifest=manifest,
    )


def _point(load: MeasuredLoad, simulated: Result, capacity_pps: float) -> LoadPoint:
    offered = load.result.scenario.traffic.offered_pps or 0.0
    return LoadPoint(
        offered_pps=offered,
        load=offered / capacity_pps,
        measured=load.result,
        simulated=simulated,
        measured_loss=load.loss,
        simulated_loss=_loss(simulated),
        unsent=load.unsent,
        mean_burst=load.mean_burst,
        send_call_ns=load.send_call_ns,
        receive_call_ns=load.receive_call_ns,
        receive_wait_ns=load.receive_wait_ns,
        trials=load.trials,
    )


def _loss(simulated: Result) -> Estimate:
    offered = simulated.packets_in or 0
    return Estimate(
        value=sum(simulated.drops.values()) / offered if offered else 0.0,
        samples=offered,
        unit="share",
        kind="simulated",
    )


def _simulated_knee(points: list[LoadPoint]) -> Estimate | None:
    value = knee_pps(
        [point.offered_pps for point in points], [point.simulated_loss.value for point in points]
    )
    if value is None:
        return None
    return Estimate(value=value, samples=len(points), unit="pps", kind="simulated")


def _notes(points: list[LoadPoint]) -> list[str]:
    """What the simulator has to say of all its answers."""
    said = [point.simulated.notes for point in points]
    shared = [note for note in said[0] if all(note in notes for notes in said)]
    return [f"simulated: {note}" for note in shared if "calibration leaves open" not in note]
