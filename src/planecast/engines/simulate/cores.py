"""The poll loops of a chain of lcores, the rings between them, and the devices they use."""

from __future__ import annotations

from dataclasses import dataclass, field

from planecast.engines.simulate import _simulator as sim
from planecast.engines.simulate.card import Card, output
from planecast.engines.simulate.drops import drops_of
from planecast.engines.simulate.handoff import LineCosts
from planecast.engines.simulate.pipeline_split import Segment
from planecast.engines.simulate.policer import meters
from planecast.engines.simulate.stage_cost import StageCost
from planecast.scenario.interference import Interference
from planecast.scenario.scenario import Scenario

IDLE_CYCLES = 20.0
"""TSC cycles of a poll that finds nothing, at least: one turn of the loop."""


@dataclass
class Lcores:
    """What all chains need in the model."""

    cores: list[sim.Core] = field(default_factory=list)
    rings: list[sim.Ring] = field(default_factory=list)
    accelerators: list[sim.Accelerator] = field(default_factory=list)


def lcores_of(
    scenario: Scenario, segments: tuple[Segment, ...], card: Card, lines: LineCosts, tsc_hz: float
) -> Lcores:
    """The lcores of every chain, in order."""
    found = Lcores()
    placement = scenario.placement
    for chain, cpus in enumerate(placement.chains):
        device = _device(scenario, chain)
        found.accelerators += device
        taken = card.input(chain)
        for number, (cpu, segment) in enumerate(zip(cpus, segments, strict=True)):
            if number + 1 < len(cpus):
                ring = f"ring{chain}.{number}"
                found.rings.append(
                    sim.Ring(
                        name=ring,
                        capacity=placement.handoff_ring,
                        handoff_ns=lines.alone / tsc_hz * 1e9,
                    )
                )
                full = sim.WhenFull.wait if placement.ring_wait else sim.WhenFull.drop
                out = sim.Output(kind=sim.OutputKind.ring, to=ring, when_full=full)
            else:
                out = output(scenario, card, chain)
            tasks = _tasks(scenario, segment, taken, out, f"device{chain}")
            found.cores.append(_core(scenario.interference, cpu, tsc_hz, tasks))
            if number + 1 < len(cpus):
                taken = sim.Input(kind=sim.InputKind.ring, name=ring)
    return found


def _tasks(
    scenario: Scenario, segment: Segment, taken: sim.Input, out: sim.Output, device: str
) -> list[sim.Task]:
    """One poll loop; two when a device serves a stage while the lcore continues."""
    accelerator = scenario.accelerator
    names = [stage.name for stage in segment]
    if accelerator.mode == "sync" or accelerator.stage not in names:
        return [_task("forward", scenario, segment, device, taken=taken, out=out)]
    after = names.index(accelerator.stage) + 1
    there = sim.Output(kind=sim.OutputKind.accelerator, to=device)
    back = sim.Input(kind=sim.InputKind.accelerator, name=device)
    return [
        _task("submit", scenario, segment[:after], device, taken=taken, out=there),
        _task("fetch", scenario, segment[after:], device, taken=back, out=out),
    ]


def _task(
    name: str,
    scenario: Scenario,
    segment: Segment,
    device: str,
    *,
    taken: sim.Input,
    out: sim.Output,
) -> sim.Task:
    return sim.Task(
        name=name,
        input=taken,
        burst=scenario.placement.burst,
        empty_poll_cycles=max([IDLE_CYCLES, *map(_poll_cycles, segment[:1])]),
        stages=[_stage(scenario, stage, device) for stage in segment],
        output=out,
    )


def _poll_cycles(stage: StageCost) -> float:
    """TSC cycles of a poll that finds nothing, of an lcore's first stage.

    The in-process source's is its burst without packets. A ring that nobody wrote to is in the
    poller's own cache.
    """
    if stage.poll_cycles is not None:
        return stage.poll_cycles
    return stage.empty_cycles if stage.name == "source" else 0.0


def _stage(scenario: Scenario, stage: StageCost, device: str) -> sim.Stage:
    accelerator = scenario.accelerator
    served = accelerator.mode == "sync" and stage.name == accelerator.stage
    # Flows are opened where they are looked up; a pipeline without it does so as it takes packets.
    opens = "classify" if "classify" in scenario.stages else "source"
    return sim.Stage(
        name=stage.name,
        cycles_by_burst=stage.cycles.tolist(),
        new_flow_cycles=scenario.workload.new_flow_cycles if stage.name == opens else 0.0,
        accelerator=device if served else "",
        drops=drops_of(scenario, stage.name),
        **(meters(scenario) if stage.name == "actions" else {}),
    )


def _device(scenario: Scenario, chain: int) -> list[sim.Accelerator]:
    accelerator = scenario.accelerator
    if accelerator.stage == "none":
        return []
    engine_ns = 0.0 if accelerator.pps is None else accelerator.engines / accelerator.pps * 1e9
    return [
        sim.Accelerator(
            name=f"device{chain}",
            servers=accelerator.engines,
            packet_ns=sim.Distribution(mean=engine_ns),
            latency_ns=accelerator.latency_ns,
            queue=accelerator.queue,
        )
    ]


def _core(interference: Interference, cpu: int, tsc_hz: float, tasks: list[sim.Task]) -> sim.Core:
    partners = {a: b for pair in interference.pairs for a, b in (pair, pair[::-1])}
    return sim.Core(
        name=f"cpu{cpu}",
        clock_hz=tsc_hz,
        tasks=tasks,
        sibling=f"cpu{partners[cpu]}" if cpu in partners else "",
        sibling_busy_factor=interference.busy_factor if cpu in partners else 1.0,
        sibling_idle_factor=interference.idle_factor if cpu in partners else 1.0,
        disturbances=_disturbances(interference),
    )


def _disturbances(interference: Interference) -> list[sim.Disturbance]:
    if interference.per_second == 0:
        return []
    mean = interference.duration_us * 1e3
    spread = interference.spread
    kind = sim.DistributionKind.lognormal if spread > 0 else sim.DistributionKind.constant
    return [
        sim.Disturbance(
            name="interference",
            rate_per_second=interference.per_second,
            periodic=interference.periodic,
            duration_ns=sim.Distribution(kind=kind, mean=mean, cv=spread),
        )
    ]
