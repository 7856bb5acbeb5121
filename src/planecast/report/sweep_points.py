"""All points of a sweep, as figures and tables take them: axes in steps, rates, what limits."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from planecast.report.numbers import digits, is_wide
from planecast.results.trials import Columns
from planecast.sweep import Axis, Job

MOST_STEPS = 24
"""Values of an axis that a heat map shows one by one; more are put together in as many ranges."""


@dataclass(frozen=True)
class Steps:
    """An axis cut into steps: its values, or ranges of them."""

    key: str
    names: tuple[str, ...]
    """Of the steps, in order."""
    of: NDArray[np.intp]
    """The step of each point."""


@dataclass(frozen=True)
class SweepPoints:
    """A sweep's points, a row each in every array."""

    axes: Sequence[Axis]
    columns: Columns
    kind: str
    """computed or simulated."""

    @classmethod
    def of(cls, job: Job, columns: Columns) -> SweepPoints:
        """The points of a run's ``sweep.parquet``."""
        return cls(job.plan.axes, columns, "computed" if job.engine == "solve" else "simulated")

    @property
    def mpps(self) -> NDArray[np.float64]:
        """Million packets a second; NaN for a point that was refused."""
        return np.asarray(self.columns["throughput_pps"], dtype=np.float64) / 1e6

    @property
    def answered(self) -> NDArray[np.bool_]:
        """Which points have an answer."""
        return np.isfinite(self.mpps)

    @property
    def beyond(self) -> NDArray[np.bool_]:
        """Which points are beyond the calibrated range."""
        return np.asarray(self.columns["extrapolates"], dtype=bool)

    def fastest(self) -> NDArray[np.intp]:
        """The answered points, most packets a second first."""
        rows = np.flatnonzero(self.answered)
        return rows[np.argsort(-self.mpps[rows], kind="stable")]

    @property
    def limits(self) -> NDArray[np.object_]:
        """What limits each point; empty where nobody knows."""
        return np.array([text or "" for text in self.columns["capped_by"]], dtype=object)

    @property
    def refusals(self) -> Mapping[str, int]:
        """How many points were refused, by the reason, the most frequent first."""
        reasons = [text for text in self.columns["refused"] if text]
        names, counts = np.unique(np.array(reasons, dtype=str), return_counts=True)
        return {str(names[at]): int(counts[at]) for at in np.argsort(-counts, kind="stable")}

    def values(self, key: str) -> NDArray[Any]:
        """The value of an axis at each point."""
        return self.columns[key.replace(".", "_")]

    def is_number(self, key: str) -> bool:
        """Whether an axis has numbers."""
        return self.values(key).dtype.kind in "iuf"

    def steps(self, key: str) -> Steps:
        """An axis cut into at most `MOST_STEPS` steps, or its listed words."""
        values = self.values(key)
        if not self.is_number(key):
            texts = np.array([str(value) for value in values], dtype=object)
            names = list(dict.fromkeys(texts))
            places = {name: at for at, name in enumerate(names)}
            return Steps(key, tuple(names), np.array([places[text] for text in texts], np.intp))
        distinct = np.unique(values)
        if distinct.size <= MOST_STEPS:
            names = [digits_of(value) for value in distinct]
            return Steps(key, tuple(names), np.searchsorted(distinct, values).astype(np.intp))
        low, high = float(distinct[0]), float(distinct[-1])
        edges = (np.geomspace if is_wide(low, high) else np.linspace)(
            low, high, MOST_STEPS // 2 + 1
        )
        if values.dtype.kind in "iu":
            edges = np.unique(np.rint(edges))
        names = [f"{digits_of(a)}–{digits_of(b)}" for a, b in pairwise(edges)]
        of = np.clip(np.searchsorted(edges, values, side="right") - 1, 0, len(edges) - 2)
        return Steps(key, tuple(names), of.astype(np.intp))

    def by_effect(self) -> list[str]:
        """The axes that vary, the one that moves the rate most first: by the widest ratio of the
        median rates at two of its steps."""
        effects = {}
        for axis in self.axes:
            steps = self.steps(axis.key)
            medians = [
                float(np.median(self.mpps[rows]))
                for step in range(len(steps.names))
                if np.any(rows := (steps.of == step) & self.answered)
            ]
            if len(medians) > 1:
                effects[axis.key] = max(medians) / max(min(medians), 1e-12)
        return sorted(effects, key=lambda key: -effects[key])


def digits_of(value: float) -> str:
    """A value of an axis: whole numbers whole."""
    return f"{int(value):,}" if float(value).is_integer() else digits(float(value))
