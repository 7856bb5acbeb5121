"""Explaining a run without counters: instruction counts, TSC cycles and the calibrated model.

Measured cycles stay measured: stages as the stage clock read them, the whole as the windows did.
What the model says of each stage is taken apart by cause, and what it leaves over is a cause of its
own, so that every stage's causes add up to what was measured.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from planecast.errors import InputError
from planecast.explain.advice import advise
from planecast.explain.caveats import LOOP, clock_and_model, only_counted, rests_on, unknown
from planecast.explain.core import Core, core_of
from planecast.explain.core_bounds import code_of, notes_of, with_core_bounds
from planecast.explain.estimates import counted, exact_cycles
from planecast.explain.explain_input import Case
from planecast.explain.explanation import (
    CauseCycles,
    Explanation,
    RoleShare,
    StageExplanation,
)
from planecast.explain.model_breakdown import ModelBreakdown, model_breakdown
from planecast.explain.program_stages import Rows, program_rows
from planecast.explain.stall_bounds import Stalls, bounded_stalls, split_stage
from planecast.explain.stall_causes import CORE_REST, ISSUE, UNATTRIBUTED, UNEXPLAINED, in_order
from planecast.explain.topdown_estimate import computed_tree
from planecast.explain.traced_bounds import traced_stalls
from planecast.explain.verdict import certainty, limits
from planecast.model.calibration import Calibration
from planecast.results.arithmetic import difference, together, total
from planecast.results.estimate import Estimate, ratio
from planecast.results.result import MEMORY_BANDWIDTH
from planecast.scenario.dataplane import OWN
from planecast.scenario.scenario import Scenario
from planecast.workload.counts import InstructionCounts, Role, role_of
from planecast.workload.profile import counts_of, instructions_by_stage

_ROUNDING = 1e-6
"""Cycles that sums in another order differ by."""


def explain_case(case: Case, *, apart: bool = True, advised: bool = True) -> Explanation:
    """Where the cycles of one result go, what limits it, how sure that is, what to try.

    `apart`: the core's own cycles are distinguished where the code was counted. `advised`: with the
    top-down tree and what to try, for which the model is asked several times more.
    """
    model, why_not = _model(case)
    core = _core(case)
    stalls = _stalls(case) if model is None else {}
    by_stage = _instructions(case)
    rows = _rows(case, model, by_stage)
    stages = tuple(_stages(case, rows, by_stage, model, stalls))
    measured = case.result.cycles_per_packet if case.result else None
    whole = measured or (model.whole if model else _least(case, stages))
    instructions = _whole_instructions(case, stages)
    causes = _all_causes(stages, whole, model)
    explained = Explanation(
        label=case.label,
        scenario=case.scenario,
        cycles_per_packet=whole,
        modelled=model.whole if model else None,
        throughput_pps=case.result.throughput_pps if case.result else None,
        instructions_per_packet=instructions,
        ipc=_ipc(instructions, whole if measured or model else None, case.calibration),
        stages=stages,
        causes=causes,
        roles=tuple(_roles(stages)),
        unknown=(*unknown(case, stages, why_not, bool(stalls)), only_counted(causes, whole)),
        notes=(*rests_on(case, core, bool(stalls)), *clock_and_model(stages), *rows.notes()),
        manifest=case.result.manifest if case.result else None,
    )
    explained = explained.model_copy(
        update={"limits": limits(explained, case.result), "certainty": certainty(explained, case)}
    )
    code = code_of(case, core)
    if apart and code is not None:
        explained = with_core_bounds(explained, code)
        explained = explained.model_copy(
            update={"notes": (*explained.notes, *notes_of(case, code))}
        )
    if not advised or not (measured or model):
        return explained
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
        slots = core.slots if core else None
        return model_breakdown(case.scenario, case.calibration, slots, case.predicted), ""
    except InputError as error:  # another network function, or a part of the simulator's alone
        return None, error.what


def _stalls(case: Case) -> Mapping[str, Stalls]:
    """Stalls by stage of a result, or of a traced program, that no model is calibrated for."""
    if case.calibration is not None and case.traced is not None:
        return traced_stalls(case.traced, case.calibration.hierarchy, _core(case))
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
    case: Case,
    rows: Rows,
    by_stage: Mapping[str, Estimate],
    model: ModelBreakdown | None,
    stalls: Mapping[str, Stalls],
) -> list[StageExplanation]:
    core = _core(case)
    counts = rows.instructions(by_stage, case.result) if rows.cycles else by_stage
    own = list(model.stages) if model else _own_stages(case, by_stage)
    stages = []
    for name in list(rows.cycles) or own:
        measured = rows.cycles.get(name)
        said = model.stages.get(name) if model else None
        instructions = counts.get(name)
        issue = _issue(instructions, core, case.calibration)
        stalled = _together(stalls, rows.stages.get(name, (name,)))
        cycles = measured
        if cycles is None and case.result is None:
            cycles = _unmeasured(said, issue, stalled)
        if cycles is None and instructions is None and said is None:
            continue
        stages.append(
            StageExplanation(
                stage=name,
                role=role_of(name),
                cycles=cycles,
                modelled=said,
                instructions=instructions,
                ipc=_ipc(instructions, measured or (cycles and said), case.calibration),
                causes=_causes(name, cycles, model, issue, stalled if stalls else None),
            )
        )
    loop = _loop(case, stages, by_stage.get(LOOP))
    return [*stages, loop] if loop else stages


def _together(stalls: Mapping[str, Stalls], stages: Sequence[str]) -> Stalls:
    """Stalls of several stages, which err alike."""
    if len(stages) == 1:
        return stalls.get(stages[0], {})
    causes = dict.fromkeys(cause for stage in stages for cause in stalls.get(stage, {}))
    parts = ((cause, [stalls.get(stage, {}).get(cause) for stage in stages]) for cause in causes)
    summed = ((cause, together(one for one in own if one is not None)) for cause, own in parts)
    return {cause: whole for cause, whole in summed if whole is not None}


def _unmeasured(said: Estimate | None, issue: float, stalls: Stalls) -> Estimate | None:
    """Cycles of a stage that nobody timed: the model's, else the least that its instructions can
    take, with the stalls of a trace; None where neither is known."""
    return said or (together([exact_cycles(issue), *stalls.values()]) if issue else None)


def _least(case: Case, stages: tuple[StageExplanation, ...]) -> Estimate | None:
    """The same of all stages of a profile."""
    return total(stage.cycles for stage in stages) if case.result is None else None


def _own_stages(case: Case, by_stage: Mapping[str, Estimate]) -> list[str]:
    """Names of the stages where no model has them: a program of others has those that were
    counted."""
    if case.scenario.dataplane.kind == OWN:
        return list(case.scenario.all_stages)
    return [name for name in by_stage if name != LOOP]


def _rows(case: Case, model: ModelBreakdown | None, by_stage: Mapping[str, Estimate]) -> Rows:
    """Cycles by stage as the clock read them; of a program of others its own, where its clocks
    and the model distinguish them."""
    stages = case.result.stages if case.result else {}
    read = {name: stage.cycles_per_packet for name, stage in stages.items()}
    found = {name: cycles for name, cycles in read.items() if cycles is not None}
    if case.scenario.dataplane.kind == OWN:
        return Rows(found, {name: (name,) for name in found})
    counted = {name: count for name, count in by_stage.items() if name != LOOP}
    return program_rows(found, case.scenario.dataplane.subject, counted, model)


def _instructions(case: Case) -> Mapping[str, Estimate]:
    """Instructions a packet by stage: of the result, else of the profile, else the model's."""
    burst = case.scenario.placement.burst
    counts = case.counts
    calibration = case.calibration
    if counts is None and case.traced is not None:
        traced = case.traced.stages.items()
        return {name: counted(stage.instructions_per_packet) for name, stage in traced}
    if counts is None and calibration is not None and calibration.is_of(case.scenario):
        if calibration.program is not None:
            own = instructions_by_stage(case.scenario, {}, calibration.program)
            return {name: counted(value) for name, value in own.items()}
        counts = counts_of(case.scenario.stages, calibration.instructions)
    found = {}
    if counts is not None:
        parts = {name: counts.stages[name].at(burst) for name in _stages_of(counts, case.scenario)}
        if parts:
            parts[LOOP] = counts.other.at(burst)
        found = {name: counted(value) for name, value in parts.items()}
    if case.result is not None and case.scenario.dataplane.kind == OWN:
        for name, stage in case.result.stages.items():  # of others they are by clock
            if stage.instructions_per_packet is not None:
                found[name] = stage.instructions_per_packet
    return found


def _stages_of(counts: InstructionCounts, scenario: Scenario) -> tuple[str, ...]:
    """The stages of a scenario that were counted; none where the counts are of another network
    function. A program of others has the stages that its map names."""
    if scenario.dataplane.kind != OWN:
        return tuple(counts.stages)
    names = scenario.all_stages
    return names if counts.stages.keys() >= set(names) else ()


def _whole_instructions(case: Case, stages: tuple[StageExplanation, ...]) -> Estimate | None:
    if case.result and case.result.instructions_per_packet:
        return case.result.instructions_per_packet
    code = (stage for stage in stages if stage.stage not in (LOOP, MEMORY_BANDWIDTH))
    if any(stage.instructions is None and stage.cycles for stage in code):
        return None  # cycles over instructions of fewer stages would be no CPI
    return total(stage.instructions for stage in stages)


def _issue(
    instructions: Estimate | None, core: Core | None, calibration: Calibration | None
) -> float:
    """TSC cycles that the instructions take at the issue width; 0 where that isn't known."""
    if instructions is None or core is None or calibration is None:
        return 0.0
    hierarchy = calibration.hierarchy
    return instructions.value / core.slots * hierarchy.tsc_per_core_cycle


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
        least = exact_cycles(issue)
        parts = {ISSUE: least} if issue else {}
        if cycles.value > issue:
            parts[UNATTRIBUTED] = difference(cycles, least) if issue else cycles
    else:
        return modelled_causes(stage, cycles, model)
    return _listed(parts)


def modelled_causes(stage: str, cycles: Estimate, model: ModelBreakdown) -> tuple[CauseCycles, ...]:
    """A stage's cycles by the model's causes, and what these leave over."""
    parts = {cause: found for (own, cause), found in model.parts.items() if own == stage}
    if cycles is not model.stages[stage]:
        parts[UNEXPLAINED] = difference(cycles, model.stages[stage])
    return _listed(parts)


def _listed(parts: Mapping[str, Estimate]) -> tuple[CauseCycles, ...]:
    return tuple(CauseCycles(cause=name, cycles=parts[name]) for name in in_order(set(parts)))


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
    cause = UNATTRIBUTED if not any(stage.modelled for stage in stages) else UNEXPLAINED
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
            parts[UNEXPLAINED] = difference(whole, model.whole)
        return _listed(parts)
    names = {part.cause for stage in stages for part in stage.causes}
    apart = CORE_REST in names  # bounded: all stalls err alike
    if not names:
        return _listed({UNATTRIBUTED: whole})
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
    factor = hierarchy.tsc_per_core_cycle
    return None if found is None else found.scaled(factor, "instructions/cycle")
