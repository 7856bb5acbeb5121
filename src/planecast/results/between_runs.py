"""Whether the intervals of a run hold for the runs before it: a machine's state outlives a run.

Restarts within a run share the machine's state of these seconds, and on a shared host that changes
within a minute. No single run shows that, but the folder of runs does.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from pathlib import Path

from planecast.errors import InputError
from planecast.results.history import Observation, observations
from planecast.results.result import Result
from planecast.results.scores import NORMAL_95, relative_deviation
from planecast.results.search import SearchAnswer
from planecast.results.store import RunDirectory, list_runs
from planecast.results.student import half_width

LOOKED = 8
"""Earlier runs of a scenario that are looked at, the last ones."""
_BEYOND = 1.5
"""Two runs differ when they are farther apart than so many combined 95 % half-widths: three
standard deviations, so that among LOOKED runs of one state chance shows one in fifty times."""
_METRIC = "cycles_per_packet"
_DRAWS = 3
"""Runs from which on a mean over them has an interval: that of two is thirteen times as wide as
they are apart."""


def state_notes(run: RunDirectory, results: Sequence[Result]) -> list[str]:
    """For each result a sentence where earlier runs of the same scenario on this host, with the
    same versions, lie outside its interval; else an empty one. `run` is the results' own."""
    seen = [one for other in _earlier(run) for one in _observed(other, _METRIC)]
    return [
        "".join(state_note(own, seen) for own in observations(run.path, result, _METRIC))
        for result in results
    ]


def rate_notes(run: RunDirectory, answer: SearchAnswer) -> list[str]:
    """The same for each rate of a search, from earlier ones with trials as long: repetitions of one
    search share the machine's state of these minutes. A rate that is a least one says nothing."""
    if answer.invalid:
        return []
    alike = [(one.path, found) for one in _earlier(run) if (found := _search_like(answer, one))]
    notes = []
    for name in answer.rates:
        seen = [one for path, found in alike for one in observations(path, found, name)]
        for own in observations(run.path, answer, name):
            note = state_note(own, seen)
            if note:
                notes.append(f"{name}: {note}")
    return notes


def _earlier(run: RunDirectory) -> list[RunDirectory]:
    stem = _stem(run.path)
    found = [
        other
        for other in list_runs(run.path.parent)
        if _stem(other.path) == stem and other.path.name != run.path.name and not other.partial
    ]
    return found[-LOOKED:]


def _search_like(answer: SearchAnswer, run: RunDirectory) -> SearchAnswer | None:
    """What a run found, when it is a search that asked the same."""
    try:
        found = run.read()
    except InputError:  # of another edition
        return None
    if not isinstance(found, SearchAnswer) or found.invalid:
        return None
    same = (found.method, found.trial_seconds) == (answer.method, answer.trial_seconds)
    return found if same else None


def state_note(own: Observation, earlier: Sequence[Observation]) -> str:
    """The sentence of one result, from observations of any scenario."""
    same = [
        one
        for one in earlier
        if one.series == own.series and one.manifest.versions == own.manifest.versions
    ]
    apart = [one for one in same if _differ(own, one)]
    if not apart:
        return ""
    rate = own.metric.unit == "pps"
    unit, scale = ("Mpps", 1e6) if rate else ("cycles/packet", 1.0)
    values = [one.value.value / scale for one in (*same, own)]
    note = (
        f"outside this interval: {len(apart)} of the last {len(same)} runs of this scenario here "
        f"({min(values):.4g} to {max(values):.4g} {unit}): the machine's state changes "
        "between runs, and an interval covers its own run's state only"
    )
    if len(values) < _DRAWS:
        return note
    half = half_width(values)
    mean = sum(values) / len(values)
    return (
        f"{note}; over these runs, each a draw of the state, {mean:.4g} "
        f"[{max(mean - half, 0):.4g}, {mean + half:.4g}] {unit}"
    )


def _differ(one: Observation, other: Observation) -> bool:
    apart = abs(math.log(one.value.value / other.value.value))
    widths = [NORMAL_95 * relative_deviation(side.value) for side in (one, other)]
    return min(widths) > 0 and apart > _BEYOND * math.hypot(*widths)


def _observed(run: RunDirectory, metric: str) -> list[Observation]:
    try:
        return list(observations(run.path, run.read(), metric))
    except InputError:  # of another edition
        return []


def _stem(path: Path) -> str:
    """The verb and the name of a run's folder, without its time and the number at its end."""
    name = path.name.partition("-")[2]
    head, _, last = name.rpartition("-")
    return head if last.isdigit() and head else name
