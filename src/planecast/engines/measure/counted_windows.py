"""Which windows of a point count: undisturbed, of steady visits, the CPUs where they usually are.

Where too few are left, the demands are given up in turn, and a note says which.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from planecast.engines.measure.machine_state import INCLUDED, moved_note, usual_rows
from planecast.engines.measure.quiet_windows import undisturbed_windows
from planecast.instruments.canary import lines
from planecast.results.result import FEW_WINDOWS
from planecast.results.trials import Columns

Mask = NDArray[np.bool_]

MIN_WINDOWS = 20
"""Undisturbed windows that an lcore's estimate needs; with fewer, disturbed ones are
used instead, and the result says so."""
NOT_STEADY = "not steady"
"""How the note of a result begins some of whose visits weren't steady."""


@dataclass(frozen=True)
class CountedWindows:
    """What an estimate rests on."""

    rows: Mask
    steady_share: float
    """Share of the point's visits that were steady."""
    notes: list[str]


def counted_windows(
    columns: Columns, rows: Mask, good: Mask, cpus: Sequence[int], *, usual_only: bool
) -> CountedWindows:
    """Those of a point's `rows` that count, on each of its CPUs. `good` marks undisturbed ones;
    `usual_only`: what other CPUs do matters, so they must be where they usually are
    (`usual_rows`)."""
    steady = steady_rows(columns)
    there = usual_rows(columns) if usual_only else np.ones_like(rows)
    used = np.zeros_like(rows)
    unsteady_counted = moved_counted = False
    few = []
    for cpu in cpus:
        # Each lcore has its own neighbours: one may be disturbed while another isn't.
        own = rows & of_cpu(columns, cpu)
        if int((own & good & there).sum()) >= MIN_WINDOWS:
            own = own & there
        else:
            moved_counted = True
        chosen = own & good & steady
        if not _enough_steady(columns, own & good, steady):
            chosen = own & good
            unsteady_counted = True
        if int(chosen.sum()) < MIN_WINDOWS:
            chosen = _least_disturbed(columns, own, good & of_cpu(columns, cpu))
            on = f" on CPU {cpu}" if len(cpus) > 1 else ""
            few.append(
                f"{FEW_WINDOWS}{on}, {int((own & good).sum())} of {int(own.sum())}, so the "
                f"{int(chosen.sum())} least disturbed were used: the true cost may be lower"
            )
        used |= chosen
    notes = _unsteady_note(columns, rows, steady, counted=unsteady_counted) + few
    notes += moved_note(columns, rows, rows & ~there, counted=moved_counted)
    visits = max(_visits(columns, rows), 1)
    return CountedWindows(used, 1 - _visits(columns, rows & ~steady) / visits, notes)


def canary_pairs(columns: Columns) -> NDArray[np.float64]:
    """The compute canaries of every window, of shape (windows, 2): before and after."""
    names = ("canary_compute_before", "canary_compute_after")
    return np.stack([np.asarray(columns[name], dtype=np.float64) for name in names], axis=1)


def undisturbed_rows(columns: Columns) -> Mask:
    """Which windows are undisturbed (`undisturbed_windows`), each visit and CPU by itself.

    Rows of one visit and CPU stand together, in the order that they were taken in.
    """
    pairs = canary_pairs(columns)
    cycles, packets = (np.asarray(columns[n], dtype=np.float64) for n in ("cycles", "packets"))
    cpus, visits = np.asarray(columns["cpu"]), np.asarray(columns["visit"])
    known = {cpu: lines(pairs[cpus == cpu]) for cpu in np.unique(cpus)}
    new = (np.diff(visits) != 0) | (np.diff(cpus) != 0)
    starts = np.flatnonzero(np.concatenate([[True], new]))
    good = np.zeros(len(pairs), dtype=np.bool_)
    for start, end in zip(starts, [*starts[1:], len(pairs)], strict=True):
        rows = slice(start, end)
        good[rows] = undisturbed_windows(
            pairs[rows], cycles[rows], packets[rows], known[cpus[start]]
        )
    return good


def steady_rows(columns: Columns) -> Mask:
    """Which windows are of a visit that was steady when they began."""
    found = columns.get("steady")
    if found is None:
        return np.ones(len(columns["cycles"]), dtype=np.bool_)
    return np.asarray(found, dtype=np.bool_)


def _enough_steady(columns: Columns, good: Mask, steady: Mask) -> bool:
    """Whether half of the process instances or more have enough windows of steady visits: those of
    a few instances alone would have an interval that is too narrow."""
    restarts = np.asarray(columns["restart"])

    def instances(rows: Mask) -> int:
        return int((np.unique(restarts[rows], return_counts=True)[1] >= MIN_WINDOWS).sum())

    return int((good & steady).sum()) >= MIN_WINDOWS and (
        2 * instances(good & steady) >= instances(good)
    )


def _visits(columns: Columns, rows: Mask) -> int:
    return len(np.unique(np.asarray(columns["visit"])[rows]))


def _unsteady_note(columns: Columns, rows: Mask, steady: Mask, *, counted: bool) -> list[str]:
    """A sentence where some visits weren't steady."""
    some = _visits(columns, rows & ~steady)
    if some == 0:
        return []
    what = f"{INCLUDED}: the steady cost may be lower" if counted else "not counted"
    return [
        f"{NOT_STEADY}: {some} of {_visits(columns, rows)} visits when their warm-up ended, {what}"
    ]


def _least_disturbed(columns: Columns, own: Mask, good: Mask) -> Mask:
    """Those of the rows whose canaries are nearest to what undisturbed ones read, those of all
    points on this CPU, or lowest where there are none: a tenth, and at least MIN_WINDOWS."""
    pairs = canary_pairs(columns)
    usual = float(np.median(pairs[good])) if good.any() else 0.0
    worst = np.where(own, np.abs(pairs - usual).max(axis=1), np.inf)
    count = min(int(own.sum()), max(MIN_WINDOWS, int(own.sum()) // 10))
    chosen = np.zeros_like(own)
    chosen[np.argsort(worst, kind="stable")[:count]] = True
    return chosen


def of_cpu(columns: Columns, cpu: int) -> Mask:
    """Rows of one CPU."""
    return np.asarray(np.asarray(columns["cpu"]) == cpu)
