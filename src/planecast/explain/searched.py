"""Explaining a search of a data plane that is not ours: rates, and the program's own statistics.

Nothing of it runs our stage clock, and there are no counters. What is left are two sources: the
trials, which know what was offered and lost, with telemetry at the rates that were found; and the
program's own statistics in a trial at that rate: Open vSwitch's cycles with and without packets,
VPP's clocks by node, our own stages'.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import suppress

from planecast.dataplanes.vpp_runtime import CLOCKS, NODE, THREAD_CLOCKS
from planecast.errors import InputError
from planecast.explain.caveats import NO_COUNTERS
from planecast.explain.core import core_of
from planecast.explain.explanation import (
    Advice,
    CauseCycles,
    Explanation,
    Role,
    RoleShare,
    StageExplanation,
)
from planecast.explain.graph_nodes import stage_of
from planecast.explain.model_breakdown import ModelBreakdown, model_breakdown
from planecast.explain.preempted_thread import whole_of
from planecast.explain.program_stages import with_ports
from planecast.explain.run import modelled_causes
from planecast.explain.stall_causes import PORTS, in_order
from planecast.model.calibration import Calibration
from planecast.results.arithmetic import difference, total
from planecast.results.estimate import Estimate
from planecast.results.search import FoundRate, SearchAnswer
from planecast.results.telemetry import TSC, Telemetry
from planecast.workload.counts import IO_STAGES

POLLING = "polling"
"""What a thread does that polls empty rings, as a stage."""
FORWARDING = "forwarding"
"""What it does with packets that it found, as a stage."""

_CAPS = ("link", "generator", "--max-rate")
"""What a search says a rate is capped by where the data plane never got to feel its limit."""
_IDLE, _BUSY = 0.3, 0.9
_MANY_MASKED = 0.1
_FEW_IN_BATCH = 4.0
_SOME = 0.001


def explain_search(
    answer: SearchAnswer, label: str, calibration: Calibration | None = None
) -> Explanation:
    """What a search and the data plane's own statistics say of where its cycles go; by stage and
    cause where a `calibration` is of that program."""
    model = _model(answer, calibration)
    name, rate = next(iter(answer.rates.items()), ("", None))
    watched = next((seen for seen in answer.telemetry if seen.rate == name), None)
    whole = _whole(answer.second_opinion, watched)
    stages = tuple(_stages(answer.second_opinion, watched, whole, model))
    whole, preempted = whole_of(whole, stages)
    idle = _idle_share(stages, whole)
    return Explanation(
        label=f"{label} ({answer.dataplane})",
        scenario=answer.scenario,
        cycles_per_packet=whole,
        throughput_pps=rate.rate_pps if rate else None,
        instructions_per_packet=watched.instructions_per_packet if watched else None,
        ipc=watched.ipc if watched else None,
        stages=stages,
        causes=tuple(_causes(stages)),
        roles=tuple(_roles(stages, watched)),
        limits=(
            *((answer.invalid,) if answer.invalid else preempted),
            *_limits(name, rate, stages, whole, idle),
            *(watched.limits if watched is not None else ()),
        ),
        certainty=tuple(_certainty(answer, rate, whole, watched)),
        advice=tuple(_advice(answer, idle)),
        unknown=(*_unknown(stages, watched, model), *_polls_within(answer)),
        notes=(*_sources(watched), *_of_model(model), *_said(answer), *answer.notes),
        manifest=answer.manifest,
    )


def _whole(opinion: Mapping[str, Estimate], watched: Telemetry | None) -> Estimate | None:
    """TSC cycles a packet, empty polls among them: by the clock, else as the program says."""
    if watched is not None and watched.cycles_of == TSC and watched.cycles_per_packet is not None:
        return watched.cycles_per_packet
    return opinion.get("pmd") or opinion.get(THREAD_CLOCKS)


def _sources(watched: Telemetry | None) -> tuple[str, ...]:
    if watched is None or not watched.events:
        return (NO_COUNTERS.partition(":")[0], *(watched.marks if watched is not None else ()))
    return watched.marks


def _model(answer: SearchAnswer, calibration: Calibration | None) -> ModelBreakdown | None:
    """The model of the program that was searched; None without a calibration of it."""
    if calibration is None or calibration.program is None:
        return None
    core = core_of(answer.manifest)
    with suppress(InputError):  # of another program, or in a way that the model doesn't know
        return model_breakdown(answer.scenario, calibration, core.slots if core else None)
    return None


def _of_model(model: ModelBreakdown | None) -> tuple[str, ...]:
    if model is None:
        return ()
    return (
        "the program's stages are the calibrated model's, from counts and traces of it between "
        "ports in memory; ports are what is left of the program's own count of its cycles, or of "
        "all that its thread had, polls of an empty ring among them, where it counts none",
    )


def _stages(
    opinion: Mapping[str, Estimate],
    watched: Telemetry | None,
    whole: Estimate | None,
    model: ModelBreakdown | None,
) -> Iterator[StageExplanation]:
    """What it does with packets, and how long it polls empty rings."""
    working = list(_working(opinion, watched))
    counted = total(stage.cycles for stage in working) or whole
    if model and counted and all(stage.stage == FORWARDING for stage in working):
        working = list(_by_model(counted, model))
    yield from working
    busy = total(stage.cycles for stage in working)
    if whole is not None and busy is not None and whole.value > busy.value:
        yield _stage(POLLING, "other", difference(whole, busy), "waiting")


def _working(
    opinion: Mapping[str, Estimate], watched: Telemetry | None
) -> Iterator[StageExplanation]:
    """Its work with packets that it found: ours by stage, others' as one."""
    forwarding = opinion.get("pmd processing")
    if forwarding is not None:
        yield _stage(FORWARDING, "processing", forwarding, "unattributed")
    elif watched is not None and watched.stage_cycles:
        for name, value in watched.stage_cycles.items():
            role: Role = "I/O" if name in IO_STAGES else "processing"
            yield _stage(name, role, _read(value), "unattributed")
    elif any(name.startswith(NODE) for name in opinion):
        yield from _by_node(opinion)
    elif watched is not None and watched.busy_cycles_per_packet is not None:
        yield _stage(
            FORWARDING, "processing", _read(watched.busy_cycles_per_packet), "unattributed"
        )


def _by_model(working: Estimate, model: ModelBreakdown) -> Iterator[StageExplanation]:
    """A program's work by its stages, its ports first."""
    for name, cycles in with_ports(working, model).items():
        if name == PORTS:
            yield _stage(PORTS, "I/O", cycles, PORTS)
        else:
            yield StageExplanation(
                stage=name,
                role="processing",
                cycles=cycles,
                modelled=model.stages[name],
                causes=modelled_causes(name, cycles, model),
            )


def _by_node(opinion: Mapping[str, Estimate]) -> Iterator[StageExplanation]:
    """VPP's nodes, those of one stage added up, the most expensive stage first."""
    stages: dict[tuple[str, Role], list[Estimate]] = {}
    for name, cycles in opinion.items():
        if name.startswith(NODE):
            stages.setdefault(stage_of(name.removeprefix(NODE)), []).append(cycles)
    found = {key: total(parts) for key, parts in stages.items()}
    known = [(key, summed) for key, summed in found.items() if summed is not None]
    for (stage, role), summed in sorted(known, key=lambda one: one[1].value, reverse=True):
        yield _stage(stage, role, summed, "unattributed")


def _read(cycles: float) -> Estimate:
    """What our stage clock read in one trial."""
    return Estimate(value=cycles, samples=1, unit="cycles/packet", kind="measured")


def _stage(name: str, role: Role, cycles: Estimate, cause: str) -> StageExplanation:
    return StageExplanation(
        stage=name, role=role, cycles=cycles, causes=(CauseCycles(cause=cause, cycles=cycles),)
    )


def _causes(stages: tuple[StageExplanation, ...]) -> Iterator[CauseCycles]:
    for cause in in_order({part.cause for stage in stages for part in stage.causes}):
        own = [part.cycles for stage in stages for part in stage.causes if part.cause == cause]
        summed = total(own)
        if summed is not None:
            yield CauseCycles(cause=cause, cycles=summed)


def _roles(stages: tuple[StageExplanation, ...], watched: Telemetry | None) -> Iterator[RoleShare]:
    split = watched.split if watched is not None else None
    instructions: dict[Role, float | None] = {
        "I/O": split.io if split else None,
        "processing": split.processing if split else None,
        "other": split.other if split else None,
    }
    for role, count in instructions.items():
        cycles = total(stage.cycles for stage in stages if stage.role == role)
        if cycles is not None or count is not None:
            counted = None
            if count is not None:
                counted = Estimate(
                    value=count, samples=1, unit="instructions/packet", kind="measured"
                )
            yield RoleShare(role=role, cycles=cycles, instructions=counted)


def _idle_share(stages: tuple[StageExplanation, ...], whole: Estimate | None) -> float | None:
    """Share of its cycles in which the thread found no packet; None when it doesn't say."""
    idle = next((stage.cycles for stage in stages if stage.stage == POLLING), None)
    return idle.value / whole.value if idle and whole and whole.value > 0 else None


def _limits(
    name: str,
    rate: FoundRate | None,
    stages: tuple[StageExplanation, ...],
    whole: Estimate | None,
    idle: float | None,
) -> Iterator[str]:
    if rate is not None:
        yield f"{name} is {rate.rate_pps.value / 1e6:.4g} Mpps: {rate.why}"
    if idle is not None and whole is not None:
        working = whole.value * (1 - idle)
        if idle > _IDLE and rate is not None and rate.capped_by in _CAPS:
            yield (
                f"the data plane was not at its limit: its thread polls empty rings in "
                f"{idle:.0%} of its cycles, and spends {working:.1f} on each packet"
            )
        elif idle > _IDLE:
            yield (
                f"cycles don't limit it: at that rate its thread polls empty rings in "
                f"{idle:.0%} of them, and spends {working:.1f} cycles on each packet. Packets "
                "are lost in bursts that exceed its rings, or while the thread is preempted"
            )
        else:
            most = "" if idle < 1 - _BUSY else ", not quite all of its time"
            yield f"its thread's own work: {working:.1f} cycles a packet, {1 - idle:.0%}{most}"
    at_work = [stage for stage in stages if stage.stage != POLLING]
    if whole is not None and (len(at_work) > 1 or (at_work and idle is None)):
        top_stage = max(at_work, key=lambda stage: stage.cycles.value if stage.cycles else 0.0)
        assert top_stage.cycles is not None
        share = top_stage.cycles.value / whole.value
        yield (
            f"the most expensive stage is {top_stage.stage}: {share:.0%}, "
            f"{top_stage.cycles.value:.1f} cycles"
        )
    if rate is None and not stages:
        yield "what limits it is unknown from this input"


def _certainty(
    answer: SearchAnswer,
    rate: FoundRate | None,
    whole: Estimate | None,
    watched: Telemetry | None,
) -> Iterator[str]:
    if rate is not None and rate.rate_pps.interval is not None:
        low, high = (end / 1e6 for end in rate.rate_pps.interval)
        yield (
            f"the rate lies between {low:.4g} and {high:.4g} Mpps, from {answer.trials} trials of "
            f"{answer.trial_seconds:g} s in {len(rate.bounds)} repetition"
            f"{'' if len(rate.bounds) == 1 else 's'}"
        )
    opinion = answer.second_opinion
    said = opinion.get("pmd") or opinion.get(THREAD_CLOCKS) or opinion.get(CLOCKS)
    if whole is None:
        yield "its cycles are unknown: only the rate was measured"
    if said is not None:
        own = (
            f"{said.value:.1f} cycles a packet are the data plane's own statistics of one trial at "
            f"that rate ({said.samples:,} packets), without an interval; what it waited at both "
            "ends of the trial is in them"
        )
        clock = watched.cycles_per_packet if watched is not None else None
        if clock is None:
            yield own
        else:
            apart = 100 * (said.value / clock.value - 1)
            yield (
                f"two sources: {own}. TSC cycles over the packets that came back are "
                f"{clock.value:.1f}, {apart:+.0f} % from it"
            )
    check = answer.cycles_check
    if check is not None:
        own = ", ".join(
            f"{check.own[name].value:.1f} ({name}, {percent:+.0f} %)"
            for name, percent in check.difference_percent.items()
        )
        yield (
            f"at {check.offered_pps / 1e6:.4g} Mpps offered the TSC measures "
            f"{check.ours.value:.1f} cycles a packet, and the data plane reports {own}"
        )
    if answer.refused:
        again = ", ".join(f"{count} {why}" for why, count in answer.refused.items())
        yield f"trials that were made again: {again}"


def _advice(answer: SearchAnswer, idle: float | None) -> Iterator[Advice]:
    opinion = answer.second_opinion
    capped = next((rate.capped_by for rate in answer.rates.values()), "")
    if capped in _CAPS:
        yield Advice(
            try_this=f"search again without that cap: the {capped} set the rate",
            why="the data plane's own limit is not known yet",
        )
    elif idle is not None and idle > _IDLE:
        yield Advice(
            try_this="larger rings: --set placement.rx_ring=2048 --set placement.tx_ring=2048",
            why="packets are lost while cycles are left",
        )
        yield Advice(
            try_this="planecast doctor",
            why="it lists what preempts the forwarding CPU: interrupts, timers, neighbours",
        )
    masked = opinion.get("megaflow look-ups")
    if masked is not None and masked.value > _MANY_MASKED:
        yield Advice(
            try_this="ovs-vsctl set Open_vSwitch . other_config:smc-enable=true",
            why=f"{masked.value:.0%} of the packets are of flows that miss the exact-match cache "
            "of 8,192 entries; the signature cache holds a million",
        )
    upcalls = opinion.get("upcalls")
    if upcalls is not None and upcalls.value > _SOME:
        yield Advice(
            try_this="install flows before the traffic, or wildcard more of the header",
            why=f"{upcalls.value:.1%} of the packets go up to the slow path",
        )
    batch = opinion.get("batch")
    if batch is not None and batch.value < _FEW_IN_BATCH:
        yield Advice(
            try_this="ovs-vsctl set Open_vSwitch . other_config:tx-flush-interval=50",
            why=f"{batch.value:.1f} packets a send call: waiting up to 50 µs makes batches larger",
        )
    if answer.scenario.dataplane.kind == "ours":
        yield Advice(
            try_this="planecast measure SCENARIO --explain",
            why="the same function with its own source and sink: cycles by stage and cause, and "
            "changes with what they save",
        )
    if answer.scenario.dataplane.kind == "ovs":
        yield Advice(
            try_this="planecast explain --published 'ovs-l2 noHT'",
            why="counters of the same cross-connect on a Broadwell",
        )


def _unknown(
    stages: tuple[StageExplanation, ...], watched: Telemetry | None, model: ModelBreakdown | None
) -> Iterator[str]:
    if not stages:
        yield "cycles by stage: this data plane reports none of its own"
    if model is not None or (watched is not None and watched.instructions_per_packet is not None):
        return
    yield (
        "the cause of the cycles per packet: instructions were not counted and no model of this "
        "program is calibrated (planecast calibrate STUDY, as studies/ovs.yaml); count during a "
        "search where there are counters (planecast explain --count CPUS), or sample it (perf "
        "record; planecast explain --flame)"
    )


def _polls_within(answer: SearchAnswer) -> Iterator[str]:
    """VPP counts an input node's polls that found nothing among its clocks."""
    size = answer.second_opinion.get("vectors/call")
    if size is not None and size.value < _FEW_IN_BATCH:
        yield (
            f"the cost of rx a packet: {size.value:.2g} packets a call, so most of its cycles are "
            "empty polls; measure it near the highest rate, where vectors are full"
        )


def _said(answer: SearchAnswer) -> Iterator[str]:
    """Its other statistics, in words."""
    nodes = [
        f"{name.removeprefix(NODE)} {value.value:.1f}"
        for name, value in answer.second_opinion.items()
        if name.startswith(NODE)
    ]
    if nodes:
        yield f"cycles a packet by node: {', '.join(nodes)}"
    for name, value in answer.second_opinion.items():
        if value.unit == "share":
            yield f"{name}: {value.value:.1%} of the packets"
        elif value.unit == "packets":
            yield f"{name}: {value.value:.1f} packets"
