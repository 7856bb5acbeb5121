"""Repetitions that differ from the others: which, by how much, and what was different about
them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import pairwise
from statistics import median

import numpy as np

from planecast.instruments.canary import CEILING, TOLERANCE
from planecast.instruments.core_to_core import CHANGED, usual_looks
from planecast.results.search import Bounds
from planecast.search.trial import Trial

_LEAST = 3
"""Of fewer repetitions nobody can say which one is out of line."""
_APART = 0.05
"""Least distance from the others, as a share of them."""
_SPREADS = 2.0
"""And in multiples of the others' spread, and of their bounds' width."""
_NEAR = 0.07
"""Distance from a repetition's rate, as a share of it, within which trials decided on it."""
_MOVED = 0.1
"""Share of a repetition's trials with its CPUs elsewhere that a search may have rested on."""
_SOME = 0.05
"""Share of trials next to another guest from which on a search says so."""
_CPU = 0.05
"""Difference of two CPU shares that counts as one."""


def middle(bounds: Bounds) -> float:
    """A repetition's rate: the middle of its bounds, the lower one where there is no upper."""
    high = bounds.low_pps if bounds.high_pps is None else bounds.high_pps
    return (bounds.low_pps + high) / 2


def outlying(bounds: Sequence[Bounds]) -> dict[int, float]:
    """The repetitions that are out of line with the others, which agree, by number from 0, each
    with its distance to the others' median in percent; those of the smaller side where repetitions
    fall into two groups."""
    order = sorted(bounds, key=middle)
    if len(order) < _LEAST:
        return {}
    values = [middle(one) for one in order]
    width = max((one.high_pps or one.low_pps) - one.low_pps for one in bounds)
    steps = [after - before for before, after in pairwise(values)]
    widest = max(range(len(steps)), key=steps.__getitem__)
    low, high = order[: widest + 1], order[widest + 1 :]
    spread = max(values[widest] - values[0], values[-1] - values[widest + 1], width)
    enough = max(_APART * median(values), _SPREADS * spread)
    if steps[widest] <= enough:
        return {}
    out, others = (low, high) if len(low) <= len(high) else (high, low)
    usual = median(middle(one) for one in others)
    if usual <= 0:
        return {}
    return {
        one.repetition: 100 * (middle(one) / usual - 1)
        for one in sorted(out, key=lambda one: one.repetition)
    }


def outlying_notes(name: str, bounds: Sequence[Bounds], trials: Sequence[Trial]) -> list[str]:
    """A sentence for each repetition that is out of line, with what was different about it."""
    out = outlying(bounds)
    others = [one for one in bounds if one.repetition not in out]
    usual = median(middle(one) for one in others) if others else 0.0
    of_others = _of(trials, others)
    return [
        f"{name}: repetition {one.repetition + 1} is out of line: {middle(one) / 1e6:.4g} Mpps, "
        f"{out[one.repetition]:+.0f} % of the others' {usual / 1e6:.4g}; "
        f"{_differences(_of(trials, [one]), of_others)}"
        for one in bounds
        if one.repetition in out
    ]


def _of(trials: Sequence[Trial], bounds: Sequence[Bounds]) -> list[Trial]:
    wanted = {bound.repetition for bound in bounds}
    return [trial for trial in trials if trial.repetition in wanted]


def _at_its_rate(trials: Sequence[Trial], bound: Bounds) -> list[Trial]:
    """A repetition's trials that decided on its rate; all of them where none was near it."""
    own, rate = _of(trials, [bound]), middle(bound)
    return [trial for trial in own if abs(trial.intended_pps / rate - 1) <= _NEAR] or own


def _differences(here: Sequence[Trial], there: Sequence[Trial]) -> str:
    """What was different in these trials, in words."""
    found = []
    apart, usual = (_median(side, lambda trial: trial.handoff_ns) for side in (here, there))
    ways = [trial.handoff_ns for trial in here if trial.handoff_ns is not None]
    if ways and max(ways) >= CHANGED * min(ways):
        found.append(
            f"its CPUs were {min(ways):.0f} to {max(ways):.0f} ns apart in the course of it"
        )
    elif apart and usual and max(apart / usual, usual / apart) >= CHANGED:
        found.append(f"its CPUs were {apart:.0f} ns apart, the others' {usual:.0f}")
    for name, share in (
        ("the data plane's", lambda trial: trial.dataplane_cpu),
        ("the generator's", lambda trial: trial.generator_cpu),
    ):
        had, usual = (_median(side, share) for side in (here, there))
        if had is not None and usual is not None and abs(had - usual) >= _CPU:
            found.append(f"{name} thread had {had:.0%} of its CPU, {usual:.0%} in the others")
    cost, usual = (_median(side, lambda trial: trial.canary_cycles) for side in (here, there))
    if cost and usual and abs(cost / usual - 1) > TOLERANCE:
        found.append(
            f"a fixed piece of work cost {cost:.3g} cycles, {usual:.3g} in the others (another "
            "guest on the same core)"
        )
    pages, usual_pages = ({t.pages for t in side if t.pages} for side in (here, there))
    if pages and usual_pages and not pages & usual_pages:
        found.append(
            f"its memory lay in pages of {_words(pages)}, the others' in {_words(usual_pages)}"
        )
    if not found:
        return (
            "no cause is seen: CPU shares, the way between the CPUs and pages were as in the "
            "others, so it is the start (where its memory came to lie) or another guest of the host"
        )
    return "; ".join(found)


def _words(pages: set[str]) -> str:
    return ", ".join(sorted(pages))


def _median(trials: Sequence[Trial], value: Callable[[Trial], float | None]) -> float | None:
    values = [found for trial in trials if (found := value(trial)) is not None]
    return median(values) if values else None


def moved_repetition(trials: Sequence[Trial], repetition: int) -> str:
    """Why a repetition does not count: in a tenth of its trials or more its CPUs were elsewhere
    than usually in the search, though it waited for them to come back. Empty when they were not,
    and when nobody looked."""
    known = [trial for trial in trials if trial.handoff_ns is not None]
    ways = np.array([trial.handoff_ns for trial in known], dtype=np.float64)
    own = np.array([trial.repetition == repetition for trial in known], dtype=np.bool_)
    there = usual_looks(ways)
    moved = own & ~there
    if not moved.any() or moved.sum() < _MOVED * own.sum():
        return ""
    return (
        f"repetition {repetition + 1} is left out: in {moved.sum()} of {own.sum()} trials a cache "
        f"line took {_range(ways[moved].tolist(), '.0f')} ns from CPU to CPU, usually "
        f"{np.median(ways[there]):.0f}: a hypervisor had moved them, and rates over memory "
        "interfaces change with that"
    )


def state_note(name: str, bounds: Sequence[Bounds], trials: Sequence[Trial]) -> list[str]:
    """The rate by the way between the CPUs, where that was not one and the same: the way in the
    trials at about the repetition's rate, for it changes within a repetition, too."""
    known = sorted(
        (apart, middle(bound))
        for bound in bounds
        if (apart := _median(_at_its_rate(trials, bound), lambda t: t.handoff_ns)) is not None
    )
    states: list[list[tuple[float, float]]] = []
    for one in known:
        if states and one[0] < CHANGED * states[-1][0][0]:
            states[-1].append(one)
        else:
            states.append([one])
    if len(states) < 2:
        return []
    said = [
        f"{_range([apart for apart, _ in state], '.0f')} ns apart "
        f"{_range([rate / 1e6 for _, rate in state], '.4g')} Mpps ({len(state)}{of})"
        for state, of in zip(
            states, [f" of {len(known)} repetitions", *[""] * len(states)], strict=False
        )
    ]
    return [f"{name} by the way between the CPUs: {'; '.join(said)}"]


def _range(values: Sequence[float], form: str) -> str:
    low, high = (format(value, form) for value in (min(values), max(values)))
    return low if low == high else f"{low} to {high}"


def sibling_note(trials: Sequence[Trial]) -> list[str]:
    """In how many trials another guest ran on the data plane's core, where it was some."""
    cycles = np.array([trial.canary_cycles for trial in trials if trial.canary_cycles is not None])
    if cycles.size == 0:
        return []
    busy = cycles > CEILING * cycles.min()
    if busy.mean() < _SOME:
        return []
    return [
        f"another guest was busy on the data plane's core in {busy.mean():.0%} of the trials: a "
        f"fixed piece of work cost {np.median(cycles[busy]):.3g} cycles there, "
        f"{np.median(cycles[~busy]):.3g} in the others"
    ]


def handoff_note(trials: Sequence[Trial]) -> list[str]:
    """The distance between the two CPUs, and whether that changed from repetition to repetition."""
    values = sorted({trial.handoff_ns for trial in trials if trial.handoff_ns is not None})
    if not values:
        return []
    waited_s = sum(trial.waited_s for trial in trials)
    waits = f"; {waited_s:.1f} s were waited for them to come back" if waited_s else ""
    if values[-1] < CHANGED * values[0]:
        same = "all the time" if not waited_s else f"while trials ran{waits}"
        return [f"a cache line took {median(values):.0f} ns from CPU to CPU, {same}"]
    return [
        f"a cache line took {values[0]:.0f} to {values[-1]:.0f} ns from CPU to CPU: a hypervisor "
        f"moved them, and rates over memory interfaces change with that{waits}"
    ]
