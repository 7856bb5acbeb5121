"""Words of a search: what limits the data plane, how sure that is, what to try, what is unknown."""

from __future__ import annotations

from collections.abc import Iterator

from planecast.dataplanes.polls import PROGRAM
from planecast.dataplanes.vpp_runtime import CLOCKS, NODE, THREAD_CLOCKS, VECTORS
from planecast.explain.caveats import TRACED_BOUNDS
from planecast.explain.explanation import Advice, CauseCycles, StageExplanation
from planecast.explain.search_basis import SearchBasis
from planecast.explain.searched_stages import POLLING, Divided
from planecast.explain.stall_causes import DISTURBED, UNATTRIBUTED, UNEXPLAINED, WAITING
from planecast.model.calibrated_range import outside
from planecast.model.supported import study_of
from planecast.results.estimate import Estimate
from planecast.results.search import FoundRate, SearchAnswer
from planecast.results.telemetry import Telemetry
from planecast.scenario.dataplane import OWN
from planecast.scenario.scenario import Scenario
from planecast.workload.traced.clocks import NOT_AS_TIMED

_CAPS = ("link", "generator", "--max-rate")
"""What a search says a rate is capped by where the data plane never got to feel its limit."""
_IDLE, _BUSY = 0.3, 0.9
_MANY_MASKED = 0.1
_FEW_IN_BATCH = 4.0
_SOME = 0.001
_WHOLES = ("pmd", PROGRAM, THREAD_CLOCKS, CLOCKS)
"""Names of all its cycles a packet among what is counted in it."""
_MUCH = 0.15
"""Share of the cycles from which on what is not explained is said first."""
_DISTURBED = 0.1
"""Share of looks from which on another guest on the core is said first."""
_BETWEEN_PORTS = ("testpmd", "l3fwd", "ovs", "command")
"""Programs whose models know ports in memory, and no others."""


def limits(
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
    at_work = [stage for stage in stages if stage.stage not in (POLLING, UNEXPLAINED)]
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


def another_guest(
    watched: Telemetry | None, causes: tuple[CauseCycles, ...], whole: Estimate | None
) -> Iterator[str]:
    """Before any cause: cycles next to another guest are not the data plane's alone."""
    share = watched.disturbed_share if watched is not None else None
    if not share or share <= _DISTURBED:
        return
    added = next((one.cycles.value for one in causes if one.cause == DISTURBED), None)
    if added is None or whole is None or whole.value <= 0:
        cost = "too few looks were without it to show what it took"
    else:
        part = added / whole.value
        cost = f"it took {added:.1f} of a packet's {whole.value:.1f} cycles, {part:.0%}"
    yield (
        f"another guest was on its core in {share:.0%} of the looks by stage; {cost}: search again "
        "on a quieter machine (planecast doctor)"
    )


def certainty(
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
    said = next((opinion[name] for name in _WHOLES if name in opinion), None)
    if whole is None:
        yield "its cycles are unknown: only the rate was measured"
    if said is not None:
        own = (
            f"{said.value:.1f} cycles a packet were counted in the data plane in one trial at that "
            f"rate ({said.samples:,} packets), without an interval; what it waited at both "
            "ends of the trial is in them"
        )
        clock = watched.cycles_per_packet if watched is not None else None
        if clock is None:
            yield own
        else:
            apart = 100 * (clock.value / said.value - 1)
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


def advice(answer: SearchAnswer, idle: float | None) -> Iterator[Advice]:
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
    if answer.scenario.dataplane.kind == OWN:
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


def polls_within(answer: SearchAnswer) -> Iterator[str]:
    """VPP counts an input node's polls that found nothing among its clocks."""
    size = answer.second_opinion.get(VECTORS)
    if size is not None and size.value < _FEW_IN_BATCH:
        yield (
            f"the cost of rx a packet: {size.value:.2g} packets a call, so most of its cycles are "
            "empty polls; measure it near the highest rate, where vectors are full"
        )


def said(answer: SearchAnswer) -> Iterator[str]:
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


def cache_hits(answer: SearchAnswer) -> Iterator[str]:
    """Where Open vSwitch found its packets' flows, in its own words."""
    masked = answer.second_opinion.get("megaflow look-ups")
    upcalls = answer.second_opinion.get("upcalls")
    if masked is not None and upcalls is not None:
        nearer = max(0.0, 1 - masked.value - upcalls.value)
        yield (
            f"of its packets {nearer:.0%} are matched before the megaflows (exact-match or "
            f"signature cache, or a simple match), {masked.value:.0%} by a megaflow, and "
            f"{upcalls.value:.1%} go up to the slow path"
        )


def extrapolated(by: Divided, known: SearchBasis) -> Iterator[str]:
    """Which keys the calibration of the program never saw at the search's values."""
    found = outside(by.scenario, known.calibration.span) if by.model and known.calibration else []
    if found:
        yield f"the model's stages are extrapolated, trust them less: {', '.join(found)}"


def not_explained(
    answer: SearchAnswer,
    causes: tuple[CauseCycles, ...],
    whole: Estimate | None,
    by: Divided,
) -> Iterator[str]:
    """How much of the cycles has no cause, where that is much, and what to run to find it."""
    without = (one.cycles for one in causes if one.cause in (UNATTRIBUTED, UNEXPLAINED))
    cycles = sum(abs(one.value) for one in without)
    if whole is None or whole.value <= 0 or cycles <= _MUCH * whole.value:
        return
    run = "; ".join(_to_run(answer, causes, by))
    then = f". Explain this run again after {run}" if run else ""
    share = f"{cycles / whole.value:.0%}"
    hidden = by.model is not None and not _counts_polls(answer, causes)
    polls = "; polls that find nothing are among them, which it does not count" if hidden else ""
    yield f"{share} of its cycles, {cycles:.1f} a packet, are not explained{polls}{then}"


def _counts_polls(answer: SearchAnswer, causes: tuple[CauseCycles, ...]) -> bool:
    """Whether the data plane knows its empty polls: ours does, of others some."""
    return answer.scenario.dataplane.kind == OWN or any(one.cause == WAITING for one in causes)


def _to_run(answer: SearchAnswer, causes: tuple[CauseCycles, ...], by: Divided) -> Iterator[str]:
    """What shows more of the cycles than is known, as commands with what they are for."""
    scenario = answer.scenario
    rate = next(iter(answer.rates.values()), None)
    if by.model is None and _calibrated(scenario):
        least = "" if by.instructions else " (or at least planecast profile SCENARIO)"
        study = study_of(scenario.forwards)
        yield f"planecast validate {study}{least}, which divides them by stage and cause"
    timed = by.port is not None or by.timed_ports
    if not timed and scenario.dataplane.kind in _BETWEEN_PORTS:
        yield "planecast machine ports, which measures what its ports take"
    if rate is not None and rate.is_least and not _counts_polls(answer, causes):
        yield f"a search without the cap of the {rate.capped_by}, so that few polls find nothing"


def _calibrated(scenario: Scenario) -> bool:
    """Whether a study can calibrate it: what is started elsewhere can't be traced."""
    return scenario.dataplane.kind != "external"


def unknown(
    scenario: Scenario,
    stages: tuple[StageExplanation, ...],
    watched: Telemetry | None,
    by: Divided,
) -> Iterator[str]:
    """What a search can't know, and what would show it."""
    if not stages:
        yield "cycles by stage: this data plane reports none of its own"
    if by.model is not None or (watched is not None and watched.instructions_per_packet):
        return
    counted = (
        "instructions alone are known, and waiting for lines is not: no model of this program is "
        "calibrated"
        if by.instructions
        else "instructions were not counted and no model of this program is calibrated"
    )
    yield (
        f"the cause of the cycles per packet: {counted} (planecast validate "
        f"{study_of(scenario.forwards)}); count during a search where there are counters "
        "(planecast explain --count CPUS), or sample it (perf record; planecast explain --flame)"
    )


def basis_notes(
    by: Divided, known: SearchBasis, stages: tuple[StageExplanation, ...]
) -> Iterator[str]:
    """What the stages and their causes rest on."""
    names = {stage.stage for stage in stages}
    if by.model is not None and UNEXPLAINED in names:
        polls = (
            "" if POLLING in names else "; empty polls are in it, which this program doesn't count"
        )
        yield (
            "the program's stages are the calibrated model's, from counts and traces of it between "
            f"ports in memory; unexplained is what is measured beyond them and the ports"
            f"{'' if POLLING in names else polls}"
        )
    if by.model is not None and known.calibration is not None:
        burst = by.burst or float(by.scenario.placement.burst)
        yield f"the model is asked for bursts of {burst:.3g}"
    if by.timed_ports:
        yield (
            "rx and tx are the drivers' functions, timed in the program in a trial at that rate, "
            "as polls with packets and without were: the state of the machine is that trial's"
        )
        if by.model is not None and by.scenario.dataplane.kind in NOT_AS_TIMED:
            yield "what else its stages rx and tx do is in unexplained"
    elif by.port is not None and UNEXPLAINED in names:
        yield (
            f"ports are what {known.ports_by} measured of such ports beyond those in "
            "memory; the way between the CPUs at that time is in it"
        )
    if by.model is None and by.instructions and known.counts is not None:
        yield (
            f"instructions are those of {known.counted_by}, by {known.counts.instrument} "
            f"({known.counts.instruction_set}); their cycles are the issue width's, the least that "
            "they can take"
        )
        if by.stalls:
            yield f"{TRACED_BOUNDS} {known.traced_by}"
        if known.calibration is None:
            yield (
                "no calibration of this host shows the core's clock: it is taken to be the "
                "time-stamp counter's, and above that (turbo) the least is less"
            )
