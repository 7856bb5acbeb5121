"""The page of a sweep: the best points, controls over all of them, heat maps, every point."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import combinations

import numpy as np

from planecast.report.figures.heat_map import heat_map
from planecast.report.figures.stage_bars import CYCLES
from planecast.report.figures.sweep_scatter import MOST_POINTS, shown_points, sweep_scatter
from planecast.report.labels import unique
from planecast.report.numbers import count_text, digits, estimate_text
from planecast.report.page import Page, Section, Verdict, drawing, machine_text
from planecast.report.recorded_sweep import recorded_sweep
from planecast.report.result_table import result_table, stage_table
from planecast.report.sweep_points import SweepPoints, digits_of
from planecast.report.table import Cell, Heading, Table, number_cell
from planecast.report.warnings import Warned, notes_of
from planecast.results import Result
from planecast.results.scenario_labels import label_of
from planecast.results.trials import Columns
from planecast.scenario import point_label
from planecast.sweep import Job
from planecast.sweep.hardware import FACTORS

_MOST_ROWS = 500
"""Points of the table; ``planecast query`` has all."""
_MOST_AXES = 3
"""Axes of which every pair has a heat map, and each a panel."""


def sweep_page(job: Job, best: Sequence[Result], columns: Columns) -> Page:
    """What the report of a complete sweep says; `best` are its points with most packets a second,
    `columns` those of its ``sweep.parquet``."""
    points = SweepPoints.of(job, columns)
    labels = _labels(job, points, best)
    return Page(
        title=f"Sweep of {job.plan.base.name}",
        verdict=_verdict(job, points, labels, best),
        machine=machine_text(job.manifest),
        cards=[],
        sections=list(_sections(job, points, labels, best)),
        manifests=[job.manifest],
        warnings=list(_warnings(points)),
        notes=notes_of(labels, best),
    )


def _labels(job: Job, points: SweepPoints, best: Sequence[Result]) -> list[str]:
    """The best points by all keys that vary."""
    keys = [axis.key for axis in points.axes]
    if any(key in FACTORS for key in keys):  # no scenario has those
        rows = points.fastest()[: len(best)]
        return unique([point_label(job.plan.point(row)) for row in rows.tolist()])
    return unique([label_of(result.scenario, keys) for result in best])


def _verdict(
    job: Job, points: SweepPoints, labels: Sequence[str], best: Sequence[Result]
) -> Verdict:
    keys = ", ".join(axis.key for axis in points.axes)
    beyond = int(np.sum(points.beyond & points.answered))
    quality = [f"limited by {best[0].capped_by}"] if best[0].capped_by else []
    quality += _within(job, points)
    quality += [f"{count_text(beyond, 'point')} beyond the calibrated range"] if beyond else []
    return Verdict(
        f"Which of {count_text(len(points.mpps), 'point')} over {keys} forwards most?",
        f"{labels[0]}: {estimate_text(best[0].throughput_pps.scaled(1e-6, 'Mpps'))}",
        "; ".join(quality),
    )


def _within(job: Job, points: SweepPoints) -> list[str]:
    """What to know of a fastest point that is beyond the calibrated range."""
    fastest = points.fastest()
    if not points.beyond[fastest[0]]:
        return []
    inside = fastest[~points.beyond[fastest]]
    if inside.size == 0:
        return ["this point is beyond the calibrated range, as all are"]
    rate = digits(float(points.mpps[inside[0]]))
    where = point_label(job.plan.point(int(inside[0])))
    return [f"this point is beyond the calibrated range; the fastest within: {where}, {rate} Mpps"]


def _sections(
    job: Job, points: SweepPoints, labels: list[str], best: Sequence[Result]
) -> Iterator[Section]:
    table = result_table(labels, best)
    yield replace(table, title="The points with most packets a second")
    controls = recorded_sweep(job, points)
    if controls is not None:
        yield controls
    keys = points.by_effect()[:_MOST_AXES]
    for number, (up, across) in enumerate(combinations(keys, 2)):
        others = len(points.axes) > 2
        yield from drawing(
            f"heat-{number}",
            f"Throughput over {across} and {up}",
            f"Mpps, {points.kind}{': the median over what else varies' if others else ''}. "
            "Intervals are shown where the pointer rests.",
            heat_map(points, across, up),
            detail=number > 0,
        )
    if keys:
        count = int(np.sum(points.answered))
        some = (
            f"{len(shown_points(points)):,} of {count:,}" if count > MOST_POINTS else f"{count:,}"
        )
        for number, key in enumerate(keys):
            yield from drawing(
                f"scatter-{number}",
                f"Every point against {key}",
                f"{some} points, {points.kind}; the keys that move throughput most come first.",
                sweep_scatter(points, key),
                detail=number > 0,
            )
    yield from _refused(points)
    stages = stage_table(labels, best, CYCLES)
    if stages is not None:
        yield replace(stages, detail=True)
    yield _point_table(points)


def _refused(points: SweepPoints) -> Iterator[Table]:
    if points.refusals:
        yield Table(
            "refused",
            "Points that were refused",
            "By the reason; the others were answered.",
            [Heading("reason"), Heading("points", number=True)],
            [
                [Cell(why), Cell(f"{count:,}", value=count)]
                for why, count in points.refusals.items()
            ],
        )


def _point_table(points: SweepPoints) -> Table:
    """The fastest points, a row each."""
    rows = points.fastest()
    more = f" The first {_MOST_ROWS} of {rows.size:,}; planecast query has all: FROM sweeps."
    limits = points.limits
    return Table(
        "all-points",
        "Points, the fastest first",
        f"Brackets hold 95 % intervals.{more if rows.size > _MOST_ROWS else ''}",
        [
            *(Heading(axis.key, number=points.is_number(axis.key)) for axis in points.axes),
            Heading("throughput", f"Mpps, {points.kind}", number=True),
            Heading("cycles", f"cycles/packet, {points.kind}", number=True),
            Heading("limited by"),
            Heading("beyond the calibrated range"),
        ],
        [
            [
                *(_axis_cell(points, axis.key, row) for axis in points.axes),
                _estimate(points, "throughput_pps", row, 1e-6),
                _estimate(points, "cycles_per_packet", row, 1.0),
                Cell(limits[row]),
                Cell("yes" if points.beyond[row] else ""),
            ]
            for row in rows[:_MOST_ROWS]
        ],
        detail=True,
    )


def _axis_cell(points: SweepPoints, key: str, row: np.intp) -> Cell:
    value = points.values(key)[row]
    if not points.is_number(key):
        return Cell(str(value))
    return Cell(digits_of(float(value)), value=float(value))


def _estimate(points: SweepPoints, name: str, row: np.intp, scale: float) -> Cell:
    value, low, high = (
        scale * float(points.columns[f"{name}{end}"][row]) for end in ("", "_low", "_high")
    )
    cell = number_cell(value)
    if not (np.isfinite(low) and np.isfinite(high)):
        return cell
    ends = (number_cell(low).text, number_cell(high).text)
    return replace(cell, detail=f"[{ends[0]}, {ends[1]}]", interval=(low, high))


def _warnings(points: SweepPoints) -> Iterator[Warned]:
    refused = sum(points.refusals.values())
    if refused:
        yield Warned(
            "points-refused",
            f"{refused:,} of {len(points.mpps):,} points were refused.",
            "The reasons are in a table.",
        )
