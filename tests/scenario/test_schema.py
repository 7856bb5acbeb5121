"""JSON Schemas: what an editor knows."""

from __future__ import annotations

from planecast.scenario import SCENARIO_KEYS, Scenario, json_schema
from planecast.scenario.study import StudyFile


def test_bounds_and_descriptions_reach_the_editor() -> None:
    placement = json_schema(Scenario)["$defs"]["Placement"]
    burst = placement["properties"]["burst"]
    assert {"type": "integer", "minimum": 1, "maximum": 256} in burst["anyOf"]
    assert burst["description"] == "Packets that are taken from a ring at a time, at most."
    assert placement["additionalProperties"] is False


def test_a_study_offers_every_dotted_key() -> None:
    listed, drawn = json_schema(StudyFile)["properties"]["hold_out"]["anyOf"]
    entry = listed["items"]["anyOf"][0]
    assert drawn["$ref"].endswith("Draw")
    assert entry["propertyNames"]["enum"] == list(SCENARIO_KEYS)
