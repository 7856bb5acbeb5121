"""The closed form of many scenarios as columns: what a sweep stores, and no object for a point."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from planecast.engines.solve.calibration import Calibration
from planecast.engines.solve.carry import carried
from planecast.engines.solve.engine import interval_of, predicted_cycles
from planecast.engines.solve.known import refuse_unmodelled
from planecast.engines.solve.questions import Choice, Floats, Questions
from planecast.engines.solve.site import Site
from planecast.engines.solve.unheeded import refuse_too_many_lcores
from planecast.scenario.scenario import Scenario

CHUNK = 8192
"""Scenarios at a time: more would not stay in the caches, fewer would pay for numpy's calls."""


def solve_many(
    base: Scenario, columns: Mapping[str, Floats | Choice], calibration: Calibration
) -> dict[str, NDArray[np.generic]]:
    """What `solve` says of a base scenario with these columns (`Questions.over`), as columns.

    They are throughput_pps, cycles_per_packet (TSC cycles), both with _low and _high (95 %),
    capped_by (core or memory) and extrapolates (a key outside its calibrated range). The caller
    checked the values. Raises InputError for what the model doesn't know.
    """
    refuse_unmodelled([base], any_workload=calibration.any_workload)
    questions = Questions.over(base, columns)
    refuse_too_many_lcores(base, int(np.max(questions.lcores, initial=0)), calibration)
    at = carried(calibration, Site.of(base))
    parts = [
        _answers(questions.part(first, first + CHUNK), at.calibration)
        for first in range(0, questions.size, CHUNK)
    ]
    found = {name: np.concatenate([part[name] for part in parts]) for name in parts[0]}
    # What is carried to another site rests on assumptions, wherever the scenario's numbers lie.
    found["extrapolates"] = found["extrapolates"].astype(np.bool_) | bool(at.notes)
    return found


def _answers(questions: Questions, calibration: Calibration) -> dict[str, NDArray[np.generic]]:
    predicted = predicted_cycles(questions, calibration, by_stage=False)
    low, high = interval_of(predicted.value, predicted.half_width)
    clock = calibration.hierarchy.tsc_hz * questions.lcores
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
