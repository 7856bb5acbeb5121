"""The engine: predictions as Results."""

from __future__ import annotations

from collections.abc import Sequence

from planecast.model.calibrated_range import outside
from planecast.model.calibration import Calibration
from planecast.model.counter_model import STAGE, notes_of
from planecast.model.memory_contention import WORTH_A_WORD, Load
from planecast.model.prediction import Prediction, predict
from planecast.model.supported import refuse_absent_cpus
from planecast.model.target_platform import Site, by_site
from planecast.model.transfer import Transferred, transferred
from planecast.results.estimate import Estimate
from planecast.results.manifest import Manifest
from planecast.results.result import IN_MEMORY, MEMORY_BANDWIDTH, Result, StageResult
from planecast.scenario.scenario import Scenario
from planecast.workload.profile import instructions_by_stage


def solve(
    scenarios: Sequence[Scenario],
    calibration: Calibration,
    manifest: Manifest,
    predicted: Prediction | None = None,
) -> list[Result]:
    """Predicts scenarios. Intervals are 95 %. `predicted` is what `predict` says of them, where
    that is known.

    Raises InputError for what the model doesn't know, and for more lcores than the host has CPUs.
    """
    for scenario in scenarios:
        refuse_absent_cpus(scenario, scenario.placement.lcores, calibration)
    predicted = predicted or predict(scenarios, calibration)
    sites = {site: transferred(calibration, site) for site in by_site(scenarios)}
    return [
        _result(scenario, i, predicted, sites[Site.of(scenario)], manifest)
        for i, scenario in enumerate(scenarios)
    ]


def _result(
    scenario: Scenario, i: int, predicted: Prediction, at: Transferred, manifest: Manifest
) -> Result:
    calibration = at.calibration
    cost = predicted.estimate(i)
    own = _instructions(scenario, calibration)
    count = _counted(sum(own.values()))
    stages = {
        stage: StageResult(
            cycles_per_packet=predicted.stage_estimate(stage, i),
            instructions_per_packet=_counted(own[stage]) if stage in own else None,
        )
        for stage, (cycles, _) in predicted.stages.items()
        if stage in own or (stage == MEMORY_BANDWIDTH and cycles[i] > 0)
    }
    return Result(
        scenario=scenario,
        throughput_pps=throughput(cost, calibration, scenario.placement.lcores),
        cycles_per_packet=cost,
        instructions_per_packet=count,
        ipc=_ipc(count, cost, calibration),
        stages=stages,
        capped_by="memory" if predicted.capped_by_memory[i] else "core",
        notes=(
            *at.notes,
            *((IN_MEMORY,) if calibration.program is not None else ()),
            *_offered(scenario, cost, calibration),
            *_of_load(predicted.load, i),
            *_of_neighbour(scenario, calibration),
            *_outside(scenario, calibration),
        ),
        manifest=manifest,
    )


def throughput(cost: Estimate, calibration: Calibration, lcores: int) -> Estimate:
    """Packets a second of so many lcores at a cost in TSC cycles a packet."""
    return packets_a_second(cost, calibration.hierarchy.tsc_hz * lcores)


def packets_a_second(cost: Estimate, hz: float) -> Estimate:
    """Of so many cycles a second, at a cost in these cycles a packet."""
    low, high = cost.interval or (cost.value, cost.value)
    return Estimate(
        value=hz / cost.value, low=hz / high, high=hz / low, unit="pps", kind="computed"
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
        return outside(scenario, calibration.span)
    lcores = scenario.placement.lcores
    return notes_of(calibration.counted, calibration.hierarchy, lcores)


def _counted(value: float) -> Estimate:
    return Estimate(value=value, unit="instructions/packet", kind="computed")


def _instructions(scenario: Scenario, calibration: Calibration) -> dict[str, float]:
    if calibration.counted is not None:
        return {STAGE: calibration.instructions[STAGE].instructions_per_packet}
    return instructions_by_stage(scenario, calibration.instructions, calibration.program)


def _ipc(instructions: Estimate, cost: Estimate, calibration: Calibration) -> Estimate:
    """Instructions a cycle of the core's own clock."""
    core = 1 / calibration.hierarchy.tsc_per_core_cycle
    low, high = cost.interval or (cost.value, cost.value)
    return Estimate(
        value=instructions.value / (cost.value * core),
        low=instructions.value / (high * core),
        high=instructions.value / (low * core),
        unit="instructions/cycle",
        kind="computed",
    )


def _offered(scenario: Scenario, cost: Estimate, calibration: Calibration) -> list[str]:
    """What `traffic.offered_pps` means against what can be forwarded; nothing if it isn't set."""
    wanted = scenario.traffic.offered_pps
    if wanted is None:
        return []
    able = throughput(cost, calibration, scenario.placement.lcores).value
    if wanted <= able:
        meant = f"{100 * wanted / able:.0f} % of what can be forwarded"
    else:
        meant = f"more than can be forwarded: {100 * (1 - able / wanted):.0f} % are lost"
    return [
        f"traffic.offered_pps, {wanted / 1e6:.4g} Mpps, is {meant}; the figures are those of "
        "saturation (loss and latency at that rate: --engine simulate)"
    ]
