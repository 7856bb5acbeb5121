"""Recordings in which lcores was a CPU list."""

from __future__ import annotations

import json
from typing import Any

import pytest

from planecast.scenario.earlier_versions import text_in_todays_keys
from planecast.scenario.placement import Placement


@pytest.mark.parametrize(
    ("then", "now"),
    [
        ({"lcores": "1", "burst": 8}, {"lcores": 1, "burst": 8}),
        ({"lcores": "0-1,4"}, {"cpus": "0-1,4"}),
        ({"placement.lcores": "0-1", "x": 8}, {"placement.cpus": "0-1", "x": 8}),
    ],
)  # fmt: skip
@pytest.mark.parametrize("indent", [None, 1])
def test_a_list_becomes_cpus(then: dict[str, Any], now: dict[str, Any], indent: int | None) -> None:
    recorded = {"placement": {"lcores": "1"}, "also": then, "typed": "--set placement.lcores=0-1"}
    found = json.loads(text_in_todays_keys(json.dumps(recorded, indent=indent)))
    assert found["also"] == now
    assert found["typed"] == "--set placement.cpus=0-1"
    assert Placement.model_validate(found["placement"]) == Placement()


@pytest.mark.parametrize(
    "text",
    ['{"placement": {"cpus": "0-1", "lcores": 2}}', '{"lcores": {"1": {"busy": 0.5}}}', "no JSON"],
)
def test_what_is_of_today_stays(text: str) -> None:
    assert text_in_todays_keys(text) == text
