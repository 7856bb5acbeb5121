"""Instruction counts of the pipelines of a study: stepped natively once, then remembered.

Counts are exact and depend on the program, the tables, the pipeline and what the CPU can do (DPDK
chooses its vectors by that), so they are kept in the user's cache folder under a digest of those.
A stage takes the same instructions in every pipeline, except where its descriptor names stages that
it depends on. So the fullest pipeline is counted in full, and one more for each other way in which
such stages occur.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import as_completed
from pathlib import Path
from typing import NamedTuple

from planecast.cleanup import private_folder
from planecast.dataplanes import once_command
from planecast.dataplanes.config import config_text, once_config
from planecast.host import Root
from planecast.instruments.count_instructions import count_instructions as counted_with
from planecast.instruments.disk_cache import cache_folder, recall, remember
from planecast.instruments.side_by_side import worker_threads
from planecast.native import native_program
from planecast.scenario.override import with_overrides
from planecast.scenario.scenario import Scenario
from planecast.scenario.workload import FUNCTIONS, Stage
from planecast.workload.counts import InstructionCounts, Instrument
from planecast.workload.profile import pipeline_name
from planecast.workload.stages.registry import STAGES

BURSTS = (1, 4, 5, 7, 8, 9, 15, 16, 17, 24, 25, 32, 33, 40, 41, 48, 49, 56, 57, 64)
"""Most loops over a burst take eight packets in a round, or a half or twice as many: here are the
bursts that fill their rounds, and those that begin another, where a burst's instructions rise by up
to a half. Between these they are linear in its packets, within 0 to 2 %; eight and sixteen pointers
are copied by fewer instructions than seven and fifteen."""
FEW_BURSTS = (8, 32)
OPTIONAL_BURSTS = (4, *FEW_BURSTS)
PACKETS: Mapping[Instrument, int] = {"singlestep": 64, "callgrind": 32768}
"""Packets that are counted. Stepping does some 25,000 to 50,000 instructions a second."""

Done = Callable[[int, int], None]


def count_pipelines(
    scenarios: Sequence[Scenario], done: Done = lambda done, total: None
) -> dict[str, InstructionCounts]:
    """Native counts by pipeline, the fullest one's first.

    Raises MissingError when the programs are not built, RunError when a run fails.
    """
    base = scenarios[0]
    there = {stage for one in scenarios for stage in one.workload.stages}
    full = tuple(stage for stage in FUNCTIONS[base.workload.kind] if stage in there)
    apart = {stage: runs for stage in full if (runs := STAGES[stage].counted_apart)}
    pipelines = dict.fromkeys(one.workload.stages for one in scenarios)
    variants = _variants(list(pipelines), full)
    brief = [stage for stage in full if stage not in apart]
    few = PACKETS["singlestep"]
    plan = {(tuple(brief), "all"): _Plan(base, BURSTS, few)}
    for stage, runs in apart.items():
        plan[full, stage] = _Plan(base, runs.bursts or BURSTS, runs.packets, runs.instrument)
        if runs.instrument != "singlestep":  # which alone sees code
            plan[full, f"{stage} code"] = _Plan(base, FEW_BURSTS, few)
    for pipeline in variants.values():
        plan[pipeline, "variant"] = _Plan(base, FEW_BURSTS, few)
    optional = {stage: work for stage in full if (work := STAGES[stage].optional)}
    for stage, work in optional.items():
        for reason, setting in (("everywhere", work.everywhere), ("nowhere", work.nowhere)):
            plan[full, f"{stage} {reason}"] = _Plan(
                with_overrides(base, setting), OPTIONAL_BURSTS, few
            )
    counted = _counted(plan, done)
    whole = counted[tuple(brief), "all"]
    for stage in apart:
        whole = whole.with_stage(stage, counted[full, stage])
        if code := counted.get((full, f"{stage} code")):
            whole = whole.with_code(stage, code)
    for stage in optional:
        whole = whole.with_stage(stage, counted[full, f"{stage} everywhere"])
        whole = whole.with_least(stage, counted[full, f"{stage} nowhere"])
    found: dict[str, InstructionCounts] = {}
    for pipeline in (full, *pipelines):
        own = whole
        for name in _stages(pipeline):
            variant = variants.get((name, _depends(name, pipeline)))
            if variant is not None:
                own = own.with_stage(name, counted[variant, "variant"])
        found.setdefault(pipeline_name(pipeline), own)
    return found


_Run = tuple[tuple[Stage, ...], str]
"""A pipeline, and why it is counted."""


class _Plan(NamedTuple):
    """How a pipeline is counted."""

    scenario: Scenario
    bursts: tuple[int, ...]
    packets: int
    """That are counted."""
    instrument: Instrument = "singlestep"


def _stages(pipeline: Sequence[Stage]) -> tuple[str, ...]:
    return ("source", *pipeline, "tx")


def _depends(stage: str, pipeline: Sequence[Stage]) -> tuple[str, ...]:
    """The stages of a pipeline that change how many instructions this one takes."""
    return tuple(one for one in STAGES[stage].instructions_depend_on if one in pipeline)


def _variants(
    pipelines: Sequence[tuple[Stage, ...]], full: tuple[Stage, ...]
) -> dict[tuple[str, tuple[str, ...]], tuple[Stage, ...]]:
    """The pipeline to count a stage in, by stage and what it depends on, where that is not what it
    is in the fullest pipeline: few pipelines, and short ones."""
    found: dict[tuple[str, tuple[str, ...]], tuple[Stage, ...]] = {}
    shortest = sorted(pipelines, key=len)
    for stage in reversed(_stages(full)):  # what depends on most comes before what all have
        for pipeline in shortest:
            own = stage, _depends(stage, pipeline)
            if stage not in _stages(pipeline) or own in found or own[1] == _depends(stage, full):
                continue
            chosen = (
                one
                for one in found.values()
                if stage in _stages(one) and _depends(stage, one) == own[1]
            )
            found[own] = next(chosen, pipeline)
    return found


def _counted(plan: Mapping[_Run, _Plan], done: Done) -> dict[_Run, InstructionCounts]:
    """Counts of these pipelines."""
    with worker_threads() as pool:
        started = {
            pool.submit(
                count_instructions,
                _with_stages(one.scenario, run[0]),
                one.instrument,
                one.bursts,
                packets=one.packets,
            ): run
            for run, one in plan.items()
        }
        done(0, len(started))
        found = {}
        for number, count in enumerate(as_completed(started), 1):
            found[started[count]] = count.result()
            done(number, len(started))
    return found


def _with_stages(scenario: Scenario, stages: Sequence[Stage]) -> Scenario:
    workload = scenario.workload.model_copy(update={"stages": tuple(stages)})
    return scenario.model_copy(update={"workload": workload})


def count_instructions(
    scenario: Scenario,
    instrument: Instrument,
    bursts: tuple[int, ...] = BURSTS,
    *,
    packets: int = 0,
    fresh: bool = False,
    done: Done = lambda done, total: None,
) -> InstructionCounts:
    """Instructions of one scenario's pipeline by stage; remembered unless `fresh`.

    `packets` of each burst are counted; 0: as many as the instrument has time for. `done`
    is called with runs done and runs in all.
    """
    portable = instrument == "callgrind"
    packets = packets or PACKETS[instrument]
    kept = cache_folder() / f"instructions-{_digest(scenario, instrument, bursts, packets)}.json"
    known = None if fresh else recall(kept, InstructionCounts)
    if known is not None:
        return known
    with private_folder() as folder:

        def command(count: int, burst: int) -> list[str]:
            return once_command(
                scenario.in_bursts(burst),
                Path(folder),
                count,
                instrument="callgrind" if portable else "stop",
                portable=portable,
            )

        counted = counted_with(instrument, command, packets=packets, bursts=bursts, progress=done)
    found = counted.model_copy(update={"pads_short_bursts": True, "spreads_buffers": True})
    remember(kept, found)
    return found


def _digest(
    scenario: Scenario, instrument: Instrument, bursts: tuple[int, ...], packets: int
) -> str:
    programs = ["planecast-dataplane-v3" if instrument == "callgrind" else "planecast-dataplane"]
    if instrument == "singlestep":
        programs.append("planecast-singlestep")
    whole = hashlib.sha256()
    for program in programs:
        whole.update(native_program(program).read_bytes())
    # One lcore is counted whatever the placement says, and bursts are the instrument's own.
    one = scenario.placement.on((0,)).model_copy(update={"burst": 1})
    plain = scenario.model_copy(update={"placement": one})
    whole.update(config_text(once_config(plain), plain).encode())
    whole.update(" ".join(sorted(Root().cpu_flags())).encode())
    whole.update(f"{instrument} {bursts} {packets}".encode())
    return whole.hexdigest()[:24]
