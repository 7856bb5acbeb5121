"""The scenario of a page as a person keeps it: a YAML file, or a command line."""

from __future__ import annotations

import io
import shlex
from collections.abc import Mapping
from typing import Any

from ruamel.yaml import YAML

from planecast.scenario import Scenario, value_at
from planecast.scenario.model import list_text, value_text
from planecast.scenario.points import keys_of, usual_of, value_if_any


def scenario_yaml(scenario: Scenario) -> str:
    """A scenario's file: its name, and every key that isn't as usual."""
    usual = usual_of(scenario)
    fields = type(scenario.dataplane).model_fields.items()
    needed = {"workload.kind", *(f"dataplane.{name}" for name, one in fields if one.is_required())}
    document: dict[str, Any] = {"name": scenario.name}
    for key in keys_of(scenario):
        value = value_at(scenario, key)
        kept = key in needed or value != value_if_any(usual, key)
        if not kept or key == "name":
            continue
        *sections, last = key.split(".")
        inner = document
        for section in sections:
            inner = inner.setdefault(section, {})
        inner[last] = list_text(value) if isinstance(value, tuple) else value
    text = io.StringIO()
    yaml = YAML()
    yaml.width = 10_000
    yaml.dump(document, text)
    return text.getvalue()


def command_line(
    verb: str,
    file: str | None,
    changes: Mapping[str, Any],
    calibration: str | None,
    runs: str | None = None,
) -> str:
    """A verb over the scenario's file with these keys changed, quoted for a shell; `runs` is the
    folder of all runs where the verb would take another one."""
    words = ["planecast", *verb.split(), file or "scenario.yaml"]
    for key, value in changes.items():
        words += ["--set", f"{key}={_typed(value)}"]
    words += ["--calibration", calibration] if calibration else []
    return shlex.join([*words, *(["--runs", runs] if runs else [])])


def _typed(value: Any) -> str:
    if value is None:
        return "null"
    if isinstance(value, bool):
        return str(value).lower()
    return value_text(value)
