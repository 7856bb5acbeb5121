"""JSON Schemas of the files that people write, for editors that complete and check them."""

from __future__ import annotations

from typing import Any

from planecast.scenario.model import Noun

_BOUNDS = (
    ("ge", "minimum"),
    ("le", "maximum"),
    ("gt", "exclusiveMinimum"),
    ("lt", "exclusiveMaximum"),
)


def json_schema(noun: type[Noun]) -> dict[str, Any]:
    """The JSON Schema (2020-12) of the files that hold a noun, as a person may write them."""
    schema = noun.model_json_schema(mode="validation")
    _bounds_to_numbers(schema)
    return {"$schema": "https://json-schema.org/draft/2020-12/schema", **schema}


def _bounds_to_numbers(node: Any) -> None:
    """Put bounds where JSON Schema has them: on the number, in a field that also takes text.

    pydantic leaves them beside ``anyOf`` under its own names, which no editor knows.
    """
    if isinstance(node, list):
        for inner in node:
            _bounds_to_numbers(inner)
    if not isinstance(node, dict):
        return
    for inner in node.values():
        _bounds_to_numbers(inner)
    for ours, theirs in _BOUNDS:
        bound = node.pop(ours, None) if "anyOf" in node else None
        for choice in node.get("anyOf", []):
            if bound is not None and choice.get("type") in ("integer", "number"):
                choice[theirs] = bound
