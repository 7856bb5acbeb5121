"""Recordings in which keys and stages had other names."""

from __future__ import annotations

import json
from typing import Any

import pytest

from planecast.scenario.earlier_versions import in_todays_words, text_in_todays_keys
from planecast.scenario.placement import Placement


@pytest.mark.parametrize(
    ("then", "now"),
    [
        ({"lcores": "1", "burst": 8}, {"lcores": 1, "burst": 8}),
        ({"lcores": "0-1,4"}, {"cpus": "0-1,4"}),
        ({"placement.lcores": "0-1", "x": 8}, {"placement.cpus": "0-1", "x": 8}),
        ({"handover_ring": 64, "ring_wait": True}, {"handoff_ring": 64, "ring_wait": True}),
        ({"placement.handover_ns": 40.0}, {"placement.handoff_ns": 40.0}),
        ({"take": {"x": 1}, "hand": {"x": 2}}, {"dequeue": {"x": 1}, "enqueue": {"x": 2}}),
    ],
)  # fmt: skip
@pytest.mark.parametrize("indent", [None, 1])
def test_keys_get_todays_names(
    then: dict[str, Any], now: dict[str, Any], indent: int | None
) -> None:
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


def test_a_recorded_scenario_gets_todays_keys() -> None:
    recorded = {"dataplane": {"kind": "ours"}, "placement": {"handover_ring": 64}}
    assert in_todays_words(recorded)["placement"] == {"handoff_ring": 64}
