"""RFC 2544 throughput (section 26.1): a binary search for the highest rate that loses too little.

As in the platform documents: it begins at 10 % of the highest load or at all of it, makes eight
trials of 20 s a step, allows less than 0.01 % loss, and ends when the rate would change by less
than 0.1 Mpps. What the documents leave open: a step is passed when each of its trials is, unless
`exceed_ratio` allows some to fail; and a step ends as soon as that is decided.
"""

from __future__ import annotations

from dataclasses import dataclass

from planecast.results.search import Bounds
from planecast.search.session import Session
from planecast.search.tester import Ceiling

NAME = "throughput"


@dataclass(frozen=True)
class BinaryGoal:
    """What a binary search looks for, and how."""

    loss_ratio: float
    """A trial is passed when it loses less than this; with 0, nothing."""
    start_share: float
    """Share of the highest load that the search begins at."""
    step_trials: int
    """Trials of a step at the most."""
    exceed_ratio: float
    """Share of a step's trials that may fail."""
    resolution_pps: float
    """The search ends when the next rate would be less than this away."""

    def passed_by(self, loss_ratio: float) -> bool:
        """Whether a trial with this loss is good."""
        return loss_ratio < self.loss_ratio or loss_ratio == 0


def search_throughput(session: Session, ceiling: Ceiling, goal: BinaryGoal) -> Bounds:
    """One repetition. Raises RunError as trials do."""
    low, high = 0.0, ceiling.pps
    refuted = False  # the highest load itself is tried only when all below it are passed
    rate = goal.start_share * ceiling.pps
    while True:
        rate = min(max(rate, 1.0), ceiling.pps)
        if step_passed(session, rate, goal):
            low = rate
        else:
            high, refuted = rate, True
        session.closing(
            f"repetition {session.repetition + 1}: {low / 1e6:.4g}–{high / 1e6:.4g} Mpps, "
            f"{session.trials_here} trials"
        )
        if low >= ceiling.pps or (refuted and high - low <= goal.resolution_pps):
            break
        rate = (low + high) / 2 if high - low > goal.resolution_pps else ceiling.pps
    return Bounds(
        repetition=session.repetition,
        low_pps=low,
        high_pps=high if refuted else None,
        trials=session.trials_here,
    )


def step_passed(session: Session, rate: float, goal: BinaryGoal) -> bool:
    """Whether enough of a step's trials lose little enough; ends as soon as that is decided."""
    may_fail = int(goal.exceed_ratio * goal.step_trials)
    passed = failed = 0
    while failed <= may_fail and passed < goal.step_trials - may_fail:
        trial = session.trial(rate)
        loss = trial.kept_loss_ratio if session.leaves_out else trial.loss_ratio
        if goal.passed_by(loss):
            passed += 1
        else:
            failed += 1
    return failed <= may_fail
