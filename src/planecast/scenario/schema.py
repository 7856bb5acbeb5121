"""JSON Schemas of the files that people write, for editors that complete and check them."""

from __future__ import annotations

from typing import Any, Literal

from planecast.scenario.model import Noun
from planecast.scenario.scenario import Scenario
from planecast.scenario.study import StudyFile

SchemaName = Literal["scenario", "study"]


def json_schema(name: SchemaName) -> dict[str, Any]:
    """The JSON Schema (2020-12) of a scenario file or a study file."""
    nouns: dict[SchemaName, type[Noun]] = {"scenario": Scenario, "study": StudyFile}
    schema = nouns[name].model_json_schema(mode="validation")
    return {"$schema": "https://json-schema.org/draft/2020-12/schema", **schema}
