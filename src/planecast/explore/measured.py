"""Measured results next to predicted ones: those that differ from a scenario in one key alone."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from planecast.explore.point import estimate_json
from planecast.results.result import Result
from planecast.scenario import Scenario, value_at
from planecast.scenario.model import list_text
from planecast.scenario.points import value_if_any
from planecast.workload.scenario_columns import COLUMNS

Json = dict[str, Any]

_KEYS = ("machine", "traffic.offered_pps", *COLUMNS)
"""What makes two measurements comparable: all that the closed form reads."""


def value_json(value: Any) -> Any:
    """A value as the page types it: lists as text."""
    return list_text(value) if isinstance(value, tuple | list) else value


def dots(measured: Sequence[Result], scenario: Scenario, varied: Sequence[str] = ()) -> list[Json]:
    """Measured results at a scenario, but for the `varied` keys, with their values of these."""
    found = [one for one in measured if alike(one.scenario, scenario, varied)]
    return [
        {
            "values": {key: value_json(value_at(one.scenario, key)) for key in varied},
            "throughput_pps": estimate_json(one.throughput_pps),
            "cycles_per_packet": estimate_json(one.cycles_per_packet),
            "started_at": one.manifest.started_at,
        }
        for one in found
    ]


def alike(one: Scenario, other: Scenario, varied: Sequence[str] = ()) -> bool:
    """Whether two scenarios ask the same of the closed form, but for the `varied` keys."""
    return one.forwards == other.forwards and all(
        _placing(one, key) == _placing(other, key) for key in _KEYS if key not in varied
    )


def _placing(scenario: Scenario, key: str) -> Any:
    return value_if_any(scenario, key)
