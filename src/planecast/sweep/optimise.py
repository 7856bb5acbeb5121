"""The cheapest placement or machine that meets a target, and the runners-up.

A candidate is a point of a sweep's axes with a price: so much for each unit of a key, or a price
for each of its values. It meets a rate when the low end of the closed form's 95 % interval does;
loss and latency are the simulator's at that rate. Few candidates are all tried; of many, Optuna's
sampler (a tree-structured Parzen estimator that knows constraints) tries the promising ones. The
same seed tries the same.
"""

from __future__ import annotations

import itertools
import logging
import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from planecast.errors import InputError
from planecast.extras import extra_library
from planecast.progress import Progress
from planecast.results.result import Result
from planecast.scenario.document import parse_value
from planecast.scenario.model import value_text
from planecast.scenario.override import check_key
from planecast.sweep.answer import answered, loss_of
from planecast.sweep.axes import Axis
from planecast.sweep.hardware import FACTORS
from planecast.sweep.job import Job
from planecast.workload.scenario_columns import NUMBERS

_REFUSED = 1e6  # the distance from any target a point is that can't be asked


@dataclass(frozen=True)
class Price:
    """What a key costs: its value times `unit`, or the price of the value."""

    key: str
    unit: float | None
    values: Mapping[str, float]

    def of(self, value: Any) -> float:
        """The price of a value. Raises InputError for a value without one."""
        text = _text(value)
        if text in self.values:
            return self.values[text]
        if self.unit is None or isinstance(value, bool) or not isinstance(value, int | float):
            raise InputError(
                f"{self.key}={text} has no price",
                f"--cost {self.key}",
                f"write --cost {self.key}={text}:PRICE,…",
            )
        return self.unit * value


def parse_price(text: str) -> Price:
    """``placement.lcores=10`` (each) or ``machine.llc_size=1:0,2:150`` (by value).

    Raises InputError for what is neither, and for an unknown key.
    """
    key, equals, typed = text.partition("=")
    prices: dict[str, float] = {}
    unit: float | None = None
    try:
        if ":" in typed:
            for part in typed.split(","):
                value, _, price = part.strip().rpartition(":")
                prices[_text(parse_value(value))] = float(price)
        else:
            unit = float(typed)
    except ValueError:
        equals = ""
    bad = any(not math.isfinite(p) or p < 0 for p in (*prices.values(), unit or 0.0))
    if not equals or not key.strip() or bad:
        raise InputError(
            f"got '{text}'", "--cost", "write KEY=PRICE for each unit, or KEY=VALUE:PRICE,…"
        )
    key = key.strip()
    if key not in FACTORS:
        check_key(key, f"--cost {text}")
    return Price(key, unit, prices)


def _text(value: Any) -> str:
    """A value as prices name it: 2 and 2.0 are one."""
    if isinstance(value, int | float) and not isinstance(value, bool):
        return f"{value:.12g}"
    return value_text(value)


@dataclass(frozen=True)
class Target:
    """What has to be met."""

    rate_pps: float
    loss: float | None = None
    """Share of the packets that may be lost at that rate."""
    latency_ns: float | None = None
    percentile: str = "p99"
    """Of the latency."""

    @property
    def timed(self) -> bool:
        """Whether it takes a simulation."""
        return self.loss is not None or self.latency_ns is not None


@dataclass(frozen=True)
class Candidate:
    """One point that was tried."""

    point: Mapping[str, Any]
    cost: float
    rate: Result | None
    """What the closed form says; None for a point that can't be asked."""
    timed: Result | None
    """What the simulator says at the target's rate, where that matters."""
    gaps: Mapping[str, float]
    """By what share it misses each part of the target; not above 0 where it meets it."""
    refused: str = ""

    @property
    def meets(self) -> bool:
        """Whether it meets the target."""
        return all(gap <= 0 for gap in self.gaps.values())

    @property
    def rank(self) -> tuple[float, float]:
        """Cheapest first; of the same price the one with most to spare."""
        return self.cost, self.gaps["rate"]


@dataclass(frozen=True)
class Found:
    """What a search found."""

    best: Sequence[Candidate]
    """Those that meet the target, cheapest first; empty when none does."""
    nearest: Candidate
    """The one that misses it by least."""
    tried: int
    """Different points."""
    possible: int | None
    """Points in all; None when a range has no end of them."""
    refused: Sequence[str] = ()
    """Why points of those could not be asked, one sentence each."""


def optimise(
    job: Job,
    prices: Sequence[Price],
    target: Target,
    trials: int,
    progress: Progress,
) -> Found:
    """Search the axes of the job's plan.

    Raises InputError for a value without a price.
    """
    axes = job.plan.axes
    possible = None if any(a.ranges for a in axes) else math.prod(len(a.values) for a in axes)
    everything = possible is not None and possible <= trials
    most = possible if everything and possible else trials
    seen: dict[str, Candidate] = {}

    def attempt(point: Mapping[str, Any], number: int) -> Candidate:
        name = repr(point)
        if name not in seen:
            seen[name] = _candidate(job, point, prices, target)
        words = f"{len(seen)} tried, {sum(c.meets for c in seen.values())} meet the target"
        progress(number, most, words)
        return seen[name]

    if everything:
        for number, values in enumerate(itertools.product(*(axis.values for axis in axes)), 1):
            attempt(dict(zip((axis.key for axis in axes), values, strict=True)), number)
    else:
        _sample(axes, attempt, trials, job.plan.seed)
    found = list(seen.values())
    nearest = min(found, key=lambda c: (max(c.gaps.values()), *c.rank))
    best = sorted((c for c in found if c.meets), key=lambda c: c.rank)
    return Found(best, nearest, len(found), possible, [c.refused for c in found if c.refused])


def _sample(
    axes: Sequence[Axis],
    attempt: Callable[[Mapping[str, Any], int], Candidate],
    trials: int,
    seed: int,
) -> None:
    """Try what Optuna proposes."""
    optuna = extra_library(
        "optuna", "optimise", "--vary KEY=LOW:HIGH", "list values: every combination is tried then"
    )

    def objective(trial: Any) -> float:
        candidate = attempt({a.key: _suggested(trial, a) for a in axes}, trial.number + 1)
        for part in ("rate", "loss", "latency"):
            # What was not simulated, for its rate is too low, is no better than the rate.
            trial.set_constraint(part, candidate.gaps.get(part, candidate.gaps["rate"]))
        return candidate.cost

    before = optuna.logging.get_verbosity()
    optuna.logging.set_verbosity(logging.ERROR)
    try:
        sampler = optuna.samplers.TPESampler(seed=seed, n_startup_trials=min(20, trials))
        optuna.create_study(sampler=sampler).optimize(objective, n_trials=trials)
    finally:
        optuna.logging.set_verbosity(before)


def _suggested(trial: Any, axis: Axis) -> Any:
    if not axis.ranges:
        # Places, not values: neighbours in a list that rises are alike, which a category isn't.
        return axis.values[trial.suggest_int(axis.key, 0, axis.last)]
    if axis.whole:
        ends = (int(axis.low or 0), int(axis.high or 0))
        return trial.suggest_int(axis.key, *ends, log=axis.log and ends[0] > 0)
    value = trial.suggest_float(axis.key, axis.low, axis.high, log=axis.log)
    return int(value) if axis.key in NUMBERS else value


def _candidate(
    job: Job, point: Mapping[str, Any], prices: Sequence[Price], target: Target
) -> Candidate:
    from planecast.scenario import value_at

    def value(key: str) -> Any:
        given = point.get(key)
        return value_at(job.plan.base, key) if given is None and key not in point else given

    cost = sum(price.of(value(price.key)) for price in prices)
    closed = job.model_copy(update={"engine": "solve", "plan": _unoffered(job)})
    (rate,) = answered(closed, [point])
    if isinstance(rate, str):
        return Candidate(point, cost, None, None, {"rate": _REFUSED}, rate)
    low, _ = rate.throughput_pps.interval or (rate.throughput_pps.value, 0.0)
    gaps = {"rate": 1 - low / target.rate_pps}
    if gaps["rate"] > 0 or not target.timed:
        return Candidate(point, cost, rate, None, gaps)
    offered = {"traffic.offered_pps": target.rate_pps}
    (timed,) = answered(job.model_copy(update={"engine": "simulate"}), [{**point, **offered}])
    if isinstance(timed, str):
        return Candidate(point, cost, rate, None, {"rate": _REFUSED}, timed)
    if target.loss is not None:
        gaps["loss"] = (loss_of(timed) or 0.0) - target.loss
    if target.latency_ns is not None:
        latency = timed.latency_ns[target.percentile].value
        gaps["latency"] = latency / target.latency_ns - 1
    return Candidate(point, cost, rate, timed, gaps)


def _unoffered(job: Job) -> Any:
    """The plan as fast as it goes: what it forwards at most."""
    traffic = job.plan.base.traffic.model_copy(update={"offered_pps": None, "arrivals": "constant"})
    base = job.plan.base.model_copy(update={"traffic": traffic})
    return job.plan.model_copy(update={"base": base})
