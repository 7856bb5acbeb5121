"""WorkloadProfile: what a pipeline does with a packet, in many scenarios, free of any machine."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from planecast.scenario.dataplane import kind_in
from planecast.scenario.scenario import Scenario
from planecast.workload.counts import InstructionCounts, StageInstructions
from planecast.workload.regions import Region
from planecast.workload.scenario_columns import ScenarioColumns
from planecast.workload.sizes import Sizes
from planecast.workload.stages.descriptor import LockStep
from planecast.workload.stages.registry import STAGES, stages_of
from planecast.workload.traced.clocks import clocked_stages
from planecast.workload.traced.coordinates import (
    FRAME,
    OWN_TABLES,
    ROTATION,
    SHARES,
    frame_lines,
    frame_stores,
    of_one_lcore,
)
from planecast.workload.traced.program_profile import (
    SOURCE,
    ProgramProfile,
    What,
    far_touches,
    instructions,
    mispredictions,
    traced_more,
)
from planecast.workload.traced.regions import buffer_lines, footprints, loop_of, traced_regions
from planecast.workload.traced.strides import strided

Floats = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class WorkloadProfile:
    """What each stage does; arrays of shape (scenarios,). One is equal to itself alone."""

    sizes: Sizes
    stages: tuple[str, ...]
    """In pipeline order, from ``source`` to ``tx``."""
    instructions: Mapping[str, Floats]
    """A packet, by stage, in bursts of the scenario's size; 0 where the stage does not run."""
    of_bursts: Mapping[str, Floats]
    """Those of them that a packet of a long burst would not take: its share of what a burst takes
    whatever its size, by stage."""
    regions: tuple[Region, ...]
    pages: tuple[Region, ...]
    """What the TLB sees: pages of 4 KiB for lines. Of a data plane of ours one for each of
    `regions`, in their order."""
    small_pages: NDArray[np.bool_]
    """Where tables do lie in such pages."""
    lock_steps: Mapping[str, LockStep]
    exposed_headers: Floats
    """1 where no long search lies between the source's stores and who reads them, if anyone does;
    else 0."""
    header_reader: str | None
    """The stage that reads the stored headers, if the function has one."""
    mispredictions: Mapping[str, Floats] = field(default_factory=dict)
    """Branches a packet that a predictor takes for others, by stage; none where nobody traced."""
    stores: Mapping[str, Floats] = field(default_factory=dict)
    """Stores a packet, one after the other, of stages that do little else: what makes the packets
    of programs of others."""
    one_buffer_a_page: bool = False
    """Whether packet buffers lay in pages of their own: `planecast.machine.buffer_conflicts`."""
    made_in_memory: bool = False
    """Whether it is of a program of others, whose packets a port in memory makes."""
    clocked: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """By what the data plane's clock times: of which stages that is."""

    @classmethod
    def of(
        cls,
        columns: ScenarioColumns,
        counts: Mapping[str, InstructionCounts],
        program: ProgramProfile | None = None,
    ) -> WorkloadProfile:
        """The profile of a network function with the instruction counts of its pipelines; or of a
        `program` of others, as it was counted and traced."""
        if program is not None:
            return cls._of_program(columns, program)
        sizes = Sizes(columns, all(one.pads_short_bursts for one in counts.values()))
        own = stages_of(columns.kind)
        every = [region for stage in own for region in stage.regions(sizes)]
        regions = tuple(region for region in every if np.any(region.touches))
        steps = {stage.name: stage.lock_step(sizes) for stage in own}
        names = [stage.name for stage in own]
        instructions = _instructions(sizes, names, counts)
        longest = _instructions(sizes, names, counts, longest=True)
        return cls(
            sizes=sizes,
            stages=tuple(stage.name for stage in own),
            instructions=instructions,
            of_bursts={
                name: np.maximum(count - longest[name], 0.0) * _same_code(steps[name], count)
                for name, count in instructions.items()
            },
            regions=regions,
            pages=tuple(region.as_pages() for region in regions),
            small_pages=sizes.small_pages,
            lock_steps={name: step for name, step in steps.items() if step is not None},
            clocked={stage.name: (stage.name,) for stage in own},
            exposed_headers=_exposed(columns, sizes),
            header_reader=next((stage.name for stage in own if stage.reads_headers), None),
            one_buffer_a_page=not all(one.spreads_buffers for one in counts.values()),
        )

    @classmethod
    def _of_program(cls, columns: ScenarioColumns, program: ProgramProfile) -> WorkloadProfile:
        values = _program_values(columns, program)
        bursts = np.trunc(columns.numbers["placement.burst"])
        divided = of_one_lcore(program.subject, values, columns.lcores)

        def touched(*whats: What) -> tuple[Region, ...]:
            own = far_touches(program, divided, *whats)
            one = not own or np.all(columns.lcores == 1)
            every = None if one else _of_all_lcores(program, columns, whats)
            return traced_regions(own, bursts, every, loop_of(program.subject))

        own, of_bursts = _program_instructions(columns, program)
        return cls(
            sizes=Sizes(columns),
            stages=program.stages,
            instructions=own,
            of_bursts=of_bursts,
            regions=(
                *strided(touched(What.LOADED, What.STORED), columns),
                *_rotating(columns, program),
            ),
            pages=touched(What.PAGES),
            small_pages=np.full(columns.size, program.on_the_heap),
            lock_steps={},
            exposed_headers=np.zeros(columns.size),
            header_reader=None,
            mispredictions=mispredictions(program, _worked_on(columns, program)),
            stores={SOURCE: frame_stores(columns.numbers[FRAME])},
            made_in_memory=True,
            clocked=clocked_stages(program.subject, program.stages),
        )


def _program_values(columns: ScenarioColumns, program: ProgramProfile) -> dict[str, Floats]:
    """Columns of the keys that a program's traces change."""
    keys = ("placement.burst", *program.keys)  # the burst, so that there is a row a scenario
    values = {key: columns.numbers[key] for key in keys}
    if ROTATION in program.between.keys:
        values[ROTATION], _ = program.rotation_in(values["placement.burst"])
    return values


def _rotating(columns: ScenarioColumns, program: ProgramProfile) -> tuple[Region, ...]:
    """Lines of packet buffers from the pool's ring that what makes the packets stores to, which
    traces leave out; a frame's first line the program touches itself."""
    if not program.rotation:
        return ()
    bursts = columns.numbers["placement.burst"]
    share, buffers = program.rotation_in(bursts)
    lines = np.maximum(frame_lines(columns.numbers[FRAME]) - 1.0, 0.0)
    return (buffer_lines(lines, share, buffers, bursts),)


def _worked_on(columns: ScenarioColumns, program: ProgramProfile) -> dict[str, Floats]:
    """The values that instructions follow: what shares of the packets several keys decide together
    is the same on each lcore as on one that has all flows."""
    values = _program_values(columns, program)
    if program.subject in SHARES:
        return values
    return of_one_lcore(program.subject, values, columns.lcores)


def _of_all_lcores(
    program: ProgramProfile, columns: ScenarioColumns, whats: Sequence[What]
) -> Floats:
    """Lines that all lcores touch together, by touch, of shape (touches, scenarios).

    Of tables that all of them read these are as many as one lcore with all flows would touch; what
    does not grow with flows, such as packet buffers, each has for itself.
    """
    values = _program_values(columns, program)

    def lines(lcores: Floats) -> Floats:
        own = of_one_lcore(program.subject, values, lcores)
        return footprints(far_touches(program, own, *whats))

    here = lines(columns.lcores) * columns.lcores
    if kind_in(program.subject) in OWN_TABLES:
        return here
    alone = np.full_like(columns.lcores, np.inf)  # so many that each has a flow
    return np.minimum(here, lines(np.ones_like(alone)) + (columns.lcores - 1) * lines(alone))


def _program_instructions(
    columns: ScenarioColumns, program: ProgramProfile
) -> tuple[dict[str, Floats], dict[str, Floats]]:
    """Instructions a packet of a program's stages, and what of these short bursts add."""
    values, counts = _worked_on(columns, program), program.counts
    bursts = columns.numbers["placement.burst"].astype(int)
    every, places = np.unique(bursts, return_inverse=True)
    own, of_bursts = {}, {}
    more = instructions(program, values)
    for stage in program.stages:
        part = counts.part(stage)
        at = np.array([part.at(int(burst)) for burst in every])[places]
        longest = part.at(counts.burst)
        level = at + traced_more(program, stage)
        own[stage] = np.maximum(level + more[stage], 0.0)
        of_bursts[stage] = np.minimum(np.maximum(at - longest, 0.0), own[stage])
    return own, of_bursts


def _exposed(columns: ScenarioColumns, sizes: Sizes) -> Floats:
    covered, exposed = np.zeros(columns.size), np.zeros(columns.size)
    for stage in stages_of(columns.kind):
        runs = sizes.runs(stage.name)
        if stage.hides_headers:
            covered = np.maximum(covered, runs)
        if stage.reads_headers:
            exposed = np.maximum(exposed, runs * (1 - covered))
    return np.maximum(exposed, 1 - covered)


def pipeline_name(stages: Sequence[str]) -> str:
    """What counts call a pipeline: its stages with commas, ``none`` for no stage."""
    return ",".join(stages) or "none"


def counts_of(stages: Sequence[str], counts: Mapping[str, InstructionCounts]) -> InstructionCounts:
    """The counts of a pipeline; of the first one counted when it has none of its own."""
    own = counts.get(pipeline_name(stages))
    return own if own is not None else next(iter(counts.values()))


def instructions_by_stage(
    scenario: Scenario,
    counts: Mapping[str, InstructionCounts],
    program: ProgramProfile | None = None,
) -> dict[str, float]:
    """Instructions a packet of all stages of a scenario, and of ``other``, what is in none."""
    columns = ScenarioColumns.of([scenario])
    if program is not None:
        own, _ = _program_instructions(columns, program)
        return {stage: float(count[0]) for stage, count in own.items()}
    own = _instructions(Sizes(columns), scenario.all_stages, counts)
    found = {stage: float(count[0]) for stage, count in own.items()}
    found["other"] = counts_of(scenario.stages, counts).other.at(scenario.placement.burst)
    found["source"] -= found["other"]
    return found


def _same_code(walk: LockStep | None, count: Floats) -> Floats:
    """1 where short bursts run the code of long ones; scalar walks are another search."""
    return np.ones_like(count) if walk is None else (walk.scalar == 0).astype(np.float64)


def _instructions(
    sizes: Sizes,
    stages: Sequence[str],
    counts: Mapping[str, InstructionCounts],
    *,
    longest: bool = False,
) -> dict[str, Floats]:
    """Instructions by stage in bursts of the scenario's size, or in the longest that were counted;
    the loop around the stages is the source's."""
    columns = sizes.columns
    pipelines = columns.choices["workload.stages"]
    asked = columns.numbers["placement.burst"].astype(int)
    bursts = np.arange(1, np.max(asked, initial=1) + 1)

    def counted(stage: str, parts: _Parts) -> Floats:
        table = np.zeros((len(pipelines.values), len(bursts)))
        for row, own in enumerate(pipelines.values):
            if stage in ("source", "tx") or stage in own:
                of = counts_of(own, counts)
                for part in parts(of, stage):
                    table[row] += part.at_each(np.array([of.burst]) if longest else bursts)
        return np.asarray(table[pipelines.index, asked - 1])

    found = {stage: counted(stage, _all_of) for stage in stages}
    for stage in stages:
        if STAGES[stage].optional and all(stage in one.least for one in counts.values()):
            least = counted(stage, _least_of)
            share = STAGES[stage].optional_share(sizes)
            found[stage] = least + share * (found[stage] - least)
    return found


_Parts = Callable[[InstructionCounts, str], list[StageInstructions]]


def _all_of(counts: InstructionCounts, stage: str) -> list[StageInstructions]:
    own = [counts.stages[stage]] if stage in counts.stages else []
    return [*own, counts.other] if stage == "source" else own


def _least_of(counts: InstructionCounts, stage: str) -> list[StageInstructions]:
    return [counts.least[stage]]
