"""Explaining a run without counters: instruction counts, TSC cycles and the calibrated model.

Measured cycles stay measured: stages as the stage clock read them, the whole as the windows did.
What the model says of each stage is taken apart by cause, and what it leaves over is a cause of its
own, so that every stage's causes add up to what was measured.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from planecast.errors import InputError
from planecast.explain.advice import advise
from planecast.explain.arithmetic import difference, together, total
from planecast.explain.case import Case
from planecast.explain.computed_tree import computed_tree
from planecast.explain.core import Core, core_of
from planecast.explain.core_bounds import code_of, notes_of, told_apart
from planecast.explain.explanation import (
    CauseCycles,
    Explanation,
    Role,
    RoleShare,
    StageExplanation,
)
from planecast.explain.model_breakdown import ModelBreakdown, model_breakdown
from planecast.explain.stall_bounds import Stalls, bounded_stalls, split_stage
from planecast.explain.stall_causes import CORE_REST, CORES_OWN, ISSUE, in_order
from planecast.explain.verdict import certainty, limits
from planecast.model.calibrated_range import outside
from planecast.model.calibration import Calibration
from planecast.results.estimate import Estimate, ratio
from planecast.workload.counts import IO_STAGES
from planecast.workload.profile import counts_of

_ROUNDING = 1e-6
"""Cycles that sums in another order differ by."""

LOOP = "loop"
"""The loop around the stages, as a stage of its own."""

NO_COUNTERS = (
    "no hardware counters were read: causes are computed from counted instructions, time-stamp "
    "cycles and the calibrated model"
)

BOUNDED = (
    "stalls by level follow from the tables that the stages touch: from nothing to every line "
    "waited for alone, the value as lines cost that are asked for together; core is what is left "
    "of a measured stage"
)


def explain_case(case: Case, *, apart: bool = True) -> Explanation:
    """Where the cycles of one result go, what limits it, how sure that is, what to try.

    `apart`: the core's own cycles are told apart where the code was counted.
    """
    model, why_not = _model(case)
    core = _core(case)
    stalls = _stalls(case) if model is None else {}
    stages = tuple(_stages(case, model, core, stalls))
    measured = case.result.cycles_per_packet if case.result else None
    whole = measured or (model.whole if model else None)
    instructions = _whole_instructions(case, stages)
    causes = _all_causes(stages, whole, model)
    explained = Explanation(
        label=case.label,
        scenario=case.scenario,
        cycles_per_packet=whole,
        modelled=model.whole if model else None,
        throughput_pps=case.result.throughput_pps if case.result else None,
        instructions_per_packet=instructions,
        ipc=_ipc(instructions, whole, case.calibration),
        stages=stages,
        causes=causes,
        roles=tuple(_roles(stages)),
        unknown=(*_unknown(case, stages, why_not, bool(stalls)), _only_counted(causes, whole)),
        notes=tuple(_notes(case, core, bool(stalls))),
        manifest=case.result.manifest if case.result else None,
    )
    explained = explained.model_copy(
        update={"limits": limits(explained, case.result), "certainty": certainty(explained, case)}
    )
    code = code_of(case, core)
    if apart and code is not None:
        explained = told_apart(explained, code)
        explained = explained.model_copy(
            update={"notes": (*explained.notes, *notes_of(case, code))}
        )
    explained = _with_trees(explained, alike=bool(stalls))
    advice = advise(explained, case.calibration if model else None)
    return explained.model_copy(update={"advice": advice})


def _with_trees(explained: Explanation, *, alike: bool) -> Explanation:
    """The explanation with the top-down tree of the whole and of each stage."""

    def tree(one: Explanation | StageExplanation, cycles: Estimate | None) -> dict[str, Any]:
        return {"nodes": computed_tree(one.causes, cycles, alike=alike) if cycles else ()}

    stages = tuple(stage.model_copy(update=tree(stage, stage.cycles)) for stage in explained.stages)
    return explained.model_copy(
        update={"stages": stages, **tree(explained, explained.cycles_per_packet)}
    )


def _model(case: Case) -> tuple[ModelBreakdown | None, str]:
    """What the model says, or why it says nothing."""
    if case.calibration is None:
        return None, "there is no calibration: make one with planecast calibrate STUDY"
    core = _core(case)
    try:
        return model_breakdown(case.scenario, case.calibration, core.slots if core else None), ""
    except InputError as error:  # another network function, or a part of the simulator's alone
        return None, error.what


def _stalls(case: Case) -> Mapping[str, Stalls]:
    """Stalls by stage of a measured result that no model is calibrated for."""
    if case.calibration is None or case.result is None:
        return {}
    cycles = case.result.cycles_per_packet.value
    return bounded_stalls(case.scenario, case.calibration, cycles)


def _core(case: Case) -> Core | None:
    for made in (case.result, case.calibration):
        core = core_of(made.manifest) if made else None
        if core:
            return core
    return None


def _stages(
    case: Case, model: ModelBreakdown | None, core: Core | None, stalls: Mapping[str, Stalls]
) -> list[StageExplanation]:
    found = case.result.stages if case.result else {}
    names = list(found) or ["source", *case.scenario.workload.stages, "tx"]
    counted = _instructions(case)
    stages = []
    for name in names:
        measured = found[name].cycles_per_packet if name in found else None
        said = model.stages.get(name) if model else None
        instructions = counted.get(name)
        cycles = measured or (said if not case.result else None)
        if cycles is None and instructions is None and said is None:
            continue
        stages.append(
            StageExplanation(
                stage=name,
                role=_role(name),
                cycles=cycles,
                modelled=said,
                instructions=instructions,
                ipc=_ipc(instructions, cycles, case.calibration),
                causes=_causes(
                    name,
                    cycles,
                    model,
                    _issue(instructions, core, case.calibration),
                    stalls.get(name, {} if stalls else None),
                ),
            )
        )
    loop = _loop(case, stages, counted.get(LOOP))
    return [*stages, loop] if loop else stages


def _role(stage: str) -> Role:
    return "I/O" if stage in IO_STAGES else "processing"


def _instructions(case: Case) -> Mapping[str, Estimate]:
    """Instructions a packet by stage: of the result, else of the profile, else the model's."""
    burst = case.scenario.placement.burst
    counts = case.counts
    if counts is None and case.calibration is not None:
        counts = counts_of(case.scenario.workload.stages, case.calibration.instructions)
    found = {}
    if counts is not None:
        own = ("source", *case.scenario.workload.stages, "tx")
        parts = {name: part.at(burst) for name, part in counts.stages.items() if name in own}
        if parts.keys() == set(own):  # counts of another network function say nothing of this one
            parts[LOOP] = counts.other.at(burst)
            found = {name: _counted(value) for name, value in parts.items()}
    for name, stage in (case.result.stages if case.result else {}).items():
        if stage.instructions_per_packet is not None:
            found[name] = stage.instructions_per_packet
    return found


def _counted(value: float) -> Estimate:
    return Estimate(value=value, samples=1, unit="instructions/packet", kind="measured")


def _whole_instructions(case: Case, stages: tuple[StageExplanation, ...]) -> Estimate | None:
    if case.result and case.result.instructions_per_packet:
        return case.result.instructions_per_packet
    return total(stage.instructions for stage in stages)


def _issue(
    instructions: Estimate | None, core: Core | None, calibration: Calibration | None
) -> float:
    """TSC cycles that the instructions take at the issue width; 0 where that isn't known."""
    if instructions is None or core is None or calibration is None:
        return 0.0
    hierarchy = calibration.hierarchy
    return instructions.value / core.slots * hierarchy.tsc_hz / hierarchy.core_hz


def _causes(
    stage: str,
    cycles: Estimate | None,
    model: ModelBreakdown | None,
    issue: float,
    stalls: Stalls | None,
) -> tuple[CauseCycles, ...]:
    """`stalls` are those of a stage that no model is calibrated for, where its tables are known."""
    if cycles is None:
        return ()
    if model is None or stage not in model.stages:
        issue = min(issue, cycles.value)
        if stalls is not None:
            return _listed(split_stage(cycles, issue, stalls))
        rest = _plain(issue) if issue else None
        parts = {ISSUE: rest} if rest else {}
        parts["not told"] = difference(cycles, rest) if rest else cycles
    else:
        parts = {cause: found for (own, cause), found in model.parts.items() if own == stage}
        if cycles is not model.stages[stage]:
            parts["unexplained"] = difference(cycles, model.stages[stage])
    return _listed(parts)


def _listed(parts: Mapping[str, Estimate]) -> tuple[CauseCycles, ...]:
    return tuple(CauseCycles(cause=name, cycles=parts[name]) for name in in_order(set(parts)))


def _plain(cycles: float) -> Estimate:
    return Estimate(value=cycles, low=cycles, high=cycles, unit="cycles/packet", kind="computed")


def _loop(
    case: Case, stages: list[StageExplanation], instructions: Estimate | None
) -> StageExplanation | None:
    """What the windows took beyond the stages: the loop, and what the stage clock can't see."""
    inside = total(stage.cycles for stage in stages)
    if case.result is None or inside is None:
        if instructions is None:
            return None
        return StageExplanation(stage=LOOP, role="other", cycles=None, instructions=instructions)
    cycles = difference(case.result.cycles_per_packet, inside)
    if abs(cycles.value) < _ROUNDING:
        cycles = cycles.model_copy(update={"value": 0.0})
    cause = "not told" if not any(stage.modelled for stage in stages) else "unexplained"
    return StageExplanation(
        stage=LOOP,
        role="other",
        cycles=cycles,
        instructions=instructions,
        causes=(CauseCycles(cause=cause, cycles=cycles),),
    )


def _all_causes(
    stages: tuple[StageExplanation, ...], whole: Estimate | None, model: ModelBreakdown | None
) -> tuple[CauseCycles, ...]:
    if whole is None:
        return ()
    if model is not None:
        parts = dict(model.causes)
        if whole is not model.whole:
            parts["unexplained"] = difference(whole, model.whole)
        return _listed(parts)
    names = {part.cause for stage in stages for part in stage.causes}
    apart = CORE_REST in names  # bounded: all stalls err alike
    if not names:
        return _listed({"not told": whole})
    found = {}
    for name in names:
        of_stages = [part.cycles for s in stages for part in s.causes if part.cause == name]
        summed = together(of_stages) if apart else total(of_stages)
        assert summed is not None
        found[name] = summed
    return _listed(found)


def _roles(stages: tuple[StageExplanation, ...]) -> list[RoleShare]:
    roles: tuple[Role, ...] = ("I/O", "processing", "other")
    return [
        RoleShare(
            role=role,
            cycles=total(stage.cycles for stage in stages if stage.role == role),
            instructions=total(stage.instructions for stage in stages if stage.role == role),
        )
        for role in roles
        if any(stage.role == role for stage in stages)
    ]


def _ipc(
    instructions: Estimate | None, cycles: Estimate | None, calibration: Calibration | None
) -> Estimate | None:
    """Instructions a core cycle, whose clock is not the time-stamp counter's."""
    if instructions is None or cycles is None or calibration is None or cycles.value <= 0:
        return None
    hierarchy = calibration.hierarchy
    exact = instructions.model_copy(update={"low": instructions.value, "high": instructions.value})
    found = ratio(exact, cycles)
    factor = hierarchy.tsc_hz / hierarchy.core_hz
    return None if found is None else found.scaled(factor, "instructions/cycle")


def _unknown(
    case: Case, stages: tuple[StageExplanation, ...], why_not: str, bounded: bool
) -> list[str]:
    found = []
    if case.result is None:
        found.append(
            "this run counted instructions and took no time: measured cycles, and what the model "
            "leaves unexplained (planecast measure)"
        )
    if case.result and not any(stage.cycles for stage in stages if stage.stage != LOOP):
        found.append(
            "cycles by stage: this data plane has no stages that read a clock. I/O and "
            "processing, and causes, are one number here; counters and a sampling profile would "
            "tell them apart (perf record; planecast explain --from)"
        )
    if why_not:
        found.append(f"{'how much of the stalls shows' if bounded else 'causes'}: {why_not}")
    if not any(stage.instructions for stage in stages) and not (
        case.result and case.result.instructions_per_packet
    ):
        found.append(
            "instructions a packet, and so IPC and retiring: none were counted; planecast profile "
            "of the same scenario counts them, and is found here"
        )
    return found


def _only_counted(causes: tuple[CauseCycles, ...], whole: Estimate | None) -> str:
    """What the top-down tree lacks, and how much it is together where the model tells it."""
    rest = total(part.cycles for part in causes if part.cause in CORES_OWN)
    told = rest is not None and whole is not None and whole.value > 0
    if not told:
        return "frontend, bad speculation, ports and L1 one by one: only counters tell them"
    share = f"{min(1.0, rest.value / whole.value):.0%}" if rest and whole else ""
    return (
        f"ports and L1, which only counters tell apart; with frontend and bad speculation, which "
        f"are only bounded, they are {share} of the cycles together"
    )


def _notes(case: Case, core: Core | None, bounded: bool) -> list[str]:
    found = [NO_COUNTERS]
    if bounded:
        found.append(BOUNDED)
    if case.counted_by and case.counts is not None:
        found.append(
            f"instructions are those of {case.counted_by}, by {case.counts.instrument} "
            f"({case.counts.instruction_set})"
        )
    if core is None:
        found.append(
            "the run doesn't say on which core it was made, or the catalogue doesn't know it: the "
            "issue width is part of core"
        )
    else:
        found.append(f"issue width: {core.slots:g} instructions a cycle ({core.title})")
    if case.calibration is not None:
        found += outside(case.scenario, case.calibration.ranges)
        theirs = case.calibration.manifest.host.get("cpu")
        if case.result and case.result.manifest.host.get("cpu") != theirs:
            found.append(f"calibrated on another machine ({theirs})")
    return found
