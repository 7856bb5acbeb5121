"""Answers a batch of a sweep's points, in whatever process: columns that Parquet can hold.

A point that can't be asked (more flows than the table has entries, a burst that no calibration
point had) has a sentence in the column `refused` and no answer; it stops no other point.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from planecast.engines.solve import solve, solve_many
from planecast.errors import InputError, PlanecastError
from planecast.model.calibration import Calibration
from planecast.model.supported import refuse_unmodelled
from planecast.model.target_platform import Site
from planecast.results.own_clock import in_own_clock
from planecast.results.result import Result
from planecast.scenario import with_overrides
from planecast.scenario.dataplane import OWN
from planecast.scenario.model import value_text
from planecast.scenario.own_clock import own_clock_factor
from planecast.scenario.scenario import Scenario
from planecast.scenario.workload import WITHOUT_FLOWS
from planecast.sweep.axes import Column
from planecast.sweep.hardware import beyond_calibration, split, with_factors
from planecast.sweep.job import Job
from planecast.workload.scenario_columns import COLUMNS, Choice

Columns = dict[str, NDArray[Any]]

ESTIMATES = ("throughput_pps", "cycles_per_packet")
_BOUNDED = ("placement.lcores",)
"""Numbers that other keys bound (CPUs, the cores of a machine): each is checked as a scenario."""
_BOUNDED_OF_OTHERS = (*_BOUNDED, "traffic.frame_bytes")
"""The same of a program that is not ours: not every one takes every frame."""
LATENCIES = {"mean": "mean", "p50": "p50", "p99": "p99", "p99.9": "p99_9"}


def answer(job_text: str, first: int) -> Columns:
    """The batch that begins with point `first`, of a Job as JSON text."""
    return answered_columns(_job(job_text), first)


def answered_columns(job: Job, first: int) -> Columns:
    """The batch that begins with point `first`: what was asked, and the answers."""
    plan = job.plan
    drawn = plan.columns(first, first + job.batch)
    size = min(first + job.batch, plan.points) - first
    answers = _solved(job, drawn, size) if job.engine == "solve" else _simulated(job, drawn, size)
    asked = {axis.key.replace(".", "_"): _stored(drawn[axis.key]) for axis in plan.axes}
    return {"point": np.arange(first, first + size), **asked, **answers}


@functools.lru_cache(maxsize=2)
def _job(text: str) -> Job:
    return Job.model_validate_json(text)


def _stored(column: Column) -> NDArray[Any]:
    if not isinstance(column, Choice):
        whole = np.all(column == np.rint(column))
        return column.astype(np.int64) if whole else column
    if all(isinstance(v, int | float) and not isinstance(v, bool) for v in column.values):
        return np.array(column.values)[column.index]
    texts = [None if v is None else value_text(v) for v in column.values]
    return np.array(texts, dtype=object)[column.index]


def _solved(job: Job, drawn: Mapping[str, Column], size: int) -> Columns:
    refused = np.full(size, None, dtype=object)
    found: dict[str, NDArray[Any]] = {
        f"{name}{end}": np.full(size, np.nan) for name in ESTIMATES for end in ("", "_low", "_high")
    }
    found |= {"capped_by": np.full(size, None, dtype=object), "extrapolates": np.zeros(size, bool)}

    def ask(base: Scenario, machine: Calibration, rows: NDArray[np.intp]) -> None:
        columns = {key: _rows(drawn[key], rows) for key in drawn if key in COLUMNS}
        # Without a column there would be one scenario, not one for each row.
        burst = np.full(len(rows), float(base.placement.burst))
        columns.setdefault("placement.burst", burst)
        clock = own_clock_factor(base.machine, machine.hierarchy.tsc_hz)
        for name, values in solve_many(base, columns, machine).items():
            cycles = name.startswith("cycles")
            found[name][rows] = np.asarray(values, float) * clock if cycles else values

    for base, factors, rows in _bases(job, drawn, refused):
        machine = with_factors(job.calibration, factors)
        _halving(functools.partial(ask, base, machine), rows, refused)
        found["extrapolates"][rows] |= bool(beyond_calibration(factors))
    return {**found, "refused": refused}


def _rows(column: Column, rows: NDArray[np.intp]) -> Column:
    if isinstance(column, Choice):
        return Choice(column.values, column.index[rows])
    return np.asarray(column[rows])


def _halving(
    ask: Callable[[NDArray[np.intp]], None], rows: NDArray[np.intp], refused: NDArray[Any]
) -> None:
    """Ask all rows; where one is refused, halves of them, so that the others are answered."""
    try:
        ask(rows)
    except InputError as error:
        if len(rows) == 1:
            refused[rows] = str(error)
            return
        for half in np.array_split(rows, 2):
            _halving(ask, half, refused)


def _bases(
    job: Job, drawn: Mapping[str, Column], refused: NDArray[Any]
) -> list[tuple[Scenario, dict[str, float], NDArray[np.intp]]]:
    """Scenarios and factors of the machine, over which columns vary, and the rows of each.

    Every combination of what are no numbers of the closed form is checked once, as a scenario.
    """
    plan = job.plan
    active = drawn.get("traffic.flows", np.asarray(plan.base.traffic.flows))
    own = plan.base.dataplane.kind == OWN
    has_flows = own and plan.base.workload.kind not in WITHOUT_FLOWS
    table = np.asarray(plan.base.workload.flows if has_flows else math.inf)
    entries = drawn.get("workload.flows", table) if has_flows else table
    assert not isinstance(active, Choice)  # keys of NUMBERS are arrays
    assert not isinstance(entries, Choice)
    crowded = np.broadcast_to(active > entries, refused.shape)
    refused[crowded] = "traffic.flows: more flows are active than workload.flows has entries"
    open_rows = np.flatnonzero(~crowded)
    bounded = _BOUNDED if own else _BOUNDED_OF_OTHERS
    special = [
        key
        for key in drawn
        if isinstance(drawn[key], Choice) or key not in COLUMNS or key in bounded
    ]
    combined: dict[tuple[Any, ...], list[NDArray[np.intp]]] = {}
    bases: dict[tuple[Any, ...], tuple[Scenario, dict[str, float]]] = {}
    for rows in _alike([_rows(drawn[key], open_rows) for key in special], open_rows):
        values = plan.values(dict(drawn), int(rows[0]))
        changes, factors = split(values)
        try:
            scenario = with_overrides(plan.base, changes)
            refuse_unmodelled([scenario], job.calibration.kind)
        except InputError as error:
            refused[rows] = str(error)
            continue
        kind = tuple(repr(values[key]) for key in special if key not in COLUMNS)
        bases.setdefault(kind, (scenario, factors))
        combined.setdefault(kind, []).append(rows)
    return [(*bases[kind], np.sort(np.concatenate(rows))) for kind, rows in combined.items()]


def _alike(columns: Sequence[Column], rows: NDArray[np.intp]) -> list[NDArray[np.intp]]:
    """The rows in groups that agree in every column."""
    if not columns or len(rows) == 0:
        return [rows] if len(rows) else []
    codes = [
        c.index if isinstance(c, Choice) else np.unique(c, return_inverse=True)[1] for c in columns
    ]
    _, group = np.unique(np.stack(codes), axis=1, return_inverse=True)
    order = np.argsort(group.ravel(), kind="stable")
    ends = np.flatnonzero(np.diff(group.ravel()[order])) + 1
    return [rows[part] for part in np.split(order, ends)]


def _simulated(job: Job, drawn: Mapping[str, Column], size: int) -> Columns:
    points = [job.plan.values(dict(drawn), row) for row in range(size)]
    results = answered(job, points)
    columns: dict[str, list[Any]] = {}
    for result in results:
        for name, value in result_row(result).items():
            columns.setdefault(name, []).append(value)
    return {name: _column(values) for name, values in columns.items()}


def answered(job: Job, points: Sequence[Mapping[str, Any]]) -> list[Result | str]:
    """The whole result of every point by the job's engine; a sentence for one that is refused."""
    found: list[Result | str] = [""] * len(points)
    groups: dict[tuple[tuple[str, float], ...], list[tuple[int, Scenario]]] = {}
    for number, point in enumerate(points):
        changes, factors = split(point)
        try:
            scenario = with_overrides(job.plan.base, changes)
        except InputError as error:
            found[number] = str(error)
        else:
            groups.setdefault(tuple(factors.items()), []).append((number, scenario))
    for kind, group in groups.items():
        factors = dict(kind)
        ask = functools.partial(_ask, job, with_factors(job.calibration, factors))
        results = ask([scenario for _, scenario in group])
        tsc_hz = job.calibration.hierarchy.tsc_hz
        for (number, _), result in zip(group, results, strict=True):
            own = in_own_clock(result, tsc_hz) if isinstance(result, Result) else result
            found[number] = _noted(own, beyond_calibration(factors))
    return found


def _noted(result: Result | str, notes: Sequence[str]) -> Result | str:
    if isinstance(result, str) or not notes:
        return result
    return result.model_copy(update={"notes": (*result.notes, *notes)})


def _ask(job: Job, machine: Calibration, asked: Sequence[Scenario]) -> list[Result | str]:
    """All scenarios at once; where one is refused, halves, so that the others are answered."""
    try:
        if job.engine == "solve":
            return list(solve(asked, machine, job.manifest))
        from planecast.engines.simulate.engine import simulate

        made = job.manifest
        return list(simulate(asked, machine, made, precision=job.precision, threads=1))
    except PlanecastError as error:
        if len(asked) == 1:
            return [str(error)]
        half = len(asked) // 2
        return _ask(job, machine, asked[:half]) + _ask(job, machine, asked[half:])


def result_row(result: Result | str) -> dict[str, Any]:
    """A result's columns, or those of a point that was refused with this sentence."""
    row: dict[str, Any] = {}
    known = result if isinstance(result, Result) else None
    for name in ESTIMATES:
        estimate = None if known is None else getattr(known, name)
        row[name] = None if estimate is None else estimate.value
        row[f"{name}_low"] = None if estimate is None else estimate.low
        row[f"{name}_high"] = None if estimate is None else estimate.high
    row["loss"] = loss_of(known) if known else None
    for name, stored in LATENCIES.items():
        latency = known.latency_ns.get(name) if known else None
        row[f"latency_ns_{stored}"] = None if latency is None else latency.value
    row["capped_by"] = known.capped_by if known else None
    row["extrapolates"] = known is not None and extrapolates(known)
    row["refused"] = None if known else str(result)
    return row


def extrapolates(result: Result) -> bool:
    """Whether a note says that something lies beyond what was calibrated."""
    if not Site.of(result.scenario).calibrated:
        return True
    marks = ("outside the calibrated", "not the calibrated machine's")
    return any(mark in note for note in result.notes for mark in marks)


def loss_of(result: Result) -> float | None:
    """Share of the packets that came in that were dropped, for whatever cause; None if unknown."""
    if not result.packets_in:
        return None
    return sum(result.drops.values()) / result.packets_in


def _column(values: list[Any]) -> NDArray[Any]:
    if any(isinstance(v, str) for v in values) or all(v is None for v in values):
        return np.array(values, dtype=object)
    if all(isinstance(v, bool) for v in values):
        return np.array(values)
    return np.array([np.nan if v is None else float(v) for v in values])
