"""One scenario from another: dotted keys set to values, from ``--set`` or a point of a study."""

from __future__ import annotations

import copy
from collections.abc import Mapping
from typing import Any

from planecast.errors import InputError
from planecast.scenario.document import parse_value
from planecast.scenario.inheritance import forget_defaults
from planecast.scenario.keys import Location, dotted_keys, nearest
from planecast.scenario.model import list_text
from planecast.scenario.problems import Where, validated
from planecast.scenario.scenario import Scenario

SCENARIO_KEYS: tuple[str, ...] = tuple(dotted_keys(Scenario))
"""Every dotted key of a scenario that holds a value."""


_SEED = "traffic.seed"
_KIND = "dataplane.kind"
_CPUS, _LCORES = "placement.cpus", "placement.lcores"


def parse_set(text: str) -> tuple[str, Any]:
    """``traffic.flows=4096`` as key and value. Raises InputError when it has no ``=``."""
    key, equals, value = text.partition("=")
    if not equals or not key.strip():
        raise InputError(
            f"got '{text}'", "--set", "write it as KEY=VALUE, for example traffic.flows=4096"
        )
    return key.strip(), parse_value(value.strip())


def parse_vary(text: str) -> tuple[str, list[Any]]:
    """``traffic.flows=256,4096`` as key and values; a value that is a list stands in brackets."""
    key, equals, values = text.partition("=")
    parsed = parse_value(f"[{values}]") if equals and key.strip() else None
    if not isinstance(parsed, list) or not parsed:
        raise InputError(
            f"got '{text}'", "--vary", "write it as KEY=VALUE,VALUE, such as traffic.flows=256,4096"
        )
    return key.strip(), parsed


def check_key(key: str, where: str) -> None:
    """Raise InputError unless `key` is a dotted key of a scenario that holds a value."""
    if key in SCENARIO_KEYS:
        return
    inside = [name for name in SCENARIO_KEYS if name.startswith(f"{key}.")]
    if inside:
        raise InputError(f"{key} is a section", where, "set a key in it: " + ", ".join(inside))
    section, _, last = key.rpartition(".")
    raise InputError(f"unknown key {key}", where, nearest(last, Scenario, section))


def merged(data: Mapping[str, Any], overrides: Mapping[str, Any]) -> dict[str, Any]:
    """`data` with each dotted key of `overrides` set; `data` itself stays as it is."""
    result = copy.deepcopy(dict(data))
    for dotted, value in overrides.items():
        *sections, last = dotted.split(".")
        inner: dict[str, Any] = result
        for section in sections:
            step = inner.get(section)
            if not isinstance(step, dict):  # absent, or wrong in the file: the override stands
                step = inner[section] = {}
            inner = step
        inner[last] = value
    if overrides.get(_CPUS) is not None and _LCORES not in overrides:
        # Who names CPUs means all of them, and no longer as many as there were.
        result["placement"].pop("lcores", None)
    return result


def with_overrides(
    scenario: Scenario, overrides: Mapping[str, Any], where: Where | None = None
) -> Scenario:
    """The scenario at a point: each dotted key set to its value.

    Raises InputError for an unknown key and for a value that isn't allowed; `where` says where the
    person wrote a key (by default, as ``--set`` on the command line).
    """
    place = where or set_place(overrides)
    for key in overrides:
        check_key(key, place(tuple(key.split("."))))
    data = merged(scenario.model_dump(), overrides)
    forget_defaults(data, scenario.dataplane, overrides)
    return validated(Scenario, data, place)


def set_place(
    overrides: Mapping[str, Any], otherwise: Where | None = None, option: str = "--set"
) -> Where:
    """Places of values that came from an option; others are where `otherwise` says."""

    def place(location: Location) -> str:
        key = ".".join(part for part in location if isinstance(part, str))
        # A finding about a whole section comes from whatever was set in it, but for the seed, which
        # fits anything (and may come from an option of its own).
        inside = [name for name in overrides if name.startswith(f"{key}.") and name != _SEED]
        names = [key] if key in overrides else inside
        if not names and otherwise is None:
            # What the base has does not go with what is set.
            names = [name for name in overrides if (name.partition(".")[0],) == location[:1]]
            names = names or [name for name in overrides if name == _KIND]
        if names:
            return " ".join(f"{option} {name}={_typed(overrides[name])}" for name in names)
        return otherwise(location) if otherwise else option

    return place


def _typed(value: Any) -> Any:
    if value is None:
        return "null"
    return list_text(value) if isinstance(value, list | tuple) else value
