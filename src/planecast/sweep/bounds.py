"""Bounds: what no better component, and no kinder or harder traffic, would go beyond.

The questions are those of the vPE study: a last level without misses, a core without stalls (CPI
0.25: four instructions a cycle), one flow against a new one with each packet, and a stage that a
device does so many times as fast.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from planecast.engines.simulate.closed_form_view import closed_form_view
from planecast.engines.solve import solve
from planecast.errors import InputError
from planecast.machine.hierarchy import Hierarchy
from planecast.model.calibration import Calibration
from planecast.results.estimate import Estimate
from planecast.results.manifest import Manifest
from planecast.results.result import Result
from planecast.scenario import with_overrides
from planecast.scenario.scenario import Scenario

IDEAL_IPC = 4.0
"""Instructions a cycle of a core that never waits (vPE study: CPI 0.25)."""

_BOUNDLESS = 1e9  # times a cache that already holds megabytes


@dataclass(frozen=True)
class Bound:
    """One bound."""

    name: str
    """Stable name: ``infinite-llc``."""
    meaning: str
    result: Result


def bounds(
    scenario: Scenario,
    calibration: Calibration,
    manifest: Manifest,
    faster: Mapping[str, float],
    precision: float = 0.01,
) -> list[Bound]:
    """The scenario as it is, then its bounds.

    `faster` says by what factor a device does a stage; its hand-over is free, so this is a bound,
    too. A scenario with an `accelerator` is simulated with it as well: with its rate, latency,
    queue and the core's cycles for handing over. Raises InputError for a stage that doesn't run.
    """
    plain = closed_form_view(scenario)
    traffic = {"traffic.offered_pps": None, "traffic.arrivals": "constant"}
    closed = with_overrides(plain, traffic)
    (base,) = solve([closed], calibration, manifest)
    machine = calibration.hierarchy

    def active(flows: int) -> Scenario:
        return with_overrides(closed, {"traffic.flows": flows})

    found = [
        Bound("as-it-is", "the closed form's answer", base),
        _on(
            "infinite-llc",
            "a last cache level that holds all",
            closed,
            _machine(calibration, _last_boundless(machine)),
            manifest,
        ),
        _on(
            "all-near",
            "every access served by the first cache",
            closed,
            _machine(calibration, _all_boundless(machine)),
            manifest,
        ),
        Bound(
            "ideal-cpi",
            f"the same instructions at {IDEAL_IPC:g} a cycle of the core",
            _ideal(base, calibration),
        ),
        _on("best-traffic", "one flow", active(1), calibration, manifest),
        _on(
            "worst-traffic",
            "every flow of the table, at random",
            active(closed.workload.flows),
            calibration,
            manifest,
        ),
    ]
    for stage, factor in faster.items():
        found.append(
            Bound(
                f"{stage}-x{factor:g}",
                f"{stage} {factor:g} times as fast, handed over for free",
                _accelerated(base, stage, factor, calibration),
            )
        )
    if scenario.accelerator.stage != "none":
        found.append(_with_device(scenario, calibration, manifest, precision))
    return [_named(bound) for bound in found]


def _on(
    name: str, meaning: str, scenario: Scenario, calibration: Calibration, manifest: Manifest
) -> Bound:
    (result,) = solve([scenario], calibration, manifest)
    return Bound(name, meaning, result)


def _machine(calibration: Calibration, hierarchy: Hierarchy) -> Calibration:
    return calibration.model_copy(update={"hierarchy": hierarchy})


def _last_boundless(machine: Hierarchy) -> Hierarchy:
    return machine.with_last_level(_BOUNDLESS)


def _all_boundless(machine: Hierarchy) -> Hierarchy:
    first = machine.levels[0]
    # Page walks are accesses, too.
    near = first.model_copy(update={"size_bytes": first.size_bytes * _BOUNDLESS})
    return machine.model_copy(
        update={"levels": (near, *machine.levels[1:]), "walk_cycles": 0.0}
    ).with_last_level(_BOUNDLESS)


def _ideal(base: Result, calibration: Calibration) -> Result:
    if base.instructions_per_packet is None:
        raise InputError("no instructions were counted", "--calibration", "calibrate anew")
    clock = calibration.hierarchy.tsc_hz / calibration.hierarchy.core_hz
    count = base.instructions_per_packet.value
    found = _costing(
        base,
        Estimate(value=count / IDEAL_IPC * clock, unit="cycles/packet", kind="computed"),
        calibration,
    )
    ipc = Estimate(value=IDEAL_IPC, unit="instructions/cycle", kind="computed")
    return found.model_copy(update={"stages": {}, "ipc": ipc})


def _accelerated(base: Result, stage: str, factor: float, calibration: Calibration) -> Result:
    own = base.stages.get(stage)
    if own is None or own.cycles_per_packet is None:
        raise InputError(
            f"the stage {stage} doesn't run",
            f"--faster {stage}={factor:g}",
            "name one of " + ", ".join(base.stages),
        )
    cost, part = base.cycles_per_packet, own.cycles_per_packet
    saved = part.value * (1 - 1 / factor)
    low, high = cost.interval or (cost.value, cost.value)
    share = (cost.value - saved) / cost.value
    cheaper = Estimate(
        value=cost.value - saved,
        # The interval is as wide in relation: the stage's own is part of it.
        low=low * share,
        high=high * share,
        unit=cost.unit,
        kind="computed",
    )
    stages = base.stages | {
        stage: own.model_copy(update={"cycles_per_packet": part.scaled(1 / factor, part.unit)})
    }
    found = _costing(base, cheaper, calibration)
    gone = {"stages": stages, "instructions_per_packet": None, "ipc": None}
    return found.model_copy(update=gone)


def _costing(base: Result, cost: Estimate, calibration: Calibration) -> Result:
    clock = calibration.hierarchy.tsc_hz * len(base.scenario.placement.cpus)
    ends = cost.interval
    rate = Estimate(
        value=clock / cost.value,
        low=None if ends is None else clock / ends[1],
        high=None if ends is None else clock / ends[0],
        unit="pps",
        kind="computed",
    )
    return base.model_copy(
        update={"cycles_per_packet": cost, "throughput_pps": rate, "capped_by": "core"}
    )


def _with_device(
    scenario: Scenario, calibration: Calibration, manifest: Manifest, precision: float
) -> Bound:
    from planecast.engines.simulate.engine import simulate

    device = scenario.accelerator
    (result,) = simulate([scenario], calibration, manifest, precision=precision)
    return Bound(
        "device",
        f"a device for {device.stage}, {device.mode}: simulated with its queue of "
        f"{device.queue} and {device.core_cycles:g} cycles a packet for handing over",
        result,
    )


def _named(bound: Bound) -> Bound:
    """The result's scenario named by the bound, so that reports and queries tell them apart."""
    scenario = bound.result.scenario.model_copy(update={"name": bound.name})
    notes = (bound.meaning, *bound.result.notes)
    return Bound(
        bound.name,
        bound.meaning,
        bound.result.model_copy(update={"scenario": scenario, "notes": notes}),
    )


def gain_percent(bound: Bound, base: Bound) -> float:
    """Packets a second more than as it is, in per cent."""
    return 100 * (bound.result.throughput_pps.value / base.result.throughput_pps.value - 1)


def parse_faster(texts: Sequence[str]) -> dict[str, float]:
    """``acl=10`` as stage and factor. Raises InputError for what is none."""
    found: dict[str, float] = {}
    for text in texts:
        stage, _, typed = text.partition("=")
        try:
            factor = float(typed)
        except ValueError:
            factor = 0.0
        if not stage or not 1 < factor <= 1e6:
            raise InputError(
                f"got '{text}'", "--faster", "write STAGE=FACTOR above 1, such as acl=10"
            )
        found[stage] = factor
    return found
