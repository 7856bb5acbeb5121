"""The reference of a scenario's keys, made from its JSON Schema."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import Any

from planecast.scenario.schema_by_kind import scenario_schema

PATH = "reference/keys.md"

_HEAD = """# Keys of a scenario

A scenario file is YAML with these sections; each key has a default, so a file holds only what
differs. `--set SECTION.KEY=VALUE` changes one for a run. An unknown key is an error with the file
and line. `planecast schema scenario` prints the same as JSON Schema for your editor, `planecast
schema study` that of studies.

"""


def key_page() -> str:
    """The page: a table of keys for each section, data planes by their kind."""
    schema = scenario_schema()
    known: Mapping[str, Any] = schema["$defs"]
    own = known["Scenario-ours"]["properties"]
    lines = ["## Top level", ""]
    lines += _table({name: value for name, value in own.items() if not _section(value, known)})
    for name, value in own.items():
        section = _section(value, known)
        if section and name != "dataplane":
            lines += [f"## {name}", "", _one_line(value.get("description", "")), ""]
            lines += _table(section["properties"])
    for reference in schema["oneOf"]:
        kind = reference["$ref"].rpartition("-")[2]
        section = _section(known[f"Scenario-{kind}"]["properties"]["dataplane"], known)
        lines += [f"## dataplane, kind {kind}", "", _one_line(section.get("description", "")), ""]
        lines += _table(section["properties"])
    return _HEAD + "\n".join(lines) + "\n"


def _section(value: Mapping[str, Any], known: Mapping[str, Any]) -> dict[str, Any]:
    """The definition that a key leads to; empty when it holds a plain value."""
    options = [value, *value.get("anyOf", [])]
    for option in options:
        definition = known.get(option.get("$ref", "").removeprefix("#/$defs/"), {})
        if "properties" in definition:
            return dict(definition)
    return {}


def _table(properties: Mapping[str, Any]) -> list[str]:
    lines = ["| key | values | default | meaning |", "|---|---|---|---|"]
    for name, value in properties.items():
        default = json.dumps(value["default"], ensure_ascii=False) if "default" in value else ""
        shown = f"`{default}`" if default else ""
        meaning = _one_line(value.get("description", ""))
        lines.append(f"| `{name}` | {_values(value)} | {shown} | {meaning} |")
    return [*lines, ""]


def _values(value: Mapping[str, Any]) -> str:
    """The values that a key takes, in words."""
    if "enum" in value:
        return ", ".join(f"`{one}`" for one in value["enum"])
    if "const" in value:
        return f"`{value['const']}`"
    if "anyOf" in value:
        return " or ".join(dict.fromkeys(_values(one) for one in value["anyOf"]))
    kind = {"null": "none", "array": "list"}.get(value.get("type", ""), value.get("type", ""))
    low = value.get("minimum", value.get("exclusiveMinimum"))
    high = value.get("maximum", value.get("exclusiveMaximum"))
    if low is not None and high is not None:
        return (
            f"{kind} {low:g} to {high:g}" if isinstance(low, float) else f"{kind} {low} to {high}"
        )
    return f"{kind} from {low}" if low is not None else kind


def _one_line(text: str) -> str:
    return re.sub(r"\s+", " ", text).replace("|", "\\|").replace("<", "&lt;").replace("[", "\\[")
