"""The time series of simulated scenarios as columns: a row an interval."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from planecast.engines.simulate import _simulator as sim

Columns = dict[str, NDArray[np.generic]]


def series_columns(answers: Sequence[sim.Results], labels: Sequence[str]) -> Columns:
    """All scenarios' intervals, one after another; what a scenario doesn't have reads NaN.

    ``end_ns`` is the interval's end, ``offered``, ``forwarded`` and ``dropped`` packets in it,
    ``mean_latency_ns`` of those forwarded, ``busy_LCORE`` a
    share, ``vectors_LCORE`` packets a poll that found some, ``waiting_QUEUE`` packets at the
    interval's end.
    """
    parts = [_of_one(answer) for answer in answers]
    names = dict.fromkeys(name for part in parts for name in part)
    found: Columns = {
        "scenario": np.concatenate(
            [
                np.full(len(answer.series), label, dtype=object)
                for answer, label in zip(answers, labels, strict=True)
            ]
        )
    }
    for name in names:
        found[name] = np.concatenate(
            [
                part.get(name, np.full(len(answer.series), np.nan))
                for part, answer in zip(parts, answers, strict=True)
            ]
        )
    return found


def _of_one(answer: sim.Results) -> Columns:
    series = answer.series
    found: Columns = {
        name: np.array([getattr(sample, name) for sample in series])
        for name in ("end_ns", "offered", "forwarded", "dropped", "mean_latency_ns")
    }
    for i, core in enumerate(answer.cores):
        found[f"busy_{core.name}"] = np.array([sample.busy[i] for sample in series])
        found[f"vectors_{core.name}"] = np.array([sample.vectors[i] for sample in series])
    for i, queue in enumerate(answer.queues):
        found[f"waiting_{queue.name}"] = np.array([sample.waiting[i] for sample in series])
    return found
