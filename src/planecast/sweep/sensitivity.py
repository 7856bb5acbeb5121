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
from planecast.model.calibration import Calibration
from planecast.progress import Progress
from planecast.results.estimate import Estimate
from planecast.results.result import Result
from planecast.results.sensitivity import Sensitivity, Swing
from planecast.scenario import value_at, value_if_any, with_overrides
from planecast.scenario.dataplane import OWN
from planecast.scenario.model import value_text
from planecast.scenario.scenario import Scenario
from planecast.sweep.answer import answered
from planecast.sweep.axes import Axis, Column, parse_axis, value_of
from planecast.sweep.hardware import FACTORS
from planecast.sweep.job import Job
from planecast.workload.scenario_columns import NUMBERS, ScenarioColumns
from planecast.workload.sizes import Sizes
from planecast.workload.stages.registry import stages_of

_BATCH = 64
_WITHOUT = "--draws 0 for the tornado alone"
_END = "an end of an axis"
_SIZES = ("workload.", "traffic.")
"""Sections of ours with numbers that sizes of tables follow from."""


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
    tornado = [
        _whole(result, _END if number else "the scenario")
        for number, result in enumerate(answered(job, points))
    ]
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


def default_axes(base: Scenario, calibration: Calibration) -> list[str]:
    """What is varied when nothing is named: the machine's components, and the numbers that what is
    touched follows, as words for `parse_axis`: half to twice as much of each. Of ours these are
    sizes of the tables that its stages touch, of a program of others the keys that its traces
    changed: the model knows no effect of any other."""
    words = [f"{key}=0.5:2:log" for key in FACTORS]
    program = calibration.program
    ours = base.dataplane.kind == OWN
    sizes = [key for key in NUMBERS if key.startswith(_SIZES)] if ours else ()
    for key in program.keys if program is not None else sizes:
        value = value_if_any(base, key)
        if not isinstance(value, int):
            continue
        low, high = (_nearest(base, key, end) for end in (max(2, value // 2), 2 * value))
        low = min(low, value)
        if low < high and (program is not None or _touched_lines_follow(base, key, (low, high))):
            words.append(_as_words(key, low, value, high))
    return words


def _nearest(base: Scenario, key: str, wanted: int) -> int:
    """The value of a key between the base's and a wanted one, which other keys or its own limit may
    forbid, that is nearest to that."""
    known, limit = int(value_at(base, key)), wanted
    if _valid(base, key, wanted):
        return wanted
    while abs(limit - known) > 1:
        middle = (limit + known) // 2
        known, limit = (middle, limit) if _valid(base, key, middle) else (known, middle)
    return known


def _valid(base: Scenario, key: str, value: int) -> bool:
    try:
        with_overrides(base, {key: value})
    except InputError:
        return False
    return True


def _as_words(key: str, low: int, value: int, high: int) -> str:
    """A range; the three values of a key that takes some whole numbers alone."""
    span = f"{key}={low}:{high}:log"
    try:
        parse_axis(span)
    except InputError:
        return f"{key}={','.join(str(one) for one in dict.fromkeys((low, value, high)))}"
    return span


def _touched_lines_follow(base: Scenario, key: str, ends: tuple[int, int]) -> bool:
    """Whether the lines that the stages touch change with a key."""
    sizes = Sizes(ScenarioColumns.over(base, {key: np.array(ends, dtype=np.float64)}))
    regions = (r for stage in stages_of(base.forwards) for r in stage.regions(sizes))
    columns = (region.touches * region.lines for region in regions)
    return any(column[0] != column[-1] for column in columns)


def _ends(axis: Axis) -> tuple[Any, Any]:
    column = axis.drawn(np.array([0.0, 1.0]))
    return value_of(axis, column, 0), value_of(axis, column, 1)


def _whole(result: Result | str, what: str) -> Result:
    if isinstance(result, str):
        advice = "vary it over a smaller range" if what == _END else ""
        raise InputError(f"{what} can't be answered: {result}", "--vary" if advice else "", advice)
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
