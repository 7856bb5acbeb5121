"""A thread that did not have its CPU for itself: its own clock ran on while others had it."""

from __future__ import annotations

from collections.abc import Iterable

from planecast.explain.explanation import StageExplanation
from planecast.results.arithmetic import total
from planecast.results.estimate import Estimate

_MORE = 1.05
"""What a program's own statistics may be over ours: they are of another trial."""


def whole_of(
    whole: Estimate | None, stages: Iterable[StageExplanation]
) -> tuple[Estimate | None, tuple[str, ...]]:
    """The cycles that shares are of, and why they can't be trusted.

    `whole` is of the time that the thread ran. A program that reads the time-stamp counter around
    its own work counts the time of whoever preempts it there, too: then its stages are more than
    the whole, and shares are of their sum.
    """
    own = total(stage.cycles for stage in stages)
    if own is None or (whole is not None and own.value <= whole.value):
        return whole, ()
    if whole is None or own.value <= _MORE * whole.value:
        return own, ()
    return own, (
        f"INVALID by stage: the data plane counts {own.value:.1f} cycles a packet of its own, and "
        f"its thread ran for {whole.value:.1f} in another trial: others had its CPU for the rest, "
        "or a hypervisor moved its CPUs between the two; free that CPU (planecast doctor), "
        "name another (placement.cpus), or search again",
    )
