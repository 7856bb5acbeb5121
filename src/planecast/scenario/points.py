"""Points: what a study changes in its base scenario, alone or as a grid.

An entry of ``calibrate:`` or ``hold_out:`` is either one point, a mapping of dotted keys to values,

    - {traffic.flows: 4096, placement.burst: 8}

or a grid, the cross product of the lists under ``vary``, each point also having what ``set`` says:

    - vary: {traffic.flows: [256, 4096], placement.burst: [8, 32]}
      set: {traffic.frame_bytes: 128}
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from planecast.errors import InputError
from planecast.scenario.dataplane import OWN
from planecast.scenario.document import Document
from planecast.scenario.keys import Location
from planecast.scenario.model import value_text
from planecast.scenario.override import SCENARIO_KEYS, check_key, with_overrides
from planecast.scenario.scenario import Scenario
from planecast.scenario.units import bytes_text

PointValue = bool | int | float | str | tuple[str, ...]
Point = Mapping[str, PointValue]
"""Dotted keys and their values over a base scenario; the empty mapping is the base itself."""

MAX_POINTS = 10_000
_SIZES = frozenset({"neighbour.walk", "neighbour.stream"})
"""Keys whose values people type in MiB."""


class PlacedPoint(NamedTuple):
    """A point, the scenario it stands for, and where the study names it."""

    point: Point
    scenario: Scenario
    where: str


def point_label(point: Point) -> str:
    """Short name of a point: ``flows=4096 burst=8``; two keys with one last part stay dotted."""
    last = [key.rsplit(".", 1)[-1] for key in point]
    words = []
    for key, short in zip(point, last, strict=True):
        name = short if last.count(short) == 1 else key
        words.append(f"{name}={_typed(key, point[key])}")
    return " ".join(words) or "base"


def value_at(scenario: Scenario, key: str) -> Any:
    """The value of a dotted key: ``value_at(scenario, "traffic.flows")``.

    Raises AttributeError for a key that does not apply to the scenario.
    """
    value: Any = scenario
    for part in key.split("."):
        value = getattr(value, part)
    return value


def value_if_any(scenario: Scenario, key: str) -> Any:
    """The same; None for a key that does not apply to the scenario."""
    try:
        return value_at(scenario, key)
    except AttributeError:  # of another kind of data plane, or absent
        return None


def usual_of(scenario: Scenario) -> Scenario:
    """A scenario of the same network function, or program, in which nothing else is set."""
    dataplane = scenario.dataplane
    fields = type(dataplane).model_fields.items()
    needed = {name: getattr(dataplane, name) for name, one in fields if one.is_required()}
    data: dict[str, Any] = {"name": scenario.name, "dataplane": needed}
    if dataplane.kind == OWN:
        data["workload"] = {"kind": scenario.workload.kind}
    return Scenario.model_validate(data)


def keys_of(scenario: Scenario) -> tuple[str, ...]:
    """The dotted keys that apply to a scenario, in order."""
    return tuple(key for key in SCENARIO_KEYS if applies(scenario, key))


def applies(scenario: Scenario, key: str) -> bool:
    """Whether a dotted key, or a section, applies to a scenario."""
    try:
        value_at(scenario, key)
    except AttributeError:
        return False
    return True


def differences(a: Scenario, b: Scenario) -> dict[str, tuple[str, str]]:
    """The keys in which two scenarios differ, with both values as a person types them.

    Keys that one of them doesn't have are left out: their data planes differ, which is said.
    """
    both = [key for key in SCENARIO_KEYS if applies(a, key) and applies(b, key)]
    pairs = {key: (value_at(a, key), value_at(b, key)) for key in both}
    return {
        key: (_typed(key, left), _typed(key, right))
        for key, (left, right) in pairs.items()
        if left != right
    }


def _typed(key: str, value: object) -> str:
    """A key's value as a person types it."""
    if key in _SIZES and isinstance(value, int):
        return bytes_text(value)
    return value_text(value)


def read_points(document: Document, section: str, base: Scenario) -> list[PlacedPoint]:
    """The points of one list of a study file, in order, grids spread out.

    Raises InputError with the line of the key or value that is wrong.
    """
    placed: list[PlacedPoint] = []
    for number, entry in enumerate(document.data.get(section) or []):
        at: Location = (section, number)
        for raw, places in _spread(document, at, entry):
            if len(placed) >= MAX_POINTS:
                raise InputError(f"more than {MAX_POINTS} points", document.where(at), "vary less")

            def where(
                location: Location, places: dict[str, Location] = places, at: Location = at
            ) -> str:
                key = ".".join(part for part in location if isinstance(part, str))
                inside = next((name for name in places if name.startswith(f"{key}.")), key)
                return document.where(places.get(key, places.get(inside, at)))

            scenario = with_overrides(base, raw, where)
            # The validated value: `64Ki` typed in the study is 65536 in the label and the result.
            point = {key: value_at(scenario, key) for key in raw}
            placed.append(PlacedPoint(point, scenario, document.where(at)))
    return placed


def _spread(
    document: Document, at: Location, entry: Any
) -> Iterator[tuple[dict[str, Any], dict[str, Location]]]:
    """The points of one entry, each with the place of every key."""
    if not isinstance(entry, Mapping):
        raise InputError(
            "a point is a mapping of dotted keys to values",
            document.where(at),
            "write for example {traffic.flows: 4096}",
        )
    if "vary" not in entry and "set" not in entry:
        for key in entry:
            check_key(key, document.where((*at, key)))
        yield dict(entry), {key: (*at, key) for key in entry}
        return
    fixed, varied = _grid(document, at, entry)
    places: dict[str, Location] = {key: (*at, "set", key) for key in fixed}
    for combination in itertools.product(*(list(enumerate(v)) for v in varied.values())):
        point, here = dict(fixed), dict(places)
        for key, (position, value) in zip(varied, combination, strict=True):
            point[key] = value
            here[key] = (*at, "vary", key, position)
        yield point, here


def _grid(
    document: Document, at: Location, entry: Mapping[str, Any]
) -> tuple[dict[str, Any], dict[str, list[Any]]]:
    """What a grid entry sets, and what it varies."""
    for key in entry:
        if key not in ("vary", "set"):
            raise InputError(
                f"the key {key} is next to vary",
                document.where((*at, key)),
                "put it under set:",
            )
    parts: dict[str, dict[str, Any]] = {}
    for part in ("set", "vary"):
        parts[part] = entry.get(part) or {}
        if not isinstance(parts[part], Mapping):
            raise InputError(
                f"{part} is not a mapping of dotted keys",
                document.where((*at, part)),
                f"write for example {part}: {{traffic.flows: [256, 4096]}}",
            )
        for key in parts[part]:
            check_key(key, document.where((*at, part, key)))
    for key, values in parts["vary"].items():
        if not isinstance(values, list) or not values:
            raise InputError(
                f"{key} under vary is not a list of values",
                document.where((*at, "vary", key)),
                "write for example [256, 4096]; one value goes under set:",
            )
        if key in parts["set"]:
            raise InputError(
                f"{key} appears under set and under vary",
                document.where((*at, "set", key)),
                "keep one of the two",
            )
    if math.prod(len(values) for values in parts["vary"].values()) > MAX_POINTS:
        raise InputError(f"more than {MAX_POINTS} points", document.where(at), "vary less")
    return parts["set"], parts["vary"]


def point_schema() -> dict[str, Any]:
    """JSON Schema of an entry of ``calibrate:`` or ``hold_out:``, for editors."""
    keys = {"enum": list(SCENARIO_KEYS)}
    return {
        "anyOf": [
            {"type": "object", "propertyNames": keys},
            {
                "type": "object",
                "properties": {
                    "vary": {
                        "type": "object",
                        "propertyNames": keys,
                        "additionalProperties": {"type": "array", "minItems": 1},
                    },
                    "set": {"type": "object", "propertyNames": keys},
                },
                "required": ["vary"],
                "additionalProperties": False,
            },
        ]
    }
