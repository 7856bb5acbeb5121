"""MLRsearch (RFC draft of the BMWG): several loss goals in one search, by FD.io's own library.

The library (PyPI's MLRsearch, pinned) decides what to measure; a trial is this project's. Only the
offered and the lost count pass to it: its other fields are named differently in two releases of one
version number, and those it derives would count unsent packets as lost.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from MLRsearch import (
    AbstractMeasurer,
    Config,
    MeasurementResult,
    MultipleLossRatioSearch,
    SearchGoal,
)

from planecast.errors import RunError
from planecast.results.search import Bounds
from planecast.search.session import Session
from planecast.search.tester import Ceiling

_LEAST_SHARE = 1e-3
"""The least load that is tried, as a share of the highest."""
_LEAST_PPS = 1e5
"""The same in packets a second: a share of a very fast link may be more than a data plane takes."""
_NO_LIMIT_S = 1e9
"""The library's own limit of time; the session has one that leaves a resumable search."""


@dataclass(frozen=True)
class LossGoal:
    """A load that is looked for: the highest that loses no more than a ratio."""

    loss_ratio: float
    relative_width: float
    """Distance of the bounds, as a share of the upper one."""
    exceed_ratio: float
    """Share of the trials at a load that may lose more."""
    trials: int
    """Trials of full length that a bound rests on (fewer when the rest can't change it)."""


@dataclass(frozen=True)
class Start:
    """Between which loads the answer is predicted: where a search begins."""

    low_pps: float
    high_pps: float


class _Measurer(AbstractMeasurer):  # type: ignore[misc]  # the library has no types
    """The session as the library's measurer."""

    def __init__(self, session: Session, announce: Any) -> None:
        self._session = session
        self._announce = announce

    def measure(self, intended_duration: float, intended_load: float) -> Any:
        """One trial, in the library's words."""
        trial = self._session.trial(intended_load, intended_duration)
        self._announce()
        return MeasurementResult(
            intended_duration=intended_duration,
            intended_load=intended_load,
            offered_count=trial.offered,
            loss_count=trial.lost,
        )


class _Search(MultipleLossRatioSearch):  # type: ignore[misc]
    """The library's search; with a `start` it begins there instead of at the highest load."""

    start: Start | None = None

    def run_initial_trials(self) -> Any:
        if self.start is None:
            return super().run_initial_trials()
        handler = self.limit_handler
        duration = max(float(goal.final_trial_duration) for goal in self.config.goals)
        found = []
        for pps in (self.start.low_pps, self.start.high_pps):
            load = self.from_float(pps).rounded_down()
            load = max(min(load, handler.max_load), handler.min_load)
            found.append(self.measure(duration, load))
        return tuple(found)


def search_losses(
    session: Session,
    ceiling: Ceiling,
    goals: Mapping[str, LossGoal],
    start: Start | None = None,
) -> dict[str, Bounds]:
    """One repetition, for all goals. Raises RunError as trials do."""
    wanted = {name: _goal(goal, session.seconds) for name, goal in goals.items()}
    search = _Search(_config(list(wanted.values()), ceiling))
    search.start = start
    words = f"repetition {session.repetition + 1}: "

    def announce() -> None:
        intervals = ", ".join(f"{name} {_interval(search, wanted[name])}" for name in wanted)
        session.closing(f"{words}{intervals}, {session.trials_here} trials")

    try:
        found = search.search(_Measurer(session, announce), debug=lambda text: None)
    except RuntimeError as error:
        raise RunError(f"MLRsearch gave up: {error}") from error
    return {name: _bounds(session, found[goal]) for name, goal in wanted.items()}


def _goal(goal: LossGoal, seconds: float) -> Any:
    return SearchGoal(
        loss_ratio=goal.loss_ratio,
        exceed_ratio=goal.exceed_ratio,
        relative_width=goal.relative_width,
        initial_trial_duration=seconds,
        final_trial_duration=seconds,
        duration_sum=goal.trials * seconds,
        preceding_targets=2 if goal.trials > 1 else 1,
        expansion_coefficient=2,
        fail_fast=False,
    )


def _config(goals: Sequence[Any], ceiling: Ceiling) -> Any:
    config = Config()
    # The order matters: the highest has to lie above the least, which is the library's at first.
    config.min_load = min(_LEAST_SHARE * ceiling.pps, _LEAST_PPS)
    config.max_load = max(ceiling.pps, 1.0)
    config.goals = goals
    config.search_duration_max = _NO_LIMIT_S
    config.warmup_duration = 0.0  # the tester has warmed up
    return config


def _bounds(session: Session, result: Any) -> Bounds:
    lower, upper = result.relevant_lower_bound, result.relevant_upper_bound
    return Bounds(
        repetition=session.repetition,
        low_pps=0.0 if lower is None else float(lower),
        high_pps=None if upper is None else float(upper),
        trials=session.trials_here,
    )


def _interval(search: Any, goal: Any) -> str:
    """The bounds of a goal by now, in Mpps."""
    bounds = search.database.get_relevant_bounds(target=search.scaling.goal_to_final_target[goal])
    low, high = (
        "?" if end is None else f"{float(end) / 1e6:.4g}" for end in (bounds.clo, bounds.chi)
    )
    return f"{low}–{high} Mpps"
