"""Instruction counts by stage: an exact split into a part for each packet and one for each burst.

A run over p packets in bursts of n takes ``constant + a·p + b·p/n`` instructions. The difference of
two run lengths removes the constant, two burst sizes separate a from b.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Annotated, Literal

from pydantic import BeforeValidator

from planecast.errors import InputError
from planecast.scenario.model import Noun, listed

Instrument = Literal["callgrind", "singlestep"]
STAGE_PREFIX = "stage_"
IO_STAGES = frozenset({"source", "rx", "tx"})
"""Stages that get packets in and out; all others process them."""


@dataclass(frozen=True)
class RawCounts:
    """What an instrument counted in one run."""

    total: int
    """Instructions between start and stop."""
    stages: Mapping[str, int]
    """Instructions by stage, without what other stages took inside it; names without the prefix."""
    functions: Mapping[tuple[str, str], int] = field(default_factory=dict)
    """Instructions by (function, object), what it called not included."""


class StageInstructions(Noun):
    """Instructions of one stage. Packet work that the compiler unrolls goes to both parts."""

    per_packet: float
    """Instructions that each packet adds."""
    per_burst: float
    """Instructions that each burst adds, whatever its size."""

    def at(self, burst: int) -> float:
        """Instructions a packet in bursts of this many packets."""
        return self.per_packet + self.per_burst / burst


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


class InstructionCounts(Noun):
    """Instructions a packet, by stage, as one instrument counted them."""

    instrument: Instrument
    """What counted."""
    instruction_set: str
    """Which instructions the counted program could use: valgrind hides AVX-512."""
    burst: int
    """The reference burst: the larger of the two counted."""
    stages: dict[str, StageInstructions]
    """By stage; names without the prefix ``stage_``."""
    other: StageInstructions
    """Outside every stage: the loop around them."""
    total: StageInstructions
    """All stages and other."""
    functions: Annotated[tuple[FunctionInstructions, ...], BeforeValidator(listed)]
    """By falling share."""
    runs: Annotated[tuple[CountedRun, ...], BeforeValidator(listed)]
    """What was counted."""

    @property
    def instructions_per_packet(self) -> float:
        """All instructions a packet at the reference burst."""
        return self.total.at(self.burst)


class CountDifference(Noun):
    """How two instruments differ about one stage."""

    stage: str
    """A stage, ``other`` or ``total``."""
    first: float
    """Instructions a packet that the first counted."""
    second: float
    """Instructions a packet that the second counted."""
    percent: float | None
    """The second's excess over the first, in percent; None when the first is 0."""


class KindSplit(Noun):
    """Instructions a packet by kind of work, at one burst size."""

    io: float
    """In the stages that get packets in and out."""
    processing: float
    """In the stages that work on them."""
    other: float
    """Outside the stages."""


def run_plan(packets: int, bursts: tuple[int, int]) -> list[tuple[int, int]]:
    """The four runs, (packets, burst), that `solve_counts` needs.

    Raises InputError when the bursts are equal or don't divide `packets`: an incomplete last burst
    would be counted as a whole one.
    """
    small, large = sorted(bursts)
    if small < 1 or small == large or packets < 1 or packets % small or packets % large:
        raise InputError(
            f"{packets} packets can't be counted in bursts of {bursts[0]} and {bursts[1]}",
            what_to_do="take two different burst sizes, and a multiple of both as packets",
        )
    return [(n, burst) for burst in (small, large) for n in (packets, 2 * packets)]


def split(counts: Mapping[tuple[int, int], int]) -> tuple[float, float]:
    """(per packet, per burst) from instructions by (packets, burst), exactly.

    Needs two burst sizes with two run lengths each. The larger burst's slope and the difference of
    both slopes give two equations: slope = a + b/burst.
    """
    bursts = sorted({burst for _, burst in counts})
    slopes = []
    for burst in bursts:
        (short, few), (long, many) = sorted((n, c) for (n, b), c in counts.items() if b == burst)
        slopes.append(Fraction(many - few, long - short))
    per_burst = (slopes[0] - slopes[1]) / (Fraction(1, bursts[0]) - Fraction(1, bursts[1]))
    per_packet = slopes[0] - per_burst / bursts[0]
    return float(per_packet), float(per_burst)


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
            name: _solved({key: run.stages.get(name, 0) for key, run in runs.items()})
            for name in names
        },
        other=_solved({key: total[key] - inside[key] for key in runs}),
        total=_solved(total),
        functions=_functions(runs),
        runs=tuple(
            CountedRun(packets=n, burst=burst, total=run.total, stages=dict(run.stages))
            for (n, burst), run in runs.items()
        ),
    )


def differences(first: InstructionCounts, second: InstructionCounts) -> list[CountDifference]:
    """How two counts differ at the first's reference burst: by stage, then other, then total."""
    burst = first.burst
    nothing = StageInstructions(per_packet=0.0, per_burst=0.0)
    names = list(dict.fromkeys([*first.stages, *second.stages]))
    rows = [(n, first.stages.get(n, nothing), second.stages.get(n, nothing)) for n in names]
    rows += [("other", first.other, second.other), ("total", first.total, second.total)]
    return [
        CountDifference(
            stage=name,
            first=a.at(burst),
            second=b.at(burst),
            percent=None if a.at(burst) == 0 else 100 * (b.at(burst) / a.at(burst) - 1),
        )
        for name, a, b in rows
    ]


def by_kind(counts: InstructionCounts, burst: int | None = None) -> KindSplit:
    """Instructions a packet by kind of work, at `burst` or the reference burst."""
    at = burst or counts.burst
    in_out = sum(stage.at(at) for name, stage in counts.stages.items() if name in IO_STAGES)
    rest = sum(stage.at(at) for name, stage in counts.stages.items() if name not in IO_STAGES)
    return KindSplit(io=in_out, processing=rest, other=counts.other.at(at))


def stage_of(function: str) -> str | None:
    """The stage that a function is, without the prefix; None when it is none.

    A compiler's clone (``stage_acl.constprop.0``) and callgrind's recursion level (``stage_acl'2``)
    are the stage itself.
    """
    if not function.startswith(STAGE_PREFIX):
        return None
    return function[len(STAGE_PREFIX) :].partition("'")[0].partition(".")[0] or None


def _solved(counts: Mapping[tuple[int, int], int]) -> StageInstructions:
    per_packet, per_burst = split(counts)
    return StageInstructions(per_packet=per_packet, per_burst=per_burst)


def _in_order(runs: Iterable[RawCounts]) -> Sequence[str]:
    return list(dict.fromkeys(name for run in runs for name in run.stages))


def _functions(runs: Mapping[tuple[int, int], RawCounts]) -> tuple[FunctionInstructions, ...]:
    """Differences of the two run lengths at the larger burst."""
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
