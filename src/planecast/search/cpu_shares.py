"""Whether a search's threads had their CPUs: trials without one say nothing of a limit."""

from __future__ import annotations

from collections.abc import Sequence
from statistics import median

from planecast.search.trial import Trial

STARVED = 0.8
"""Share of its CPU that a thread has to have in the median trial: one that polls has all of it, but
for what the machine takes now and then."""
_DISTURBED = 0.9
"""Share of its CPU below which a thread's trial is disturbed: 2 ms of one of 20 ms are more than a
ring bridges. Of 49 repetitions of five data planes on a shared guest seven had such trials in half
or more; the five whose rate was far below the others' of their state were among them."""


def starved(trials: Sequence[Trial], *, left_out: bool = False) -> str:
    """Why rates say nothing of a data plane that was kept from its CPU, or whose generator was:
    what comes back while that has none is lost. Empty when neither was, and when nobody knows; and
    of trials whose time without a CPU is known where that is `left_out` of the answer."""
    trials = [t for t in trials if not left_out or t.dataplane_away_s is None]
    for name, key, shares in (
        ("data plane", "placement.cpus", [trial.dataplane_cpu for trial in trials]),
        ("generator", "--generator-cpu", [trial.generator_cpu for trial in trials]),
    ):
        known = [share for share in shares if share is not None]
        if known and median(known) < STARVED:
            return (
                f"INVALID: the {name}'s thread had {median(known):.0%} of its CPU (median of "
                f"{len(known)} trials), so these rates are of the time that it was given; free "
                f"that CPU of other work, or name another ({key})"
            )
    return ""


def disturbed_repetition(trials: Sequence[Trial], repetition: int) -> str:
    """Why a repetition says nothing of the data plane: in half of its trials or more one of the two
    threads lost a tenth of its CPU, and a search rests on the better half of the trials at a load.
    What comes back while the generator has no CPU is lost, too. Empty when it is not so, and when
    nobody knows."""
    own = [trial for trial in trials if trial.repetition == repetition]
    lost = sum(1 for trial in own if _least_share(trial) < _DISTURBED)
    if 2 * lost < len(own) or not own:
        return ""
    return (
        f"repetition {repetition + 1} is left out: in {lost} of {len(own)} trials the generator's "
        f"or the data plane's thread had less than {_DISTURBED:.0%} of its CPU"
    )


def _least_share(trial: Trial) -> float:
    shares = (trial.dataplane_cpu, trial.generator_cpu)
    return min((share for share in shares if share is not None), default=1.0)
