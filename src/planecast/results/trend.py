"""Trends: one scenario over many runs, and the runs at which its level changed.

jumpavg (FD.io) groups a series into levels by the shortest description: a new level begins where
telling two means takes fewer bits than telling one with larger deviations. It needs no threshold,
and one outlier is a level of its own only when it lies far out.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Literal

import jumpavg

from planecast.results.estimate import Estimate
from planecast.results.result import Result
from planecast.results.scenario_labels import own_label

Metric = Literal["throughput_pps", "cycles_per_packet", "instructions_per_packet", "ipc"]
_LESS_IS_BETTER = frozenset({"cycles_per_packet", "instructions_per_packet"})


@dataclass(frozen=True)
class TrendPoint:
    """One result in a series."""

    run: str
    """The run's folder."""
    started_at: str
    value: Estimate
    level: float
    """Mean of the level that it belongs to, in the metric's unit."""
    deviation: float
    """Standard deviation within that level."""
    change_percent: float | None
    """The level's change against the one before; None unless a level begins here."""
    verdict: str
    """``progression`` or ``regression`` where a level begins, else empty."""


@dataclass(frozen=True)
class Trend:
    """A series: equal scenarios of one kind, machine and calibration, oldest first."""

    scenario: str
    """Its name, and in what it differs from its function's defaults."""
    kind: str
    cpu: str
    calibration: str
    """The run of the calibration that all of it rests on; empty for what was measured."""
    metric: Metric
    points: tuple[TrendPoint, ...]

    @property
    def changes(self) -> list[TrendPoint]:
        """Where the level changed."""
        return [point for point in self.points if point.verdict]


def trends(named: Iterable[tuple[str, Result]], metric: Metric) -> list[Trend]:
    """The series in (run, result) pairs, each sorted by when its runs began.

    Results without the metric are left out. Only equal scenarios make a series: a trend over
    changed questions would show the questions, one over two calibrations would show these. A result
    of the model that doesn't name its calibration is a series of its own.
    """
    series: dict[tuple[str, ...], list[tuple[str, Result, Estimate]]] = {}
    for run, result in named:
        estimate = getattr(result, metric)
        if estimate is not None and estimate.value > 0:
            cpu = str(result.manifest.host.get("cpu", ""))
            basis = result.manifest.calibration
            rests_on = (basis.run, basis.digest) if basis is not None else ("", "")
            if basis is None and estimate.kind in ("computed", "simulated"):
                rests_on = ("unknown", f"{run} {len(series)}")
            key = (result.scenario.model_dump_json(), estimate.kind, cpu, *rests_on)
            series.setdefault(key, []).append((run, result, estimate))
    return [_trend(found, key, metric) for key, found in series.items()]


def _trend(
    found: list[tuple[str, Result, Estimate]], key: tuple[str, ...], metric: Metric
) -> Trend:
    _, kind, cpu, calibration, _ = key
    scenario = found[0][1].scenario
    label = f"{scenario.name} {own_label(scenario)}"
    found = sorted(found, key=lambda one: (one[1].manifest.started_at, one[0]))
    levels = _levels([estimate.value for _, _, estimate in found])
    points: list[TrendPoint] = []
    before: float | None = None
    at = 0
    for length, mean, deviation in levels:
        change = None if before is None else 100 * (mean / before - 1)
        for position, (run, result, estimate) in enumerate(found[at : at + length]):
            first = position == 0 and change is not None
            points.append(
                TrendPoint(
                    run=run,
                    started_at=result.manifest.started_at,
                    value=estimate,
                    level=mean,
                    deviation=deviation,
                    change_percent=change if first else None,
                    verdict=_verdict(change, metric) if first and change is not None else "",
                )
            )
        at, before = at + length, mean
    return Trend(label.strip(), kind, cpu, calibration, metric, tuple(points))


def _levels(values: Sequence[float]) -> list[tuple[int, float, float]]:
    """Length, mean and deviation of each level, in order."""
    return [
        (len(group.run_list), group.stats.avg, group.stats.stdev)
        for group in jumpavg.classify(values)
    ]


def _verdict(change_percent: float, metric: Metric) -> str:
    better = (change_percent < 0) == (metric in _LESS_IS_BETTER)
    return "progression" if better else "regression"
