"""Which key matters: one at a time (a tornado), and all together (Sobol's indices).

A tornado moves one key from end to end of its range and leaves the others; a key that works only
together with another shows nothing there. Sobol's indices share the answer's variance out over all
keys drawn together: the first-order index is a key's alone, the total one has its interactions.
Source: Saltelli et al. 2010, by way of SALib.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Self

import numpy as np

from planecast.errors import InputError
from planecast.extras import extra_library
from planecast.progress import Progress
from planecast.results.estimate import Estimate
from planecast.results.result import Result
from planecast.results.sensitivity import Sensitivity, Swing
from planecast.scenario import value_at, value_if_any
from planecast.scenario.model import value_text
from planecast.scenario.scenario import Scenario
from planecast.scenario.workload import MAX_FLOWS, MAX_STATIONS
from planecast.sweep.answer import answered
from planecast.sweep.axes import Axis, Column, value_of
from planecast.sweep.hardware import FACTORS
from planecast.sweep.job import Job
from planecast.workload.scenario_columns import ScenarioColumns
from planecast.workload.sizes import Sizes
from planecast.workload.stages.registry import stages_of

_BATCH = 64
_WITHOUT = "--draws 0 for the tornado alone"
_TABLES = {
    "workload.acl_rules": 65536,
    "workload.routes": 65536,
    "workload.next_hops": 65536,
    "workload.bridge_entries": MAX_STATIONS,
    "traffic.flows": MAX_FLOWS,
}
"""Keys that sizes of tables follow from, and the most that each can be."""


def sensitivity(job: Job, draws: int, progress: Progress) -> Sensitivity:
    """The swings of the axes of the job's plan, longest first.

    `draws` is Sobol's base sample, a power of two; the scenarios asked are so many times the axes
    and two. 0 leaves Sobol's indices out. Raises InputError when the base can't be answered, when
    an end of an axis can't, or when too many draws can't; MissingError without SALib.
    """
    sobol = _Sobol.loaded() if draws else None
    axes = job.plan.axes
    total = 1 + 2 * len(axes) + draws * (len(axes) + 2)
    ends = [_ends(axis) for axis in axes]
    points = [{}, *({a.key: v} for a, pair in zip(axes, ends, strict=True) for v in pair)]
    tornado = [_whole(result) for result in answered(job, points)]
    progress(len(points), total, "one at a time")
    base = tornado[0]
    indices, refused = _sobol(sobol, job, draws, progress, total) if sobol else ({}, 0)
    swings = []
    for i, (axis, (low, high)) in enumerate(zip(axes, ends, strict=True)):
        at_low, at_high = (tornado[1 + 2 * i + end].throughput_pps.value for end in (0, 1))
        first, whole = indices.get(axis.key, (None, None))
        swings.append(
            Swing(
                key=axis.key,
                low=_text(low),
                high=_text(high),
                at_low_pps=at_low,
                at_high_pps=at_high,
                elasticity=_elasticity(low, high, at_low, at_high),
                first_order=first,
                total=whole,
            )
        )
    return Sensitivity(
        base=base,
        swings=tuple(sorted(swings, key=lambda swing: -swing.width_pps)),
        evaluations=total,
        refused=refused,
        notes=_notes(tornado),
        manifest=job.manifest,
    )


def default_axes(base: Scenario) -> list[str]:
    """What is varied when nothing is named: the machine's components and the tables that the
    scenario's stages touch, as words for `parse_axis`: half to twice as much of each."""
    words = [f"{key}=0.5:2:log" for key in FACTORS]
    for key, limit in _TABLES.items():
        if value_if_any(base, key) is None:
            continue
        value = int(value_at(base, key))
        most = limit
        if key == "traffic.flows":
            most = value_if_any(base, "workload.flows") or limit
        ends = (max(2, value // 2), min(most, 2 * value))
        if ends[0] < ends[1] and _touched_lines_follow(base, key, ends):
            words.append(f"{key}={ends[0]}:{ends[1]}:log")
    return words


def _touched_lines_follow(base: Scenario, key: str, ends: tuple[int, int]) -> bool:
    """Whether the lines that the stages touch change with a key."""
    sizes = Sizes(ScenarioColumns.over(base, {key: np.array(ends, dtype=np.float64)}))
    regions = (r for stage in stages_of(base.forwards) for r in stage.regions(sizes))
    columns = (region.touches * region.lines for region in regions)
    return any(column[0] != column[-1] for column in columns)


def _ends(axis: Axis) -> tuple[Any, Any]:
    column = axis.drawn(np.array([0.0, 1.0]))
    return value_of(axis, column, 0), value_of(axis, column, 1)


def _whole(result: Result | str) -> Result:
    if isinstance(result, str):
        raise InputError(
            f"an end of an axis can't be answered: {result}",
            "--vary",
            "vary it over a smaller range",
        )
    return result


def _elasticity(low: Any, high: Any, at_low: float, at_high: float) -> float | None:
    numbers = all(isinstance(v, int | float) and not isinstance(v, bool) for v in (low, high))
    if not numbers or low <= 0 or low == high:
        return None
    return float(np.log(at_high / at_low) / np.log(high / low))


@dataclass(frozen=True)
class _Sobol:
    """SALib's sampling and analysis."""

    sample: Any
    analyze: Any

    @classmethod
    def loaded(cls) -> Self:
        parts = ("sample", "analyze")
        names = [f"SALib.{part}.sobol" for part in parts]
        return cls(*(extra_library(name, "sensitivity", "--draws", _WITHOUT) for name in names))


def _sobol(
    library: _Sobol, job: Job, draws: int, progress: Progress, total: int
) -> tuple[dict[str, tuple[Estimate, Estimate]], int]:
    """(first-order and total index by key, how many draws were refused)."""
    axes = job.plan.axes
    done = total - draws * (len(axes) + 2)
    problem = {
        "num_vars": len(axes),
        "names": [axis.key for axis in axes],
        "bounds": [[0.0, 1.0]] * len(axes),
    }
    seed = job.plan.seed
    shares = library.sample.sample(problem, draws, calc_second_order=False, seed=seed)
    columns = [axis.drawn(shares[:, i]) for i, axis in enumerate(axes)]
    values: list[float] = []
    for first in range(0, len(shares), _BATCH):
        rows = range(first, min(first + _BATCH, len(shares)))
        points = [_point(axes, columns, row) for row in rows]
        results = answered(job, points)
        values += [np.nan if isinstance(r, str) else r.throughput_pps.value for r in results]
        progress(done + len(values), total, "all together")
    rates = np.array(values)
    refused = np.isnan(rates)
    if refused.mean() > 0.02:
        raise InputError(
            f"{int(refused.sum())} of {len(rates)} draws can't be answered",
            "--vary",
            "vary over smaller ranges, so that the combinations are valid",
        )
    rates[refused] = np.nanmean(rates)
    if float(np.ptp(rates)) == 0:
        zero = Estimate(value=0.0, samples=draws, unit="ratio", kind="computed")
        return {axis.key: (zero, zero) for axis in axes}, int(refused.sum())
    found = library.analyze.analyze(problem, rates, calc_second_order=False, seed=seed)
    return {
        axis.key: (_index(found, "S1", i, draws), _index(found, "ST", i, draws))
        for i, axis in enumerate(axes)
    }, int(refused.sum())


def _point(axes: Sequence[Axis], columns: Sequence[Column], row: int) -> dict[str, Any]:
    return {a.key: value_of(a, c, row) for a, c in zip(axes, columns, strict=True)}


def _index(found: Any, name: str, i: int, draws: int) -> Estimate:
    value, half = float(found[name][i]), float(found[f"{name}_conf"][i])
    # An index is a share of the variance: what lies beyond 0 and 1 is the sampling's.
    low, value, high = (min(1.0, max(0.0, v)) for v in (value - half, value, value + half))
    return Estimate(
        value=value,
        low=low,
        high=high,
        samples=draws,
        unit="ratio",
        kind="computed",
    )


def _text(value: Any) -> str:
    if isinstance(value, float):
        return f"{value:g}"
    return value_text(value)


def _notes(results: Sequence[Result]) -> tuple[str, ...]:
    """What was beyond the calibration at the ends, each once."""
    notes = dict.fromkeys(note for result in results for note in result.notes)
    return tuple(note for note in notes if "calibrated" in note)
