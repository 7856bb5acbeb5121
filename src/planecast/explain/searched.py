"""Explaining a search of a data plane that is not ours: rates, and what the program says of itself.

Nothing of it runs our stage clock, and there are no counters. What is left are two sources: the
trials, which know what was offered and lost, and the program's own statistics in a trial at the
rate that was found: Open vSwitch's cycles with and without packets, VPP's clocks by node.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from planecast.explain.arithmetic import difference, total
from planecast.explain.explanation import (
    Advice,
    CauseCycles,
    Explanation,
    Role,
    RoleShare,
    StageExplanation,
)
from planecast.explain.run import NO_COUNTERS
from planecast.results.estimate import Estimate
from planecast.results.search import FoundRate, SearchAnswer

POLLING = "polling"
"""What a thread does that looks for packets in vain, as a stage."""
PROCESSING = "processing"
NODE = "node "
"""What stands before a node's name in a data plane's opinion."""

_IDLE, _BUSY = 0.3, 0.9
_FEW_HITS = 0.9
_FEW_IN_BATCH = 4.0
_SOME = 0.001


def explain_search(answer: SearchAnswer, label: str) -> Explanation:
    """What a search and the data plane's own statistics say of where its cycles go."""
    stages = tuple(_stages(answer.second_opinion))
    whole = answer.second_opinion.get("pmd") or total(stage.cycles for stage in stages)
    name, rate = next(iter(answer.rates.items()), ("", None))
    idle = _idle_share(stages, whole)
    return Explanation(
        label=f"{label} ({answer.dataplane})",
        scenario=answer.scenario,
        cycles_per_packet=whole,
        throughput_pps=rate.rate_pps if rate else None,
        stages=stages,
        causes=tuple(_causes(stages)),
        roles=tuple(_roles(stages)),
        limits=tuple(_limits(name, rate, stages, whole, idle)),
        certainty=tuple(_certainty(answer, rate, whole)),
        advice=tuple(_advice(answer, idle)),
        unknown=tuple(_unknown(stages)),
        notes=(NO_COUNTERS.partition(":")[0], *_said(answer), *answer.notes),
        manifest=answer.manifest,
    )


def _stages(opinion: Mapping[str, Estimate]) -> Iterator[StageExplanation]:
    whole, working = opinion.get("pmd"), opinion.get("pmd processing")
    if whole is not None and working is not None:
        yield _stage(PROCESSING, "processing", working, "not told")
        yield _stage(POLLING, "other", difference(whole, working), "waiting")
        return
    for name, cycles in opinion.items():
        if name.startswith(NODE):
            node = name.removeprefix(NODE)
            role: Role = "I/O" if node.endswith(("-input", "-output", "-tx")) else "processing"
            yield _stage(node, role, cycles, "not told")


def _stage(name: str, role: Role, cycles: Estimate, cause: str) -> StageExplanation:
    return StageExplanation(
        stage=name, role=role, cycles=cycles, causes=(CauseCycles(cause=cause, cycles=cycles),)
    )


def _causes(stages: tuple[StageExplanation, ...]) -> Iterator[CauseCycles]:
    for cause in ("waiting", "not told"):
        own = [part.cycles for stage in stages for part in stage.causes if part.cause == cause]
        summed = total(own)
        if summed is not None:
            yield CauseCycles(cause=cause, cycles=summed)


def _roles(stages: tuple[StageExplanation, ...]) -> Iterator[RoleShare]:
    roles: tuple[Role, ...] = ("I/O", "processing", "other")
    for role in roles:
        cycles = total(stage.cycles for stage in stages if stage.role == role)
        if cycles is not None:
            yield RoleShare(role=role, cycles=cycles, instructions=None)


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
        if idle > _IDLE:
            yield (
                f"cycles don't limit it: at that rate its thread looks for packets in vain in "
                f"{idle:.0%} of them, and works {working:.1f} cycles on each that comes. What is "
                "lost is lost in bursts that its rings can't hold, or while the thread is kept "
                "from running"
            )
        else:
            most = "" if idle < 1 - _BUSY else ", not quite all of its time"
            yield f"its thread's own work: {working:.1f} cycles a packet, {1 - idle:.0%}{most}"
    elif stages and whole is not None:
        dearest = max(stages, key=lambda stage: stage.cycles.value if stage.cycles else 0.0)
        assert dearest.cycles is not None
        share = dearest.cycles.value / whole.value
        yield f"the dearest node is {dearest.stage}: {share:.0%}, {dearest.cycles.value:.1f} cycles"
    if rate is None and not stages:
        yield "what limits it can't be told from this input"


def _certainty(
    answer: SearchAnswer, rate: FoundRate | None, whole: Estimate | None
) -> Iterator[str]:
    if rate is not None and rate.rate_pps.interval is not None:
        low, high = (end / 1e6 for end in rate.rate_pps.interval)
        yield (
            f"the rate lies between {low:.4g} and {high:.4g} Mpps, from {answer.trials} trials of "
            f"{answer.trial_seconds:g} s in {len(rate.bounds)} repetition"
            f"{'' if len(rate.bounds) == 1 else 's'}"
        )
    if whole is None:
        yield "the data plane says nothing of its cycles: the rate is all there is"
        return
    yield (
        f"cycles are the data plane's own statistics of one trial at that rate "
        f"({whole.samples:,} packets): a second source beside the trials, without an interval; "
        "seconds in which it waited for the trial's end are in them"
    )
    if answer.refused:
        again = ", ".join(f"{count} {why}" for why, count in answer.refused.items())
        yield f"trials that were made again: {again}"


def _advice(answer: SearchAnswer, idle: float | None) -> Iterator[Advice]:
    opinion = answer.second_opinion
    if idle is not None and idle > _IDLE:
        yield Advice(
            try_this="larger rings: --set placement.rx_ring=2048 --set placement.tx_ring=2048",
            why="packets are lost while cycles are left",
        )
        yield Advice(
            try_this="planecast doctor",
            why="it says what takes the forwarding CPU away: interrupts, timers, neighbours",
        )
    hits = opinion.get("EMC hits")
    if hits is not None and hits.value < _FEW_HITS:
        yield Advice(
            try_this="ovs-vsctl set Open_vSwitch . other_config:smc-enable=true",
            why=f"{1 - hits.value:.0%} of the packets miss the exact-match cache, which holds "
            "8,192 flows; the signature cache holds a million",
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
    if answer.scenario.dataplane.kind == "ovs":
        yield Advice(
            try_this="planecast explain RUN --against 'ovs-l2 noHT', or --published 'ovs-l2 noHT'",
            why="what counters said of the same cross-connect on a Broadwell",
        )


def _unknown(stages: tuple[StageExplanation, ...]) -> Iterator[str]:
    if not stages:
        yield "cycles by stage: this data plane tells none of its own"
    yield (
        "why the work takes so many cycles: instructions were not counted and no model of this "
        "program is calibrated; count beside a search where there are counters "
        "(planecast explain --count CPUS), or sample it (perf record; planecast explain --flame)"
    )


def _said(answer: SearchAnswer) -> Iterator[str]:
    """What else it says of itself, in words."""
    for name, value in answer.second_opinion.items():
        if value.unit == "share":
            yield f"{name}: {value.value:.1%} of the packets"
        elif value.unit == "packets":
            yield f"{name}: {value.value:.1f} packets"
