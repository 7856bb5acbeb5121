"""Intervals of percentiles, from runs of the same scenario with other random numbers.

Packets of one run wait alike when they are neighbours, so counting them says nothing of the error
of a percentile can be trusted; whole runs are independent, and Student's t holds for their mean.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from planecast.engines.simulate import _simulator as sim
from planecast.engines.simulate.to_result import classes_of, latency_of
from planecast.results.estimate import Estimate
from planecast.results.result import ClassResult, Result
from planecast.results.student import half_width


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
    if first.classes:
        note = note.replace("percentiles", "percentiles and classes")
    by_class = [classes_of(answer) for answer in answers] if first.classes else []
    return first.model_copy(
        update={
            "latency_ns": first.latency_ns | percentiles,
            "classes": {
                name: _class_over_runs(one, [run[name] for run in by_class])
                for name, one in first.classes.items()
            },
            "notes": (*first.notes, note),
        }
    )


def _class_over_runs(first: ClassResult, runs: Sequence[ClassResult]) -> ClassResult:
    """The first run's counts with the estimates of all runs."""
    whole = [run.latency_ns for run in runs if run.latency_ns]
    latency = first.latency_ns
    if len(whole) > 1:
        latency = {name: _over_runs([one[name] for one in whole]) for name in whole[0]}
    return first.model_copy(
        update={
            "throughput_pps": _over_runs([run.throughput_pps for run in runs]),
            "loss": _over_runs([run.loss for run in runs]),
            "latency_ns": latency,
        }
    )


def _over_runs(runs: Sequence[Estimate]) -> Estimate:
    values = [run.value for run in runs]
    half, value = half_width(values), float(np.mean(values))
    return Estimate(
        value=value,
        low=max(0.0, value - half),
        high=value + half,
        samples=len(runs),
        unit=runs[0].unit,
        kind="simulated",
    )
