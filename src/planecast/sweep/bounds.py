"""Bounds: what no upgrade of a component, and no traffic, can exceed.

The questions are those of the vPE study: a last level without misses, a core without stalls (every
instruction at the core's issue width), one flow against a new one with each packet, and a stage
that a device does so many times as fast.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from planecast.catalog import names
from planecast.engines.simulate.closed_form_view import closed_form_view
from planecast.engines.solve import solve
from planecast.engines.solve.engine import throughput
from planecast.errors import InputError
from planecast.explain.core import core_of
from planecast.model.calibration import Calibration
from planecast.model.target_platform import Site, at_host
from planecast.model.transfer import transferred
from planecast.results.estimate import Estimate
from planecast.results.manifest import Manifest
from planecast.results.result import MEMORY_BANDWIDTH, Result
from planecast.scenario import with_overrides
from planecast.scenario.dataplane import OWN
from planecast.scenario.machine import HOST, machine_of, microarchitecture_of
from planecast.scenario.scenario import Scenario
from planecast.sweep.hardware import with_last_level

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
    traffic = {"traffic.offered_pps": None, "traffic.arrivals": "constant"}
    own = scenario.dataplane.kind == OWN
    closed = with_overrides(closed_form_view(scenario) if own else scenario, traffic)
    at = transferred(calibration, Site.of(closed))
    here = at.calibration

    def ask(name: str, meaning: str, machine: Calibration, flows: int | None = None) -> Bound:
        changes = {} if flows is None else {"traffic.flows": flows}
        asked = with_overrides(closed, changes)
        (found,) = solve([at_host(asked)], machine, manifest)
        own = {"scenario": asked, "notes": (*at.notes, *found.notes)}
        return Bound(name, meaning, found.model_copy(update=own))

    as_is = ask("as-it-is", "the closed form's answer", here)
    base = as_is.result
    width, assumed = issue_width(closed, calibration)
    found = [
        as_is,
        ask("infinite-llc", "a last-level cache that holds everything", _last_boundless(here)),
        ask("all-near", "every access served by the L1 cache", _all_near(here)),
        Bound(
            "ideal-cpi",
            f"the same instructions at {width:g} a cycle, what the core can issue{assumed}",
            _ideal(base, here, width),
        ),
        ask("best-traffic", "one flow", here, 1),
    ]
    if own:
        flows = closed.workload.flows
        found.append(ask("worst-traffic", "every flow of the table, at random", here, flows))
    for stage, factor in faster.items():
        found.append(
            Bound(
                f"{stage}-x{factor:g}",
                f"{stage} {factor:g} times as fast, offloaded at no cost",
                _accelerated(base, stage, factor, here),
            )
        )
    if own and scenario.accelerator.stage != "none":
        found.append(_with_device(scenario, calibration, manifest, precision))
    return [_named(bound) for bound in found]


def issue_width(scenario: Scenario, calibration: Calibration) -> tuple[float, str]:
    """(instructions that the scenario's core issues a cycle at most, what was assumed): the
    catalogue's; of a host that it doesn't know the most that any core of it does."""
    if scenario.machine != HOST:
        return machine_of(scenario.machine).core.issue_width.value, ""
    core = core_of(calibration.manifest)
    if core is not None:
        return core.slots, ""
    known = (microarchitecture_of(name).values for name in names("microarchitectures"))
    widest = max(values.issue_width.value for values in known)
    return widest, " (the widest of the catalogue, which doesn't know this host's)"


def _last_boundless(calibration: Calibration) -> Calibration:
    return with_last_level(calibration, _BOUNDLESS)


def _all_near(calibration: Calibration) -> Calibration:
    """The first level and the TLB hold all, so stores drain into the first level, too."""
    machine = calibration.hierarchy
    first = machine.levels[0]
    near = first.model_copy(update={"size_bytes": first.size_bytes * _BOUNDLESS})
    rest = (x.model_copy(update={"latency_cycles": first.latency_cycles}) for x in machine.levels)
    update = {
        "levels": (near, *list(rest)[1:]),
        "tlb_pages": machine.tlb_pages * _BOUNDLESS,
        "first_tlb": None,
    }
    every = calibration.model_copy(update={"hierarchy": machine.model_copy(update=update)})
    return _last_boundless(every)


def _ideal(base: Result, calibration: Calibration, width: float) -> Result:
    if base.instructions_per_packet is None:
        raise InputError("no instructions were counted", "--calibration", "calibrate again")
    machine = calibration.hierarchy
    cycles = base.instructions_per_packet.value / width * machine.tsc_per_core_cycle
    cost = Estimate(value=cycles, unit="cycles/packet", kind="computed")
    ipc = Estimate(value=width, unit="instructions/cycle", kind="computed")
    found = _costing(base, cost, calibration)
    return found.model_copy(update={"stages": {}, "ipc": ipc})


def _accelerated(base: Result, stage: str, factor: float, calibration: Calibration) -> Result:
    own = base.stages.get(stage) if stage != MEMORY_BANDWIDTH else None
    if own is None or own.cycles_per_packet is None:
        raise InputError(
            f"the stage {stage} doesn't run",
            f"--faster {stage}={factor:g}",
            "name one of " + ", ".join(name for name in base.stages if name != MEMORY_BANDWIDTH),
        )
    cost, part = base.cycles_per_packet, own.cycles_per_packet
    saved = part.value * (1 - 1 / factor)
    if (wait := base.stages.get(MEMORY_BANDWIDTH)) is not None and wait.cycles_per_packet:
        return _waiting(base, stage, saved)
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


def _waiting(base: Result, stage: str, saved: float) -> Result:
    """A stage that is faster where memory caps all of them: its lines are as many."""
    stages = dict(base.stages)
    for name, cycles in ((stage, -saved), (MEMORY_BANDWIDTH, saved)):
        own = stages[name].cycles_per_packet
        assert own is not None
        part = own.scaled(1 + cycles / own.value, own.unit)
        stages[name] = stages[name].model_copy(update={"cycles_per_packet": part})
    gone = {"stages": stages, "instructions_per_packet": None, "ipc": None}
    return base.model_copy(update=gone)


def _costing(base: Result, cost: Estimate, calibration: Calibration) -> Result:
    rate = throughput(cost, calibration, base.scenario.placement.lcores)
    if cost.interval is None:
        rate = rate.model_copy(update={"low": None, "high": None})
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
    """The result's scenario named by the bound, so that reports and queries distinguish them."""
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
