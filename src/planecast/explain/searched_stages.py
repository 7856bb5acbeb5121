"""Stages of a search: the cycles at a found rate by stage, and each stage's by cause.

Sources, the better one first: the data plane's own clock by stage, the program's own statistics,
the clock over the packets that came back. Causes of a stage are the calibrated model's; without a
model the issue width of counted instructions is what is known. What is left over is a stage of its
own, `UNEXPLAINED`: nothing else gets its name.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field

from planecast.dataplanes.polls import BURST, RX, TX
from planecast.dataplanes.vpp_runtime import NODE
from planecast.dataplanes.vpp_stages import stage_of
from planecast.errors import InputError
from planecast.explain.core import Core, core_of
from planecast.explain.estimates import counted, exact_cycles
from planecast.explain.explanation import CauseCycles, StageExplanation
from planecast.explain.model_at_burst import model_at_burst
from planecast.explain.model_breakdown import ModelBreakdown
from planecast.explain.program_stages import inner_stages
from planecast.explain.run import modelled_causes
from planecast.explain.search_basis import SearchBasis
from planecast.explain.stall_bounds import Stalls
from planecast.explain.stall_causes import (
    DISTURBED,
    ISSUE,
    PORTS,
    UNATTRIBUTED,
    UNEXPLAINED,
    WAITING,
    in_order,
)
from planecast.explain.topdown_estimate import computed_tree
from planecast.explain.traced_bounds import traced_stalls
from planecast.model.calibration import Calibration
from planecast.results.arithmetic import difference, together, total
from planecast.results.estimate import Estimate
from planecast.results.search import SearchAnswer
from planecast.results.telemetry import Telemetry
from planecast.scenario import with_overrides
from planecast.scenario.dataplane import OWN
from planecast.scenario.scenario import Scenario
from planecast.workload.counts import Role, role_of
from planecast.workload.profile import instructions_by_stage
from planecast.workload.traced.program_profile import SOURCE

POLLING = "polling"
"""What a thread does that polls empty rings, as a stage."""
FORWARDING = "forwarding"
"""What it does with packets that it found, as a stage, where nothing divides it."""
BURSTS = (BURST, "batch")
"""Packets that a poll found, and packets a send call, among what a program says of itself."""
_PROCESSING = " processing"
"""Ends the name of its cycles a packet without empty polls."""

Work = tuple[str, Role, Estimate]
"""A stage, its role and its cycles."""


@dataclass(frozen=True)
class Divided:
    """What a search's cycles are divided by."""

    scenario: Scenario
    """The search's, in bursts of the size that its polls found, rounded."""
    model: ModelBreakdown | None
    """Of the program; None without a calibration of it."""
    instructions: Mapping[str, float] = field(default_factory=dict)
    """A packet, by stage; none where nobody counted."""
    issue_cycles: float = 0.0
    """TSC cycles of an instruction at the issue width; 0 for a core that isn't in the catalogue."""
    stalls: Mapping[str, Stalls] = field(default_factory=dict)
    """By stage, of a traced program without a model; bounds."""
    burst: float | None = None
    """Packets that a poll found, in the mean; None where nobody asked."""
    port: Estimate | None = None
    """What the ports of the search take above ports in memory; None where it wasn't measured."""
    timed_ports: bool = False
    """Whether the program's receive and send functions were timed during the search."""
    undisturbed: float = 1.0
    """Cycles of timed stages without another guest on the core, over those with it as it was."""


def divided_by(answer: SearchAnswer, watched: Telemetry | None, known: SearchBasis) -> Divided:
    """What is known of the program that was searched, at the burst that its polls found."""
    burst = _mean_burst(answer, watched)
    scenario = answer.scenario
    with suppress(InputError):  # a program whose burst can't be changed
        scenario = with_overrides(scenario, {"placement.burst": round(burst)})
    calibration = known.calibration
    own = calibration if calibration and calibration.is_of(scenario) else None
    core = core_of(answer.manifest)
    slots = core.slots if core else None
    model = None
    if own is not None:
        with suppress(InputError):  # a way that the model doesn't know
            model = model_at_burst(scenario, own, slots, burst)
    return Divided(
        scenario=scenario,
        burst=burst,
        model=model,
        instructions=_instructions(
            scenario, own if model else None, known, every=simulated(answer)
        ),
        issue_cycles=_clocks(calibration) / slots if slots else 0.0,
        stalls=_stalls(model, known, core),
        port=known.port_cost(scenario),
        timed_ports=RX in answer.second_opinion,
        undisturbed=_undisturbed(watched),
    )


def _mean_burst(answer: SearchAnswer, watched: Telemetry | None) -> float:
    """Packets that a poll found, where the data plane says; else those that it asks for."""
    most = float(answer.scenario.placement.burst)
    said = (answer.second_opinion[name].value for name in BURSTS if name in answer.second_opinion)
    found = watched.mean_burst if watched is not None else None
    if found is None:
        found = next(said, most)
    return min(most, max(1.0, found))


def _undisturbed(watched: Telemetry | None) -> float:
    """One ratio for all stages: there are few looks without another guest."""
    quiet = watched.undisturbed_cycles_per_packet if watched is not None else None
    whole = watched.busy_cycles_per_packet if watched is not None else None
    return min(1.0, quiet / whole) if quiet and whole else 1.0


def _stalls(
    model: ModelBreakdown | None, known: SearchBasis, core: Core | None
) -> Mapping[str, Stalls]:
    """Of a trace on a machine whose caches some calibration knows."""
    if model is not None or known.traced is None or known.calibration is None:
        return {}
    return traced_stalls(known.traced, known.calibration.hierarchy, core)


def _clocks(calibration: Calibration | None) -> float:
    """TSC cycles of a core cycle: 1 where nobody measured the core's clock."""
    return 1.0 if calibration is None else calibration.hierarchy.tsc_per_core_cycle


def _instructions(
    scenario: Scenario, own: Calibration | None, known: SearchBasis, *, every: bool
) -> dict[str, float]:
    """A packet, by stage: of the calibration, else of a profile. What makes packets in memory is
    not in a search but in a simulated one, which has `every` stage."""
    if own is not None:
        found = instructions_by_stage(scenario, own.instructions, own.program)
        if every:
            found[SOURCE] += found.pop("other", 0.0) if own.program is None else 0.0
            return found
    elif known.counts is not None:
        burst = scenario.placement.burst
        found = {name: part.at(burst) for name, part in known.counts.stages.items()}
    else:
        found = {}
    if scenario.dataplane.kind == OWN:  # a port is in place of its source and its sink
        return {name: count for name, count in found.items() if name in scenario.stages}
    return {name: count for name, count in found.items() if name != SOURCE and count > 0}


def searched_stages(
    answer: SearchAnswer, watched: Telemetry | None, whole: Estimate | None, by: Divided
) -> Iterator[StageExplanation]:
    """What it does with packets, by stage and cause, and how long it polls empty rings; of a
    simulated search what the simulator was given."""
    if by.model is not None and simulated(answer):
        yield from (_with_tree(stage) for stage in _given(by.model, by))
        return
    working = list(_working(answer.second_opinion, watched))
    known = working or by.model or by.instructions or by.port  # else one number: the whole says it
    undivided: list[Work] = (
        [(FORWARDING, "processing", whole)] if known and whole is not None else []
    )
    stages: list[StageExplanation] = []
    for name, role, cycles in working or undivided:
        if name == FORWARDING:
            stages += _divided(cycles, by)
        else:
            stages.append(_named(name, role, cycles, by))
    yield from (_with_tree(stage) for stage in stages)
    busy = total(stage.cycles for stage in stages)
    if whole is not None and busy is not None and working and whole.value > busy.value:
        yield _stage(POLLING, "other", difference(whole, busy), WAITING)


def _working(opinion: Mapping[str, Estimate], watched: Telemetry | None) -> Iterator[Work]:
    """Its work with packets that it found: ours by stage, others' as one."""
    forwarding = [cycles for name, cycles in opinion.items() if name.endswith(_PROCESSING)]
    if len(forwarding) == 1:  # several programs have one each
        yield from _with_ports(forwarding[0], opinion.get(RX), opinion.get(TX))
    elif watched is not None and watched.stage_cycles:
        for name, value in watched.stage_cycles.items():
            yield name, role_of(name), _read(value)
    elif any(name.startswith(NODE) for name in opinion):
        yield from _by_node(opinion)
    elif watched is not None and watched.busy_cycles_per_packet is not None:
        yield FORWARDING, "processing", _read(watched.busy_cycles_per_packet)


def _with_ports(working: Estimate, rx: Estimate | None, tx: Estimate | None) -> Iterator[Work]:
    """A program's work as one; without what its ports' functions took, where they were timed."""
    if rx is None or tx is None:
        yield FORWARDING, "processing", working
        return
    yield "rx", "I/O", rx
    yield FORWARDING, "processing", difference(difference(working, rx), tx)
    yield "tx", "I/O", tx


def _divided(working: Estimate, by: Divided) -> Iterator[StageExplanation]:
    """A program's work that it counts as one number, by stage; what is left over comes last. Its
    ports are in it unless they were timed."""
    if by.model is not None:
        stages = list(_modelled(by.model, by))
    elif by.issue_cycles:
        stages = [_at_issue_width(name, count, by) for name, count in by.instructions.items()]
    else:
        stages = []
    if by.timed_ports:
        stages = [stage for stage in stages if stage.role != "I/O"]
    elif by.port is not None:
        stages.append(_stage(PORTS, "I/O", by.port, PORTS))
    known = total(stage.cycles for stage in stages)
    if known is None:
        yield _stage(FORWARDING, "processing", working, UNATTRIBUTED)
        return
    yield from stages
    left = difference(working, known)
    if by.model is not None or left.value < 0:
        yield _stage(UNEXPLAINED, "other", left, UNEXPLAINED)
    else:
        name = UNEXPLAINED if by.instructions else FORWARDING
        yield _stage(name, "processing", left, UNATTRIBUTED)


def _modelled(model: ModelBreakdown, by: Divided) -> Iterator[StageExplanation]:
    """The model's stages but what makes packets in memory."""
    stages = inner_stages(model) if by.scenario.dataplane.kind == OWN else model.stages
    return (one for one in _given(model, by) if one.stage in stages and one.stage != SOURCE)


def simulated(answer: SearchAnswer) -> bool:
    """Whether the simulator answered the trials."""
    return any(rate.rate_pps.kind == "simulated" for rate in answer.rates.values())


def _given(model: ModelBreakdown, by: Divided) -> Iterator[StageExplanation]:
    """All of the model's stages, as the simulator is given them."""
    for name, said in model.stages.items():
        yield StageExplanation(
            stage=name,
            role=role_of(name),
            cycles=said,
            modelled=said,
            instructions=_counted(by.instructions.get(name)),
            causes=modelled_causes(name, said, model),
        )


def _at_issue_width(name: str, count: float, by: Divided) -> StageExplanation:
    """A stage of which instructions are known, and stalls where it was traced: at least so many
    cycles."""
    parts = {ISSUE: exact_cycles(count * by.issue_cycles), **by.stalls.get(name, {})}
    return StageExplanation(
        stage=name,
        role=role_of(name),
        cycles=together(parts.values()),
        instructions=_counted(count),
        causes=tuple(CauseCycles(cause=one, cycles=parts[one]) for one in in_order(set(parts))),
    )


def _named(name: str, role: Role, cycles: Estimate, by: Divided) -> StageExplanation:
    """A stage that was timed: what another guest added, ports by what they are, others by the model
    or their instructions."""
    own = cycles.scaled(by.undisturbed, cycles.unit) if by.undisturbed < 1 else cycles
    count = None if role == "I/O" else by.instructions.get(name)
    modelled = by.model.stages.get(name) if by.model and role != "I/O" else None
    if role == "I/O":
        causes: tuple[CauseCycles, ...] = (CauseCycles(cause=PORTS, cycles=own),)
    elif by.model is not None and modelled is not None:
        causes = modelled_causes(name, own, by.model)
    else:
        least = min((count or 0.0) * by.issue_cycles, own.value)
        issue = exact_cycles(least)
        left = CauseCycles(cause=UNATTRIBUTED, cycles=difference(own, issue) if least else own)
        causes = (CauseCycles(cause=ISSUE, cycles=issue), left) if least else (left,)
    if own is not cycles:
        causes += (CauseCycles(cause=DISTURBED, cycles=difference(cycles, own)),)
    return StageExplanation(
        stage=name,
        role=role,
        cycles=cycles,
        modelled=modelled,
        instructions=_counted(count),
        causes=causes,
    )


def _with_tree(stage: StageExplanation) -> StageExplanation:
    if stage.cycles is None or stage.cycles.value <= 0:
        return stage
    return stage.model_copy(update={"nodes": computed_tree(stage.causes, stage.cycles)})


def _by_node(opinion: Mapping[str, Estimate]) -> Iterator[Work]:
    """VPP's nodes, those of one stage added up, the most expensive stage first."""
    stages: dict[tuple[str, Role], list[Estimate]] = {}
    for name, cycles in opinion.items():
        if name.startswith(NODE):
            stages.setdefault(stage_of(name.removeprefix(NODE)), []).append(cycles)
    found = {key: total(parts) for key, parts in stages.items()}
    known = [(key, summed) for key, summed in found.items() if summed is not None]
    for (stage, role), summed in sorted(known, key=lambda one: one[1].value, reverse=True):
        yield stage, role, summed


def _read(cycles: float) -> Estimate:
    """What our stage clock read in one trial."""
    return Estimate(value=cycles, samples=1, unit="cycles/packet", kind="measured")


def _counted(count: float | None) -> Estimate | None:
    return None if count is None else counted(count)


def _stage(name: str, role: Role, cycles: Estimate, cause: str) -> StageExplanation:
    return StageExplanation(
        stage=name, role=role, cycles=cycles, causes=(CauseCycles(cause=cause, cycles=cycles),)
    )
