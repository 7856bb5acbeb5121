"""Instructions a packet by stage, with either instrument that counts each of them."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from planecast.instruments import callgrind, singlestep
from planecast.instruments.side_by_side import side_by_side
from planecast.workload.counts import (
    InstructionCounts,
    Instrument,
    RawCounts,
    run_plan,
    solve_counts,
)

Command = Callable[[int, int], Sequence[str]]
"""(packets, burst) to the command line of a program that forwards them: for callgrind it switches
the instrumentation on and off itself, for singlestep it raises SIGSTOP before it forwards and again
after it, on its main thread."""
Progress = Callable[[int, int], None]
"""Called with runs done and runs in all."""


def count_instructions(
    instrument: Instrument,
    command: Command,
    *,
    packets: int,
    bursts: Sequence[int] = (8, 32),
    progress: Progress | None = None,
) -> InstructionCounts:
    """Counts over `packets` in bursts of each size, by two runs a size. The program has forwarded
    before it is counted.

    Raises InputError for fewer than two bursts, MissingError when the instrument isn't there or may
    not be used, and RunError when a run fails or takes longer than ten minutes.
    """
    plan = run_plan(packets, bursts, warm=True)
    tool = callgrind if instrument == "callgrind" else singlestep

    def count(run: tuple[int, int]) -> RawCounts:
        words = command(*run)
        if instrument == "callgrind":
            return callgrind.raw_counts(callgrind.profile_run(words))
        return singlestep.step_run(words)

    counted = side_by_side(plan, count, progress)
    return solve_counts(instrument, tool.INSTRUCTION_SET, dict(zip(plan, counted, strict=True)))
