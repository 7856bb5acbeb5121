"""Stages of a program of others: what its clocks read, as rows of cycles and instructions.

The meter reads the clock at a program's ports, not within it, and some programs' stages are cut by
its clocks (`planecast.workload.traced.clocks`). What each stage takes of the time that clocks read
of several is the model's to say; without a model they are one row.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from planecast.explain.estimates import counted
from planecast.explain.model_breakdown import ModelBreakdown
from planecast.results.arithmetic import total
from planecast.results.estimate import Estimate
from planecast.results.result import Result
from planecast.workload.counts import IO_STAGES
from planecast.workload.traced.clocks import PROGRAM, Timed, timed


@dataclass(frozen=True)
class Rows:
    """Rows, each of the cycles of some code and the instructions of the same code."""

    cycles: Mapping[str, Estimate]
    stages: Mapping[str, tuple[str, ...]]
    """By row, the stages whose cycles these are, where that is known."""
    apart: Mapping[str, Estimate] = field(default_factory=dict)
    """Cycles by clock that cuts through stages, which are in the rows of several."""
    cut: frozenset[str] = frozenset()
    """Rows that are clocks of a part of their stages: nobody counted what they time."""

    def instructions(
        self, by_stage: Mapping[str, Estimate], result: Result | None
    ) -> dict[str, Estimate]:
        """By row, where all that it times was counted: by stage, else with the result's clock."""
        own = result.stages if result is not None else {}
        found: dict[str, Estimate] = {}
        for row in self.cycles:
            parts = [by_stage.get(stage) for stage in self.stages.get(row, ())]
            summed = total(parts) if parts and None not in parts else None
            if summed is None and row not in self.cut and len(parts) < 2 and row in own:
                summed = own[row].instructions_per_packet
            if summed is not None:
                found[row] = summed
        return self._with_program(found, result)

    def _with_program(
        self, found: dict[str, Estimate], result: Result | None
    ) -> dict[str, Estimate]:
        """With those between a program's ports where all others and the whole are known."""
        whole = result.instructions_per_packet if result is not None else None
        unknown = self.cycles.keys() - found.keys()
        if whole is None or unknown != {PROGRAM} or PROGRAM in self.cut:
            return found
        left = whole.value - sum(one.value for one in found.values())
        return {**found, PROGRAM: counted(left)} if left > 0 else found

    def notes(self) -> list[str]:
        """What a reader should know of clocks that are in rows of several stages."""
        if not self.apart:
            return []
        said = ", ".join(f"{name} {cycles.value:.4g}" for name, cycles in self.apart.items())
        return [
            f"the drivers' functions alone took, in cycles a packet: {said}; the stages of these "
            "names have code of the program in them, so stages are of what all its clocks read"
        ]


def inner_stages(model: ModelBreakdown) -> dict[str, Estimate]:
    """The model's stages between the ports."""
    return {name: said for name, said in model.stages.items() if name not in IO_STAGES}


def program_rows(
    read: Mapping[str, Estimate],
    subject: str,
    by_stage: Mapping[str, Estimate],
    model: ModelBreakdown | None,
) -> Rows:
    """What a program's clocks `read`, by stage: of stages that are timed together in the model's
    proportions, or as one row where their instructions are known; else as it was read."""
    names = tuple(model.stages if model is not None else by_stage)
    of = {clock: one for one in timed(subject, names) for clock in one.clocks}
    cycles: dict[str, Estimate] = {}
    stages: dict[str, tuple[str, ...]] = {}
    apart: dict[str, Estimate] = {}
    cut: set[str] = set()
    for clock, own in read.items():
        one = of.get(clock, Timed((clock,), ()))
        divided = _divided(one, read, model)
        joined = bool(one.stages) and all(stage in by_stage for stage in one.stages)
        if divided or (joined and len(one.clocks) > 1):
            if len(one.clocks) > 1 and clock != PROGRAM:
                apart[clock] = own
            rows = divided or {one.name: _read(one, read)}
            cycles |= rows
            stages |= {row: (row,) for row in rows} if divided else {one.name: one.stages}
            continue
        cycles[clock] = own
        stages[clock] = one.stages if len(one.clocks) == 1 else ()
        cut |= {clock} if len(one.clocks) > 1 else set()
    return Rows(cycles, stages, apart, frozenset(cut))


def _read(one: Timed, read: Mapping[str, Estimate]) -> Estimate:
    """What its clocks read together."""
    found = total(read.get(clock) for clock in one.clocks)
    assert found is not None
    return found


def _divided(
    one: Timed, read: Mapping[str, Estimate], model: ModelBreakdown | None
) -> dict[str, Estimate]:
    """What was read of stages with other names in the model's proportions; nothing where it has
    none."""
    if model is None or one.clocks == one.stages:
        return {}
    own = {name: model.stages[name] for name in one.stages if name in model.stages}
    said = sum(part.value for part in own.values())
    if said <= 0:
        return {}
    whole = _read(one, read)
    kind = whole.kind if len(own) == 1 else "computed"
    return {
        stage: whole.scaled(part.value / said, whole.unit).model_copy(update={"kind": kind})
        for stage, part in own.items()
    }
