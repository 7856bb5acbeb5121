"""Whether a rate is limited by times in which the data plane does not run: pauses and turns.

Programs that share a CPU take turns on it. What one of them hands on in a round has to wait in a
ring for the next one's turn.

Interrupts and a hypervisor take the CPU for tens of microseconds, which no counter of the kernel
shows. What comes in that time waits in the ring in front of the data plane: a short ring overflows
at a rate far below what the data plane forwards.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from statistics import median

from planecast.dataplanes.dut import Turns
from planecast.errors import PlanecastError
from planecast.instruments.pauses import Pauses, watch_pauses
from planecast.results.search import FoundRate
from planecast.scenario.scenario import Scenario
from planecast.search.combine import DATAPLANE
from planecast.search.trial import Trial

PAUSES = "CPU pauses"
TURNS = "turns on a CPU"
_HOLDS = 0.9
"""Share of what comes in a round from which on a ring that holds no more is the limit."""
WATCHED_S = 0.2
"""For how long a CPU is watched before a repetition begins: ten trials of the usual length."""
_FILLS = 0.7
"""Share of the time that a ring holds from which on a pause counts as what overflowed it: it is not
empty when the pause begins."""
_ABOVE = 1.1
"""Factor by which a rate that may lose some lies above, where pauses and not the data plane limit
the one that may not."""
_LITTLE = 1e-3
"""Share of packets lost that is less than some pauses cost."""


def watched(cpu: int) -> Pauses | None:
    """The pauses of a CPU that nothing else uses now; None when they can't be had: a remark."""
    try:
        return watch_pauses([cpu], WATCHED_S)[0]
    except PlanecastError:
        return None


def longest_s(pauses: Pauses, seconds: float) -> float:
    """The longest pause in a time of `seconds`: the median over such times, one after the other."""
    times = max(int(pauses.seconds / seconds), 1)
    found = [pauses.window(number * seconds, seconds)[1] for number in range(times)]
    return median(float(lengths.max()) if lengths.size else 0.0 for lengths in found)


def with_pauses(
    rates: Mapping[str, FoundRate], scenario: Scenario, trials: Sequence[Trial]
) -> dict[str, FoundRate]:
    """The rates; those that turns or pauses limit say so."""
    slots, rounds = scenario.placement.rx_ring, [t.round_s for t in trials if t.round_s is not None]
    if rounds:
        taken_s = median(rounds)
        rates = {name: _in_turns(rate, slots, taken_s) for name, rate in rates.items()}
    seen = [trial for trial in trials if trial.pause_s is not None]
    if not seen:
        return dict(rates)
    pause_s = median(trial.pause_s for trial in seen if trial.pause_s is not None)
    trial_s = median(trial.intended_seconds for trial in seen)
    return {
        name: _limited(rate, rates, scenario.placement.rx_ring, pause_s, trial_s)
        for name, rate in rates.items()
    }


def round_s(
    before: Mapping[int, Sequence[Turns]], after: Mapping[int, Sequence[Turns]]
) -> float | None:
    """What a round takes in which all programs that share a CPU have had a turn each: the mean
    turns of each, added up; of several such CPUs the longest. None where none is shared, or a
    program had no turn."""
    found = []
    for cpu in before.keys() & after.keys():
        turns = [
            (now.seconds - then.seconds, now.count - then.count)
            for then, now in zip(before[cpu], after[cpu], strict=True)
        ]
        if any(count <= 0 for _, count in turns):
            return None
        found.append(sum(seconds / count for seconds, count in turns))
    return max(found, default=None)


def _in_turns(rate: FoundRate, slots: int, taken_s: float) -> FoundRate:
    pps = rate.rate_pps.value
    if rate.capped_by != DATAPLANE or pps <= 0 or slots > pps * taken_s / _HOLDS:
        return rate
    why = (
        f"programs that share a CPU take turns of {1e3 * taken_s:.3g} ms in all, in which "
        f"{pps * taken_s:,.0f} packets come; the ring from one to the next has {slots:,} slots: "
        "a CPU for each (placement.lcores) shows what the programs take"
    )
    return rate.model_copy(update={"capped_by": TURNS, "why": why})


def _limited(
    rate: FoundRate, rates: Mapping[str, FoundRate], slots: int, pause_s: float, trial_s: float
) -> FoundRate:
    pps = rate.rate_pps.value
    nothing = rate.loss_ratio is not None and rate.loss_ratio < _LITTLE
    if not nothing or rate.capped_by != DATAPLANE or pps <= 0 or pause_s < _FILLS * slots / pps:
        return rate
    others = [other.rate_pps.value for other in rates.values() if other is not rate]
    if others and max(others) < _ABOVE * pps:
        return rate
    why = (
        f"a ring of {slots:,} slots holds {1e6 * slots / pps:.0f} us at this rate, and in half of "
        f"all times of {1e3 * trial_s:g} ms something takes the data plane's CPU for "
        f"{1e6 * pause_s:.0f} us or longer (watched before each start): longer rings "
        "(placement.rx_ring) show what the data plane takes"
    )
    return rate.model_copy(update={"capped_by": PAUSES, "why": why})
