"""Intervals of percentiles, from runs of the same scenario with other random numbers.

Packets of one run wait alike when they are neighbours, so counting them says nothing of how far a
percentile can be trusted; whole runs are independent, and Student's t holds for their mean.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
from scipy import stats

from planecast.engines.simulate import _simulator as sim
from planecast.engines.simulate.answer import latency_of
from planecast.results.estimate import Estimate
from planecast.results.result import Result

CONFIDENCE = 0.95


def replicated(first: Result, answers: Sequence[sim.Results]) -> Result:
    """The first run's result with the percentiles of all `answers`, the first among them."""
    if len(answers) < 2 or not first.latency_ns:
        return first
    every = [latency_of(answer) for answer in answers]
    whole = [one for one in every if one]
    if len(whole) < 2:
        return first
    percentiles = {
        name: _over_runs([one[name] for one in whole])
        for name in first.latency_ns
        if name.startswith("p")
    }
    note = f"percentiles and their intervals are of {len(whole)} runs, all else of the first"
    return first.model_copy(
        update={
            "latency_ns": first.latency_ns | percentiles,
            "notes": (*first.notes, note),
        }
    )


def _over_runs(runs: Sequence[Estimate]) -> Estimate:
    values = np.array([run.value for run in runs])
    quantile = float(stats.t.ppf((1 + CONFIDENCE) / 2, len(runs) - 1))
    half = quantile * float(values.std(ddof=1)) / math.sqrt(len(runs))
    value = float(values.mean())
    return Estimate(
        value=value,
        low=max(0.0, value - half),
        high=value + half,
        samples=len(runs),
        unit="ns",
        kind="simulated",
    )
