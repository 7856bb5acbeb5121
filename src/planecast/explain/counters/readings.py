"""Readings: a tool's other figures as metrics, the mean over its rows with its interval."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator

import numpy as np

from planecast.explain.counters.explanation import ExplainedMetric
from planecast.instruments.recorded import Recording
from planecast.results.student import FEWEST_ROUNDS, mean_estimate
from planecast.topdown.plausible import impossible_clock

_UNITS = {"pcm-memory": "MB/s", "pcm-pcie": "lines/s"}
"""Units of columns that don't name theirs."""


_IN_MILLIONS = re.compile(r"(L[23](MISS|HIT)|INST|ACYC|TIME\(ticks\)|[QU]PI\d+)", re.IGNORECASE)
"""Columns of pcm that it prints in millions and does not say so. Versions before 2022 took 2^20."""
_SAYS_MILLIONS = "millions: pcm divides this by 10^6 (older versions by 2^20) and doesn't say so"


def explained_readings(recording: Recording) -> Iterator[ExplainedMetric]:
    """A metric a name and place; names that many places have are given for sockets alone."""
    found: dict[tuple[str, str], list[float | None]] = defaultdict(list)
    for reading in recording.readings:
        found[reading.place, reading.name].append(reading.value)
    for (place, name), values in found.items():
        if place.startswith("Core"):
            continue
        usable = np.array([value for value in values if value is not None])
        title = f"{place}: {name}" if place else name
        mark = _mark(name, usable) if usable.size else "no value"
        scaled = recording.tool == "pcm" and _IN_MILLIONS.fullmatch(name) is not None
        unit = "millions" if scaled else _unit(name, recording.tool)
        value = None
        if not mark and usable.size:
            value = mean_estimate(usable, unit, "measured", fewest=FEWEST_ROUNDS)
        if scaled and not mark:
            mark = _SAYS_MILLIONS
        yield ExplainedMetric(
            metric=name,
            title=title,
            group=recording.tool,
            value=value,
            marks=(mark,) if mark else (),
            place=place,
        )


def _mark(name: str, values: np.ndarray[tuple[int, ...], np.dtype[np.float64]]) -> str | None:
    if "FREQ" in name.upper() and "(" not in name:
        # pcm gives core clocks as a multiple of the nominal one, and the uncore's in GHz
        why = impossible_clock(float(values.max()) * 1e9)
        return f"impossible: {why}" if why else None
    if float(values.min()) < 0 and "TEMP" not in name.upper():
        return f"impossible: {values.min():.4g} is below 0"
    if float(values.max()) >= 2.0**63:
        return f"impossible: {values.max():.4g}, the counter ran below zero"
    return None


def _unit(name: str, tool: str) -> str:
    _, mark, behind = name.partition("(")
    return behind.rstrip(") ") if mark else _UNITS.get(tool, "as the tool names it")
