"""The history of the page's scenario: series of equal runs, the levels they are on, and at which
runs these changed, as ``planecast history`` reports them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from threading import Lock
from typing import Any

from planecast.errors import InputError
from planecast.explore.measured import alike
from planecast.explore.point import estimate_json
from planecast.results import RunDirectory
from planecast.results.history import Level, Observation, Series, histories, observations
from planecast.results.store import RESULT, list_runs
from planecast.scenario import Scenario

Json = dict[str, Any]

MOST_SERIES = 8
MOST_POINTS = 200
"""Of a series, the newest."""


@dataclass
class Past:
    """What the runs under a folder hold; a run is read once, for reading all takes seconds."""

    root: Path
    _read: dict[Path, tuple[int, list[Observation]]] = field(default_factory=dict)
    _lock: Lock = field(default_factory=Lock)

    def observations(self) -> list[Observation]:
        """Rates of every complete run that has some."""
        with self._lock:
            every = [self._of(run) for run in list_runs(self.root, holding=RESULT)]
        return [one for found in every for one in found]

    def _of(self, run: RunDirectory) -> list[Observation]:
        if run.partial:
            return []
        try:
            changed = (run.path / RESULT).stat().st_mtime_ns
            known = self._read.get(run.path)
            if known is None or known[0] != changed:
                known = changed, list(observations(run.path, run.read()))
        except (InputError, OSError):
            return []  # of an older version, or just removed
        self._read[run.path] = known
        return known[1]


def history(past: Past, scenario: Scenario) -> Json:
    """The series of a scenario: those with the most runs first."""
    found = histories(one for one in past.observations() if alike(one.scenario, scenario))
    found.sort(key=lambda one: (-len(one.points), one.scenario, one.metric.name))
    return {
        "runs": len({point.run for one in found for point in one.points}),
        "left_out": len(found[MOST_SERIES:]),
        "series": [_series(one) for one in found[:MOST_SERIES]],
    }


def _series(one: Series) -> Json:
    return {
        "scenario": one.scenario,
        "metric": one.metric.title or one.metric.name,
        "kind": one.kind,
        "host": one.host,
        "calibration": one.calibration,
        "levels": _levels(one.levels),
    }


def _levels(levels: Sequence[Level]) -> list[Json]:
    """Levels with their runs, oldest first; of long series the newest runs alone."""
    room = MOST_POINTS
    found: list[Json] = []
    for level in reversed(levels):
        shown = level.points[-room:] if room > 0 else ()
        room -= len(shown)
        found.append(
            {
                "value": estimate_json(level.value),
                "change": estimate_json(level.change),
                "verdict": level.verdict,
                "since": level.points[0].manifest.started_at,
                "first_run": level.points[0].run.name,
                "last_run": level.points[-1].run.name,
                "runs": len(level.points),
                "points": [_point(point) for point in shown],
            }
        )
    return found[::-1]


def _point(one: Observation) -> Json:
    return {
        "run": one.run.name,
        "started_at": one.manifest.started_at,
        "value": estimate_json(one.value),
    }
