"""All points of a study measured in the same blocks; held-out rows stay closed until predicted.

Calibration points and held-out ones take turns in the same processes, so both saw the same states
of the machine. Their rows go to two files: the fit reads one, and the other is opened only when the
predictions are on disk and their digest is taken.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from planecast.engines.measure import TrialTable
from planecast.engines.measure.engine import estimate, visit
from planecast.engines.measure.estimate import PointFacts
from planecast.results.result import Result
from planecast.results.store import TRIALS, RunDirectory
from planecast.results.trials import Columns, read_parquet
from planecast.scenario.points import Point, point_label
from planecast.scenario.scenario import Scenario
from planecast.study.calibrate import Context

HELD_OUT = "held-out.parquet"


@dataclass(frozen=True)
class Interleaved:
    """What was measured: facts of every point, calibration points first, and two files of rows."""

    context: Context
    scenarios: Sequence[Scenario]
    facts: Sequence[PointFacts]
    calibrated: int
    """How many of the points are calibration points."""

    def calibration(self) -> list[Result]:
        """Results of the calibration points, from their rows alone."""
        return self._results(self.context.run.path / TRIALS, slice(0, self.calibrated))

    def open(self, predictions: Path) -> tuple[list[Result], str]:
        """Results of the held-out points, and the SHA-256 digest of the file of predictions.

        The digest is taken before the held-out rows are read. All rows are in ``trials.parquet``
        afterwards, numbered by `phase`: 0 calibration, 1 held out.
        """
        digest = hashlib.sha256(predictions.read_bytes()).hexdigest()
        run = self.context.run
        held = run.path / HELD_OUT
        results = self._results(held, slice(self.calibrated, None))
        parts = [read_parquet(run.path / TRIALS), read_parquet(held)]
        run.write_trials({name: np.concatenate([p[name] for p in parts]) for name in parts[0]})
        held.unlink()
        return results, digest

    def _results(self, rows: Path, points: slice) -> list[Result]:
        return estimate(
            self.scenarios[points], read_parquet(rows), self.facts[points], self.context.manifest
        )


def measure_interleaved(
    context: Context,
    calibrate: Sequence[Point],
    hold_out: Sequence[Point],
    between: Callable[[float], None] = lambda share: None,
) -> Interleaved:
    """Measures all points for the budget's time; what there is of rows is kept, whatever happens.

    `between` as in `visit`. Raises as `measure` does.
    """
    study = context.study
    points = (*calibrate, *hold_out)
    scenarios = study.scenarios(tuple(dict(point) for point in points))
    table = TrialTable([point_label(point) for point in points])
    try:
        facts = visit(
            scenarios,
            study.budget,
            context.manifest.seed,
            table,
            progress=context.progress,
            between=between,
        )
    finally:
        _write_apart(context.run, table.stored(), len(calibrate))
    return Interleaved(context, scenarios, facts, len(calibrate))


def _write_apart(run: RunDirectory, rows: Columns, calibrated: int) -> None:
    if not rows:
        return
    held = np.asarray(rows["point"]) >= calibrated
    numbered = {**rows, "phase": held.astype(np.int64)}
    if not held.all():
        run.write_trials({name: column[~held] for name, column in numbered.items()})
    if held.any():
        run.write_trials({name: column[held] for name, column in numbered.items()}, HELD_OUT)
