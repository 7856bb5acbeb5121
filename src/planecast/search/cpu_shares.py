"""Whether a search's threads had their CPUs: a median trial without one says nothing of a limit."""

from __future__ import annotations

from collections.abc import Sequence
from statistics import median

from planecast.search.trial import Trial

STARVED = 0.8
"""Share of its CPU that a thread has to have in the median trial: one that polls has all of it, but
for what the machine takes now and then."""


def starved(trials: Sequence[Trial]) -> str:
    """Why rates say nothing of a data plane that was kept from its CPU; empty when it was not, and
    when nobody knows."""
    shares = [trial.dataplane_cpu for trial in trials if trial.dataplane_cpu is not None]
    if not shares or median(shares) >= STARVED:
        return ""
    return (
        f"INVALID: the data plane's thread had {median(shares):.0%} of its CPU (median of "
        f"{len(shares)} trials), so these rates are of the time that it was given; free that CPU "
        "of other work, or name another (placement.cpus)"
    )


def starved_generator(trials: Sequence[Trial], repetition: int) -> str:
    """Why a repetition's rate is the generator's: packets that it does not take back while it has
    no CPU count as lost. Empty when it had its CPU, and when nobody knows."""
    shares = [
        trial.generator_cpu
        for trial in trials
        if trial.repetition == repetition and trial.generator_cpu is not None
    ]
    if not shares or median(shares) >= STARVED:
        return ""
    return (
        f"repetition {repetition + 1} is left out: the generator's thread had "
        f"{median(shares):.0%} of its CPU (median of {len(shares)} trials)"
    )
