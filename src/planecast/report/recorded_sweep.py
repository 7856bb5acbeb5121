"""A recorded sweep as controls in the page: its points as data that a small script answers from.

A reader sets the varied keys and gets the recorded answer, a curve over any key, a heat map over
any two and the Pareto front, without a model, a server or a network. ``template/recorded.js`` does
it; here is what it gets.
"""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from planecast.report.colours import MEASURED, SCALE, WORSE, faint
from planecast.report.figures.style import new_figure
from planecast.report.numbers import is_wide
from planecast.report.page import RecordedSweep
from planecast.report.sweep_points import SweepPoints, digits_of
from planecast.sweep import Job
from planecast.sweep.hardware import FACTORS

MOST_POINTS = 50_000
"""Of a page, which each makes some 40 bytes larger. A larger grid keeps fewer values of its longest
axes, their ends among them; of a larger Latin hypercube it has the first points."""

_METRICS = (
    ("throughput_pps", "Mpps", 1e-6),
    ("cycles_per_packet", "cycles/packet", 1.0),
    ("loss", "% lost", 100.0),
    ("latency_ns_p99", "µs of latency, 99th percentile", 1e-3),
)
"""Columns of a sweep that controls show, their units and scales; those that a sweep has."""
_SWEEP_OPTIONS = {"--vary", "--sample", "-n", "--points", "--workers", "--dask"}
"""Options of ``sweep`` that ``predict`` doesn't have, each with a value."""


def recorded_sweep(job: Job, points: SweepPoints) -> RecordedSweep | None:
    """The controls of a sweep; None when nothing varies or nothing was answered."""
    keys = points.by_effect()
    if not keys:
        return None
    rows = _kept(points, keys) if _is_grid(points, keys) else np.arange(len(points.mpps))
    rows = rows[:MOST_POINTS]
    data = _data(job, points, keys, rows)
    total = len(points.mpps)
    some = f" The page has {rows.size:,} of {total:,} points." if rows.size < total else ""
    nearest = "" if data["grid"] else " The nearest recorded point answers."
    return RecordedSweep(
        "recorded",
        "What if: the recorded points",
        f"Set the keys that the sweep varied. Every number was {points.kind} when it ran; "
        f"nothing is computed again.{nearest}{some}",
        data,
    )


def _kept(points: SweepPoints, keys: Sequence[str]) -> NDArray[np.intp]:
    """Rows of a grid that the page has: all, or a coarser grid's."""
    values = {key: _codes(points, key) for key in keys}
    counts = {key: int(codes.max()) + 1 for key, codes in values.items()}
    while np.prod(list(counts.values())) > MOST_POINTS:
        longest = max(counts, key=lambda key: counts[key])
        counts[longest] = max(2, counts[longest] * 3 // 4)
    keep = np.ones(len(points.mpps), dtype=bool)
    for key, codes in values.items():
        places = np.linspace(0, int(codes.max()), counts[key]).round().astype(np.intp)
        keep &= np.isin(codes, places)
    return np.flatnonzero(keep)


def _is_grid(points: SweepPoints, keys: Sequence[str]) -> bool:
    """Whether there is one point for each combination of the keys' values."""
    size = np.prod([int(_codes(points, key).max()) + 1 for key in keys])
    return bool(size == len(points.mpps))


def _codes(points: SweepPoints, key: str) -> NDArray[np.intp]:
    """The place of each point's value among the key's distinct ones: numbers in their order, words
    as they come."""
    return _distinct(points, key)[1]


def _distinct(points: SweepPoints, key: str) -> tuple[list[Any], NDArray[np.intp]]:
    values = points.values(key)
    if points.is_number(key):
        found, codes = np.unique(values, return_inverse=True)
        return found.tolist(), codes.ravel().astype(np.intp)
    texts = ["not set" if value is None else str(value) for value in values]
    names = list(dict.fromkeys(texts))
    places = {name: at for at, name in enumerate(names)}
    return names, np.array([places[text] for text in texts], dtype=np.intp)


def _data(
    job: Job, points: SweepPoints, keys: Sequence[str], rows: NDArray[np.intp]
) -> dict[str, Any]:
    columns = points.columns
    return {
        "kind": points.kind,
        "grid": _is_grid(points, keys),
        "keys": [_key(points, key, rows) for key in keys],
        "at": [_renumbered(_codes(points, key)[rows])[1].tolist() for key in keys],
        "metrics": [
            {"name": name, "unit": unit, **_metric(points, name, scale, rows)}
            for name, unit, scale in _METRICS
            if name in columns and np.isfinite(np.asarray(columns[name], dtype=np.float64)).any()
        ],
        "limits": _words(points.limits[rows]),
        "refused": _words(np.array([text or "" for text in columns["refused"][rows]], object)),
        "beyond": np.flatnonzero(points.beyond[rows]).tolist(),
        "first": _first(points, rows),
        "command": _command(job, keys),
        "layout": new_figure(320, hovermode="closest").to_plotly_json()["layout"],
        "colours": {
            "line": MEASURED,
            "band": faint(MEASURED, 0.2),
            "here": WORSE,
            "scale": SCALE,
        },
    }


def _renumbered(codes: NDArray[np.intp]) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """(the codes that occur, each point's place among them)."""
    found, places = np.unique(codes, return_inverse=True)
    return found, places.ravel()


def _key(points: SweepPoints, key: str, rows: NDArray[np.intp]) -> dict[str, Any]:
    values, codes = _distinct(points, key)
    values = [values[at] for at in _renumbered(codes[rows])[0]]
    if not points.is_number(key):
        return {"key": key, "names": values, "numbers": None, "log": False}
    return {
        "key": key,
        "names": [digits_of(value) for value in values],
        "numbers": values,
        "log": is_wide(float(values[0]), float(values[-1])),
    }


def _metric(
    points: SweepPoints, name: str, scale: float, rows: NDArray[np.intp]
) -> dict[str, list[float | None] | None]:
    ends = {"value": name, "low": f"{name}_low", "high": f"{name}_high"}
    return {
        end: _numbers(scale * np.asarray(points.columns[column][rows], dtype=np.float64))
        if column in points.columns
        else None
        for end, column in ends.items()
    }


def _numbers(values: NDArray[np.float64]) -> list[float | None]:
    """Six digits of each: two more than are shown, and a third of the bytes of all."""
    return [float(f"{value:.6g}") if np.isfinite(value) else None for value in values]


def _words(texts: NDArray[np.object_]) -> dict[str, list[Any]]:
    """The distinct texts, and the place of each point's among them."""
    names = list(dict.fromkeys(texts.tolist()))
    places = {name: at for at, name in enumerate(names)}
    return {"names": names, "at": [places[text] for text in texts.tolist()]}


def _first(points: SweepPoints, rows: NDArray[np.intp]) -> int:
    """The point that the controls begin with: the fastest within the calibrated range, else the
    fastest."""
    rate = np.where(points.answered[rows], points.mpps[rows], -1.0)
    inside = ~points.beyond[rows] & (rate >= 0)
    return int(np.argmax(np.where(inside, rate, -1.0) if inside.any() else rate))


def _command(job: Job, keys: Sequence[str]) -> str | None:
    """The command that asks the model for a point again, but for its ``--set``; None where the
    sweep's own command doesn't say it. It names the calibration: the latest may be another by
    then."""
    words = shlex.split(job.manifest.command)
    if words[1:2] != ["sweep"] or "--resume" in words or any(key in FACTORS for key in keys):
        return None
    kept, skip = [], False
    for word in words[2:]:
        name = word.partition("=")[0]
        if not skip and name not in _SWEEP_OPTIONS:
            kept.append(word)
        skip = not skip and word in _SWEEP_OPTIONS
    basis = job.manifest.calibration
    if basis is not None and not any(word.startswith("--calibration") for word in kept):
        kept += ["--calibration", basis.run]
    return shlex.join([words[0], "predict", *kept])
