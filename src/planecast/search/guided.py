"""The guided search: from a prediction with its interval to the same rates, in fewer trials.

MLRsearch rests each of a goal's two bounds on a fixed number of trials (21, or the 11 that settle
it), so with two goals it never takes fewer than 33 (44, when no bound serves both), wherever it
starts: its own start, at the forwarding rate under overload, is a good one, too. So this search
looks for the same quantity, the load at which half of the trials lose more than the goal allows, in
another way: by Bayes' rule, from the prediction on, until the rate is known to within the goal's
width with 95 % confidence. That is what MLRsearch's bounds come to: on data planes with a known
capacity and noise the two are equally far from the truth (tests/search/test_searches.py).

A trial at the load x exceeds the goal with probability
``lapse + (1 - lapse - SLIP) * Phi((ln x - threshold) / spread)``: the lapse are trials that a
disturbance spoils at any load. Threshold, spread and lapse are all unknown; the prediction is prior
knowledge of the threshold alone, and some of the prior lies on any load at all, so that a wrong
prediction costs trials and not the answer.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray
from scipy import special

from planecast.errors import RunError
from planecast.results.search import Bounds
from planecast.search.mlr import LossGoal, Start
from planecast.search.session import Session
from planecast.search.tester import Ceiling

_SPREADS = np.array([0.0005, 0.0015, 0.004, 0.01, 0.03])
_LAPSES = np.array([0.01, 0.15])
_REACH = 6 * float(_SPREADS[-1])
SLIP = 0.01
"""Share of the trials that lose little at any load."""
_ANYWHERE = 0.05
"""Share of the prior that lies on any load at all."""
_LEAST_SHARE = 0.1
"""Of the prediction, or of the highest load: lower ones are not thought of."""
_STEP = 0.001
"""Distance of two thresholds, as a share; a fifth of the usual goal's width."""
MOST_TRIALS = 400
"""Trials of a repetition, after which it is no use."""
_LEAST_TRIALS = 6
"""Trials near a threshold that its interval rests on at the least: a prior is no measurement."""

Floats = NDArray[np.float64]


@dataclass
class Belief:
    """What is known of one goal's threshold: weights over thresholds, spreads and lapses."""

    thresholds: Floats
    """Natural logarithms of loads, ascending."""
    weights: Floats
    near: int = 0
    """Trials at loads that were possible thresholds when they were made."""
    halves: Floats = field(init=False)
    """Of each threshold, how probable it is that half of the trials exceed the goal below it."""

    def __post_init__(self) -> None:
        self._sum_up()

    @staticmethod
    def of(start: Start, ceiling: Ceiling) -> Belief:
        """The prior: the prediction's interval is taken for 95 %, and for a normal one."""
        low, high = math.log(start.low_pps), math.log(max(start.high_pps, start.low_pps * 1.001))
        top = math.log(ceiling.pps) + 0.02
        bottom = min(low, math.log(ceiling.pps)) + math.log(_LEAST_SHARE)
        thresholds = np.arange(bottom, top, _STEP)
        deviation = (high - low) / (2 * 1.96)
        prior = np.exp(-0.5 * ((thresholds - (low + high) / 2) / deviation) ** 2)
        total = prior.sum()
        # A prediction beyond all that can be offered: the highest load will tell.
        prior = prior / total if total > 1e-12 else np.where(thresholds > top - 0.03, 1.0, 0.0)
        prior = (1 - _ANYWHERE) * prior / prior.sum() + _ANYWHERE / len(thresholds)
        cells = len(_SPREADS) * len(_LAPSES)
        return Belief(thresholds, np.repeat(prior[:, None], cells, axis=1) / cells)

    def learn(self, pps: float, exceeded: bool) -> None:
        """Takes one trial into account."""
        load = math.log(pps)
        low, high = self.interval(0.999)
        self.near += low <= load <= high
        # Six spreads away the rise is 0 or 1 to nine digits, so only what lies between is computed.
        away = load - self.thresholds
        first, last = np.searchsorted(-away, (-_REACH, _REACH))
        rise = np.repeat((away > 0).astype(np.float64)[:, None], len(_SPREADS), axis=1)
        rise[first:last] = special.ndtr(away[first:last, None] / _SPREADS)
        chance = _LAPSES + (1 - _LAPSES - SLIP) * rise[:, :, None]
        like = (chance if exceeded else 1 - chance).reshape(len(self.thresholds), -1)
        self.weights = self.weights * like
        self.weights /= self.weights.sum()
        self._sum_up()

    def interval(self, share: float = 0.95) -> tuple[float, float]:
        """Between which logarithms of loads half of the trials exceed the goal."""
        return self.quantile((1 - share) / 2), self.quantile((1 + share) / 2)

    def quantile(self, share: float) -> float:
        """Of the load's logarithm at which half of the trials exceed the goal."""
        return float(np.interp(share, self.halves, self.thresholds))

    def _sum_up(self) -> None:
        # A lapse of a share moves the load at which half of the trials exceed below the threshold.
        rise = (0.5 - _LAPSES) / (1 - _LAPSES - SLIP)
        shift = _SPREADS[:, None] * special.ndtri(rise)[None, :]
        steps = np.rint(shift / _STEP).astype(int).ravel()
        marginal = np.zeros(len(self.thresholds))
        for column, step in enumerate(steps):
            marginal += _shifted(self.weights[:, column], int(step))
        self.halves = np.cumsum(marginal)


def _shifted(column: Floats, step: int) -> Floats:
    """A column moved by so many places; what would leave stays at the end."""
    if step == 0:
        return column
    moved = np.zeros_like(column)
    if step < 0:
        moved[:step] = column[-step:]
        moved[0] += column[:-step].sum()
    else:
        moved[step:] = column[:-step]
        moved[-1] += column[-step:].sum()
    return moved


def search_guided(
    session: Session, ceiling: Ceiling, goals: Mapping[str, LossGoal], start: Start
) -> dict[str, Bounds]:
    """One repetition, for all goals, from a prediction on.

    Raises RunError as trials do, and when the trials contradict each other for too long.
    """
    if not 0 < start.low_pps <= start.high_pps:
        raise RunError("the prediction's interval is empty", "guided search")
    beliefs = {name: Belief.of(start, ceiling) for name in goals}
    turn = 0
    while True:
        open_goals = [name for name in goals if not _known(beliefs[name], goals[name], ceiling)]
        if not open_goals:
            break
        if session.trials_here >= MOST_TRIALS:
            raise RunError(
                f"after {MOST_TRIALS} trials {' and '.join(open_goals)} lie no closer than "
                + ", ".join(_words(beliefs[name]) for name in open_goals),
                "guided search",
                "the machine's state changes too much: try --method mlr",
            )
        widest = max(
            open_goals, key=lambda name: _width(beliefs[name]) / goals[name].relative_width
        )
        # At the middle alone a trial would tell nothing of the spread.
        share = (0.25, 0.75)[turn % 2]
        turn += 1
        pps = min(math.exp(beliefs[widest].quantile(share)), ceiling.pps)
        trial = session.trial(pps)
        for name, goal in goals.items():
            beliefs[name].learn(pps, trial.loss_ratio > goal.loss_ratio)
        session.closing(
            f"repetition {session.repetition + 1}: "
            + ", ".join(f"{name} {_words(beliefs[name])}" for name in goals)
            + f", {session.trials_here} trials"
        )
    return {name: _bounds(session, beliefs[name], ceiling) for name in goals}


def _width(belief: Belief) -> float:
    low, high = belief.interval()
    return high - low


def _known(belief: Belief, goal: LossGoal, ceiling: Ceiling) -> bool:
    if belief.near < _LEAST_TRIALS:
        return False
    return _width(belief) <= 2 * goal.relative_width or _capped(belief, ceiling)


def _capped(belief: Belief, ceiling: Ceiling) -> bool:
    """Whether more than half of the trials at the highest load met the goal, surely."""
    return belief.quantile(0.025) >= math.log(ceiling.pps) - 1e-9


def _bounds(session: Session, belief: Belief, ceiling: Ceiling) -> Bounds:
    low, high = (math.exp(end) for end in belief.interval())
    capped = _capped(belief, ceiling)
    return Bounds(
        repetition=session.repetition,
        low_pps=ceiling.pps if capped else low,
        high_pps=None if capped else max(high, low),
        trials=session.trials_here,
    )


def _words(belief: Belief) -> str:
    low, high = (math.exp(end) / 1e6 for end in belief.interval())
    return f"{low:.4g}–{high:.4g} Mpps"
