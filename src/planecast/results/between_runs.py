"""Whether the intervals of a run hold for the runs before it: a machine's state outlives a run.

Restarts within a run share the machine's state of these seconds, and on a shared host that changes
within a minute. No run can see that of itself, but the folder of runs can.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from pathlib import Path

from planecast.errors import InputError
from planecast.results.history import Observation, observations
from planecast.results.result import Result
from planecast.results.scores import NORMAL_95, relative_deviation
from planecast.results.store import RunDirectory, list_runs

LOOKED = 8
"""Earlier runs of a scenario that are looked at, the last ones."""
_BEYOND = 1.5
"""Two runs differ when they are farther apart than so many combined 95 % half-widths: three
standard deviations, so that among LOOKED runs of one state chance shows one in fifty times."""
_METRIC = "cycles_per_packet"


def state_notes(run: RunDirectory, results: Sequence[Result]) -> list[str]:
    """For each result a sentence where earlier runs of the same scenario on this host, with the
    same versions, lie outside its interval; else an empty one. `run` is the results' own."""
    stem = _stem(run.path)
    earlier = [
        other
        for other in list_runs(run.path.parent)
        if _stem(other.path) == stem and other.path.name != run.path.name and not other.partial
    ]
    seen = [one for other in earlier[-LOOKED:] for one in _observed(other)]
    return [
        "".join(state_note(own, seen) for own in observations(run.path, result, _METRIC))
        for result in results
    ]


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
    values = [one.value.value for one in (*same, own)]
    return (
        f"outside this interval: {len(apart)} of the last {len(same)} runs of this scenario here "
        f"({min(values):.4g} to {max(values):.4g} cycles/packet): the machine's state changes "
        "between runs, and an interval is of its own run's state"
    )


def _differ(one: Observation, other: Observation) -> bool:
    apart = abs(math.log(one.value.value / other.value.value))
    widths = [NORMAL_95 * relative_deviation(side.value) for side in (one, other)]
    return min(widths) > 0 and apart > _BEYOND * math.hypot(*widths)


def _observed(run: RunDirectory) -> list[Observation]:
    try:
        return list(observations(run.path, run.read(), _METRIC))
    except InputError:  # of another edition
        return []


def _stem(path: Path) -> str:
    """The verb and the name of a run's folder, without its time and the number at its end."""
    name = path.name.partition("-")[2]
    head, _, last = name.rpartition("-")
    return head if last.isdigit() and head else name
