"""Which keys span a calibration, and which of a scenario's values lie outside of them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from planecast.scenario.scenario import Scenario
from planecast.workload.scenario_columns import ScenarioColumns

Floats = NDArray[np.float64]

COORDINATES = (
    "workload.acl_rules",
    "workload.flows",
    "workload.routes",
    "traffic.flows",
    "traffic.frame_bytes",
    "placement.burst",
    "placement.rx_ring",
    "placement.tx_ring",
    "lcores",
    "4KiB pages",
    "neighbour bytes",
)
"""What places a scenario among others."""


def coordinates(asked: ScenarioColumns | Sequence[Scenario]) -> dict[str, Floats]:
    """The numbers that place scenarios among others."""
    questions = asked if isinstance(asked, ScenarioColumns) else ScenarioColumns.of(asked)
    small = questions.choices["placement.page_size"].each(lambda size: size == "4KiB")
    numbers = {
        **questions.numbers,
        "traffic.flows": sum((own for _, own in questions.by_class), np.zeros(questions.size)),
        "traffic.frame_bytes": questions.largest_frame,
        "lcores": questions.lcores,
        "4KiB pages": small,
        "neighbour bytes": questions.choices["neighbour"].each(lambda one: one.all_bytes),
    }
    return {key: numbers[key] for key in COORDINATES}


def ranges_of(scenarios: Sequence[Scenario]) -> dict[str, tuple[float, ...]]:
    """Lowest and highest value of each key."""
    columns = coordinates(scenarios)
    return {key: (float(column.min()), float(column.max())) for key, column in columns.items()}


def any_outside(
    asked: ScenarioColumns | Sequence[Scenario], ranges: Mapping[str, Sequence[float]]
) -> NDArray[np.bool_]:
    """Which scenarios have a value outside the calibrated range."""
    columns = coordinates(asked)
    found = np.zeros(columns["lcores"].shape, dtype=np.bool_)
    for key, column in columns.items():
        if key in ranges:
            low, high = ranges[key]
            found |= (column < low) | (column > high)
    return found


def outside(scenario: Scenario, ranges: Mapping[str, Sequence[float]]) -> list[str]:
    """The keys whose value lies outside the calibrated range, with both, as sentences."""
    found = []
    for key, (value,) in coordinates([scenario]).items():
        low, high = ranges.get(key, (value, value))
        if not low <= value <= high:
            found.append(f"{key}={value:g} lies outside the calibrated {low:g} to {high:g}")
    return found
