"""JSON Schema of scenarios: a union by the kind of data plane, each with the keys that apply."""

from __future__ import annotations

import copy
from typing import Any

from planecast.scenario.conditional import condition_of
from planecast.scenario.dataplane import KINDS, OWN
from planecast.scenario.dataplanes.hosted import Kind
from planecast.scenario.scenario import Scenario
from planecast.scenario.schema import json_schema

_DEFS = "#/$defs/"


def scenario_schema() -> dict[str, Any]:
    """The JSON Schema (2020-12) of scenario files, as a person may write them."""
    whole = json_schema(Scenario)
    known: dict[str, Any] = whole["$defs"]
    defs: dict[str, Any] = {}
    for kind, noun in KINDS.items():
        defs[_variant(kind)] = _of_kind(whole, kind, noun, defs)
    for name, definition in known.items():
        defs.setdefault(name, definition)
    for noun in KINDS.values():
        _add_conditions(noun, defs[noun.__name__])
    return {
        "$schema": whole["$schema"],
        "title": whole["title"],
        "description": whole["description"],
        "type": "object",
        "oneOf": [{"$ref": _DEFS + _variant(kind)} for kind in KINDS],
        "$defs": _needed(defs, [_variant(kind) for kind in KINDS]),
    }


def _variant(kind: str) -> str:
    return f"Scenario-{kind}"


def _of_kind(
    whole: dict[str, Any], kind: str, noun: type[Kind], defs: dict[str, Any]
) -> dict[str, Any]:
    """A scenario with a data plane of one kind; sections of which it has less go into `defs`."""
    properties = copy.deepcopy(whole["properties"])
    about = properties["dataplane"].get("description", "")
    properties["dataplane"] = {"$ref": _DEFS + noun.__name__, "description": about}
    sections: dict[str, list[str]] = {}
    for key in noun.lacks:
        section, _, inner = key.partition(".")
        if inner:
            sections.setdefault(section, []).append(inner)
        else:
            del properties[section]
    for section, absent in sections.items():
        name = properties[section]["$ref"].removeprefix(_DEFS)
        own = f"{name}-{kind}"
        defs[own] = copy.deepcopy(whole["$defs"][name])
        for key in absent:
            del defs[own]["properties"][key]
        properties[section]["$ref"] = _DEFS + own
    required = list(whole.get("required", []))
    return {
        "title": f"A scenario of {kind}",
        "type": "object",
        "additionalProperties": False,
        "properties": properties,
        "required": required if kind == OWN else [*required, "dataplane"],
    }


def _add_conditions(noun: type[Kind], definition: dict[str, Any]) -> None:
    """Says which keys are there only for some values of another one."""
    rules = []
    for name, field in noun.model_fields.items():
        condition = condition_of(field)
        if condition is None:
            continue
        usual = noun.model_fields[condition.key].default in condition.values
        test: dict[str, Any] = {"properties": {condition.key: {"enum": list(condition.values)}}}
        if not usual:
            test["required"] = [condition.key]
        rules.append({"if": test, "else": {"properties": {name: False}}})
    if rules:
        definition["allOf"] = rules


def _needed(defs: dict[str, Any], names: list[str]) -> dict[str, Any]:
    """The definitions that these names lead to, in order."""
    found: dict[str, Any] = {}
    open_names = list(names)
    while open_names:
        name = open_names.pop(0)
        if name not in found:
            found[name] = defs[name]
            open_names += _references(defs[name])
    return found


def _references(node: Any) -> list[str]:
    if isinstance(node, list):
        return [name for inner in node for name in _references(inner)]
    if not isinstance(node, dict):
        return []
    own = [node["$ref"].removeprefix(_DEFS)] if isinstance(node.get("$ref"), str) else []
    return [*own, *(name for inner in node.values() for name in _references(inner))]
