"""Instruction counts by stage: an exact split into a part for each packet and one for each burst.

A run over p packets in bursts of n takes ``constant + a·p + b·p/n`` instructions. The difference of
two run lengths removes the constant, two burst sizes separate a from b. Code that takes another
path for small bursts (a SIMD width that needs so many packets) is no such line: more burst sizes
then show it, and between them the cost is interpolated over 1/n.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray
from pydantic import Field

from planecast.errors import InputError
from planecast.results.result import MEMORY_BANDWIDTH
from planecast.results.telemetry import InstructionSplit
from planecast.scenario.model import ListOf, Noun

Instrument = Literal["callgrind", "singlestep", "counters"]
STAGE_PREFIX = "stage_"
CODE_PARTS = ("mispredictions", "jumps", "windows_16", "windows_32")
"""What `CodeCounts` has by stage."""
Role = Literal["I/O", "processing", "other"]
"""What a stage is for: packets in and out, work on them, the loop around both (BSDP Fig 8)."""
IO_STAGES = frozenset({"source", "rx", "tx"})
"""Stages that get packets in and out; all others process them."""


def role_of(stage: str) -> Role:
    """What a stage is for."""
    if stage == MEMORY_BANDWIDTH:
        return "other"
    return "I/O" if stage in IO_STAGES else "processing"


@dataclass(frozen=True)
class RawCounts:
    """What an instrument counted in one run."""

    total: int
    """Instructions between start and stop."""
    stages: Mapping[str, int]
    """Instructions by stage, without what other stages took inside it; names without the prefix."""
    functions: Mapping[tuple[str, str], int] = field(default_factory=dict)
    """Instructions by (function, object), what it called not included."""
    code: Mapping[str, Mapping[str, int]] = field(default_factory=dict)
    """What the frontend feels, by what (as in `CodeCounts`) and stage, ``total`` among them; empty
    when the instrument doesn't see it."""
    code_lines: int = 0
    """Lines of 64 bytes that instructions were run from; 0: not counted."""


class BurstInstructions(Noun):
    """Instructions a packet as counted at one burst size."""

    burst: int
    """Packets in a burst."""
    per_packet: float
    """Instructions a packet, its share of the burst's included."""


class StageInstructions(Noun):
    """Instructions of one stage. Packet work that the compiler unrolls goes to both parts."""

    per_packet: float
    """Instructions that each packet adds, between the smallest and the largest burst."""
    per_burst: float
    """Instructions that each burst adds, whatever its size."""
    counted: ListOf[BurstInstructions]
    """What it rests on, by rising burst: two sizes or more."""

    def at(self, burst: int) -> float:
        """Instructions a packet in bursts of this many packets."""
        return float(self.at_each(np.array([burst]))[0])

    def at_each(self, bursts: NDArray[np.integer[Any]]) -> NDArray[np.float64]:
        """Instructions a packet in bursts of these many packets.

        As counted at a burst that was counted; between two of them linear in 1/burst. Beyond the
        ends `per_burst` is shared among more or fewer packets: the nearest two may lie on either
        side of a change of code, and a line through them below zero.
        """
        shares = 1 / np.asarray(bursts)
        counted = [1 / point.burst for point in reversed(self.counted)]
        within = np.interp(shares, counted, [point.per_packet for point in reversed(self.counted)])
        beyond = shares - np.clip(shares, counted[0], counted[-1])
        return np.asarray(np.maximum(within + self.per_burst * beyond, 0.0))

    def plus(self, other: StageInstructions, times: float = 1.0) -> StageInstructions:
        """The sum with another part, or with so many times of it, at the bursts of this one."""
        return StageInstructions(
            per_packet=self.per_packet + times * other.per_packet,
            per_burst=self.per_burst + times * other.per_burst,
            counted=tuple(
                BurstInstructions(
                    burst=point.burst, per_packet=point.per_packet + times * other.at(point.burst)
                )
                for point in self.counted
            ),
        )

    def at_bursts_of(self, fuller: StageInstructions) -> StageInstructions:
        """The same at all bursts of `fuller`, which is this stage as another pipeline runs it.

        Instructions a packet by which the two differ are taken as linear in 1/burst between the
        bursts that both were counted at: their loops have the same steps there. With fewer than two
        such bursts it stays as it is.
        """
        own = {point.burst for point in self.counted}
        common = tuple(point for point in fuller.counted if point.burst in own)
        if len(common) < 2:
            return self
        first, last = common[0], common[-1]
        per_burst = (first.per_packet - last.per_packet) / (1 / first.burst - 1 / last.burst)
        line = StageInstructions(
            per_packet=last.per_packet - per_burst / last.burst,
            per_burst=per_burst,
            counted=common,
        )
        return fuller.plus(self).plus(line, -1.0)


class FunctionInstructions(Noun):
    """Instructions of one function, what it called not included."""

    name: str
    """Symbol; ``?`` when there is none."""
    object: str
    """Program or shared library that it is in."""
    per_packet: float
    """Instructions a packet, at the reference burst."""


class CountedRun(Noun):
    """One run as it was counted."""

    packets: int
    """Packets forwarded."""
    burst: int
    """Packets in a burst."""
    total: int
    """Instructions in all."""
    stages: dict[str, int]
    """Instructions by stage."""


class CodeCounts(Noun):
    """What the frontend and the branch predictor feel of the instructions, by stage and ``other``.

    Counted and divided among packets and bursts as instructions are.
    """

    mispredictions: dict[str, StageInstructions]
    """Branches that a predictor of 1998's kind guesses wrong: those of today do less often."""
    jumps: dict[str, StageInstructions]
    """Jumps, calls and returns that were taken."""
    windows_16: dict[str, StageInstructions]
    """Windows of 16 bytes that instructions are fetched by, counted again after a jump."""
    windows_32: dict[str, StageInstructions]
    """The same of 32 bytes."""
    lines: int
    """Lines of 64 bytes that all of the code takes."""


class InstructionCounts(Noun):
    """Instructions a packet, by stage, as one instrument counted them."""

    instrument: Instrument
    """What counted."""
    instruction_set: str
    """Which instructions the counted program could use: valgrind hides AVX-512."""
    burst: int
    """The reference burst: the largest counted."""
    stages: dict[str, StageInstructions]
    """By stage; names without the prefix ``stage_``."""
    other: StageInstructions
    """Outside every stage: the loop around them."""
    pads_short_bursts: bool = False
    """Whether the data plane that was counted pads short bursts to the lanes of its searches; those
    counted before it did have no such field."""
    spreads_buffers: bool = False
    """Whether its packet buffers lay side by side: one a page, as those of before, they share a set
    of the L1 cache where there are no hugepages."""
    total: StageInstructions
    """All stages and other."""
    functions: ListOf[FunctionInstructions]
    """By falling share."""
    runs: ListOf[CountedRun]
    """What was counted."""
    code: CodeCounts | None = None
    """None from an instrument that doesn't see it."""
    notes: ListOf[str] = ()
    """What is to be known of them: where stages are guessed, or what was not checked."""
    least: dict[str, StageInstructions] = Field(default_factory=dict)
    """Stages with optional work, as they are without any of it; `stages` has them with all."""

    def with_stage(self, name: str, other: InstructionCounts) -> InstructionCounts:
        """These counts with one stage as `other` counted it, in another pipeline and perhaps at
        fewer bursts; the total changes by as much."""
        stage, total = other.stages[name], self.total
        if name in self.stages:
            stage = stage.at_bursts_of(self.stages[name])
            total = total.plus(self.stages[name], -1.0)
        total = total.plus(stage)
        update: dict[str, Any] = {"stages": {**self.stages, name: stage}, "total": total}
        if other.instrument != self.instrument:
            update["notes"] = (*self.notes, f"{name} was counted by {other.instrument}")
        return self.model_copy(update=update).with_code(name, other)

    def with_code(self, name: str, other: InstructionCounts) -> InstructionCounts:
        """These counts with what the frontend feels of a stage as `other` saw it, if both did."""
        if self.code is None or other.code is None:
            return self
        parts = {
            key: {**getattr(self.code, key), name: getattr(other.code, key)[name]}
            for key in CODE_PARTS
        }
        return self.model_copy(update={"code": self.code.model_copy(update=parts)})

    def with_least(self, name: str, other: InstructionCounts) -> InstructionCounts:
        """These counts with what a stage takes without its optional work, as `other` counted it."""
        least = other.stages[name].at_bursts_of(self.stages[name])
        return self.model_copy(update={"least": {**self.least, name: least}})

    def part(self, name: str) -> StageInstructions:
        """A stage, ``other`` or ``total``. Raises KeyError for a stage that did not run."""
        return {"other": self.other, "total": self.total}.get(name) or self.stages[name]

    @property
    def instructions_per_packet(self) -> float:
        """All instructions a packet at the reference burst."""
        return self.total.at(self.burst)


def run_plan(packets: int, bursts: Sequence[int], *, warm: bool = False) -> list[tuple[int, int]]:
    """The runs, (packets, burst), that `solve_counts` needs: two lengths of each burst size.

    The longer one has `packets` more, rounded up to whole bursts: an incomplete last burst would be
    counted as a whole one. The shorter one has as many, so that the program is warm where they
    begin; one burst, if it is `warm` before it is counted. Raises InputError for fewer than two
    burst sizes.
    """
    sizes = sorted(set(bursts))
    if len(sizes) < 2 or sizes[0] < 1 or packets < 1:
        shown = ", ".join(str(burst) for burst in bursts)
        raise InputError(
            f"{packets} packets can't be counted in bursts of {shown}",
            what_to_do="take one packet or more, and two burst sizes or more",
        )
    plan = []
    for burst in sizes:
        whole = -(-packets // burst) * burst
        shorter = burst if warm else whole
        plan += [(shorter, burst), (shorter + whole, burst)]
    return plan


def split(counts: Mapping[tuple[int, int], int]) -> StageInstructions:
    """Instructions by (packets, burst) as parts for each packet and each burst, exactly.

    Needs two burst sizes or more with two run lengths each. The slopes over the run length at the
    smallest and the largest burst give two equations: slope = a + b/burst.
    """
    bursts = sorted({burst for _, burst in counts})
    slopes = []
    for burst in bursts:
        short, long = sorted(n for n, b in counts if b == burst)
        slopes.append(Fraction(counts[long, burst] - counts[short, burst], long - short))
    per_burst = (slopes[0] - slopes[-1]) / (Fraction(1, bursts[0]) - Fraction(1, bursts[-1]))
    return StageInstructions(
        per_packet=float(slopes[0] - per_burst / bursts[0]),
        per_burst=float(per_burst),
        counted=tuple(
            BurstInstructions(burst=burst, per_packet=float(slope))
            for burst, slope in zip(bursts, slopes, strict=True)
        ),
    )


def solve_counts(
    instrument: Instrument,
    instruction_set: str,
    runs: Mapping[tuple[int, int], RawCounts],
) -> InstructionCounts:
    """Instructions by stage from the runs of `run_plan`, by (packets, burst)."""
    names = _in_order(runs.values())
    total = {key: run.total for key, run in runs.items()}
    inside = {key: sum(run.stages.values()) for key, run in runs.items()}
    return InstructionCounts(
        instrument=instrument,
        instruction_set=instruction_set,
        burst=max(burst for _, burst in runs),
        stages={
            name: split({key: run.stages.get(name, 0) for key, run in runs.items()})
            for name in names
        },
        other=split({key: total[key] - inside[key] for key in runs}),
        total=split(total),
        functions=_functions(runs),
        runs=tuple(
            CountedRun(packets=n, burst=burst, total=run.total, stages=dict(run.stages))
            for (n, burst), run in runs.items()
        ),
        code=_code(runs, names),
    )


def _code(runs: Mapping[tuple[int, int], RawCounts], names: Sequence[str]) -> CodeCounts | None:
    if not all(run.code for run in runs.values()):
        return None

    def of(what: str, name: str) -> StageInstructions:
        return split({key: run.code[what].get(name, 0) for key, run in runs.items()})

    def other(what: str) -> StageInstructions:
        return split(
            {
                key: run.code[what]["total"] - sum(run.code[what].get(name, 0) for name in names)
                for key, run in runs.items()
            }
        )

    parts = {
        what: {**{name: of(what, name) for name in names}, "other": other(what)}
        for what in CODE_PARTS
    }
    return CodeCounts(**parts, lines=max(run.code_lines for run in runs.values()))


def by_kind(counts: InstructionCounts, burst: int | None = None) -> InstructionSplit:
    """Instructions a packet by kind of work, at `burst` or the reference burst."""
    at = burst or counts.burst
    in_out = sum(stage.at(at) for name, stage in counts.stages.items() if name in IO_STAGES)
    rest = sum(stage.at(at) for name, stage in counts.stages.items() if name not in IO_STAGES)
    return InstructionSplit(
        io=in_out, processing=rest, other=counts.other.at(at), instrument=counts.instrument
    )


def stage_of(function: str) -> str | None:
    """The stage that a function is, without the prefix; None when it is none.

    A compiler's clone (``stage_acl.constprop.0``) and callgrind's recursion level (``stage_acl'2``)
    are the stage itself.
    """
    if not function.startswith(STAGE_PREFIX):
        return None
    return function[len(STAGE_PREFIX) :].partition("'")[0].partition(".")[0] or None


def _in_order(runs: Iterable[RawCounts]) -> Sequence[str]:
    return list(dict.fromkeys(name for run in runs for name in run.stages))


def _functions(runs: Mapping[tuple[int, int], RawCounts]) -> tuple[FunctionInstructions, ...]:
    """Differences of the two run lengths at the largest burst."""
    burst = max(b for _, b in runs)
    short, long = sorted(n for n, b in runs if b == burst)
    few, many = runs[short, burst].functions, runs[long, burst].functions
    found = [
        FunctionInstructions(
            name=name, object=where, per_packet=(count - few.get((name, where), 0)) / (long - short)
        )
        for (name, where), count in many.items()
    ]
    return tuple(sorted((f for f in found if f.per_packet > 0), key=lambda f: -f.per_packet))
