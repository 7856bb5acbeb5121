"""The closed form of many scenarios as columns: what a sweep stores, and no object for a point."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from planecast.model.calibration import Calibration
from planecast.model.prediction import predict
from planecast.model.supported import refuse_absent_cpus, refuse_unmodelled
from planecast.model.target_platform import Site
from planecast.model.transfer import transferred
from planecast.scenario.scenario import Scenario
from planecast.workload.scenario_columns import Choice, Floats, ScenarioColumns

CHUNK = 8192
"""Scenarios at a time: more would not stay in the caches, fewer would pay for numpy's calls."""


def solve_many(
    base: Scenario, columns: Mapping[str, Floats | Choice], calibration: Calibration
) -> dict[str, NDArray[np.generic]]:
    """What `solve` says of a base scenario with these columns (`ScenarioColumns.over`), as columns.

    They are throughput_pps, cycles_per_packet (TSC cycles), both with _low and _high (95 %),
    capped_by (core or memory) and extrapolates (a key outside its calibrated range). The caller
    checked the values. Raises InputError for what the model doesn't know.
    """
    refuse_unmodelled([base], calibration.kind)
    asked = ScenarioColumns.over(base, columns)
    refuse_absent_cpus(base, int(np.max(asked.lcores, initial=0)), calibration)
    at = transferred(calibration, Site.of(base))
    parts = [
        _answers(asked.part(first, first + CHUNK), at.calibration)
        for first in range(0, asked.size, CHUNK)
    ]
    found = {name: np.concatenate([part[name] for part in parts]) for name in parts[0]}
    # What is transferred to another site rests on assumptions, wherever the numbers lie.
    found["extrapolates"] = found["extrapolates"].astype(np.bool_) | bool(at.notes)
    return found


def _answers(asked: ScenarioColumns, calibration: Calibration) -> dict[str, NDArray[np.generic]]:
    predicted = predict(asked, calibration, by_stage=False)
    low, high = predicted.interval
    clock = calibration.hierarchy.tsc_hz * asked.lcores
    return {
        "throughput_pps": clock / predicted.value,
        "throughput_pps_low": clock / high,
        "throughput_pps_high": clock / low,
        "cycles_per_packet": predicted.value,
        "cycles_per_packet_low": low,
        "cycles_per_packet_high": high,
        "capped_by": np.where(predicted.capped_by_memory, "memory", "core"),
        "extrapolates": predicted.extrapolates,
    }
