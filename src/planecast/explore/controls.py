"""Controls: the keys of a scenario that the page changes, with the values they take and the
calibrated range.

They follow from the scenario's fields: bounds, choices and the text under each. Keys that the
closed form reads come first; those of the simulator alone have `engine` ``simulate``.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import count, takewhile
from types import NoneType
from typing import Any, Literal, get_args, get_origin

from annotated_types import Ge, Gt, Le
from pydantic import AfterValidator
from pydantic.fields import FieldInfo

from planecast.catalog import names
from planecast.model.calibrated_range import setting_text
from planecast.model.calibration import Calibration
from planecast.scenario import SCENARIO_KEYS, Scenario, json_schema
from planecast.scenario.dataplane import OWN
from planecast.scenario.keys import field_at
from planecast.scenario.machine import HOST
from planecast.scenario.model import power_of_two
from planecast.scenario.points import applies
from planecast.scenario.workload import FUNCTIONS
from planecast.workload.scenario_columns import COLUMNS, NUMBERS

Kind = Literal["number", "choice", "flag", "list", "text"]
Engine = Literal["solve", "simulate"]

SITE_KEYS = (
    "machine",
    "placement.core_ghz",
    "placement.core_priority",
    "placement.llc_ways",
    "placement.busy_siblings",
    "placement.remote_memory",
)
"""Keys that transfer a calibration to another site: any value but the usual one is beyond it."""

_LCORES = "placement.lcores"
_MOST_LCORES = 64
_NO_CONTROLS = ("name", "generator.", "traffic.pcap", "placement.stage_clock")
_DATAPLANE = "dataplane."
_OWN_ALONE = (_LCORES, "traffic.frame_mix", "traffic.classes")
"""Keys that the model refuses for programs of others."""
_FEW = 64
"""Whole numbers that are all listed."""
_WIDE = 16
"""Ratio of the ends above which steps are equal ratios."""
_STEPS = 40
_MANY_DECADES = 2**26
"""Ratio of the ends from which on steps of two would be too many."""


@dataclass(frozen=True)
class Control:
    """One key and how a person sets it."""

    key: str
    kind: Kind
    text: str
    """What the key means."""
    engine: Engine
    """What answers for it: the closed form (and the simulator), or the simulator alone."""
    values: tuple[Any, ...] = ()
    """Stops of a slider, choices of a list. None among them: the key may be left empty."""
    beyond: tuple[bool, ...] = ()
    """Of each value, whether it lies outside of what was calibrated."""
    calibrated: tuple[float, float] | None = None
    """Lowest and highest calibrated value, where the calibration has some."""
    suggestions: tuple[str, ...] = ()
    """Texts that the key takes."""
    matters: bool = True
    """Whether it changes the answer of the network function."""


def controls_of(base: Scenario, calibration: Calibration) -> list[Control]:
    """Every control of a network function, in the order of the scenario's keys; of a program of
    others those that its calibration has answers for: one lcore of it is counted, and the simulator
    does not play it."""
    own = base.dataplane.kind == OWN
    texts = _descriptions(base)
    keys = [key for key in SCENARIO_KEYS if not key.startswith(_NO_CONTROLS)]
    # A program's other keys, as its mode, need a calibration of their own.
    keys = [key for key in keys if key in NUMBERS or not key.startswith(_DATAPLANE)]
    keys = [key for key in keys if applies(base, key)]
    found = [_control(key, texts.get(key, ""), base, calibration) for key in keys]
    return [one for one in found if own or (one.engine == "solve" and one.key not in _OWN_ALONE)]


def _control(key: str, text: str, base: Scenario, calibration: Calibration) -> Control:
    answers = key in COLUMNS or key in SITE_KEYS or key.startswith(("workload.kind", "neighbour."))
    engine: Engine = "solve" if answers else "simulate"
    calibrated = _calibrated(key, calibration)
    if key == "workload.stages":
        own: tuple[str, ...] = FUNCTIONS[base.workload.kind]
        beyond = tuple(stage not in calibration.stages for stage in own)
        return Control(key, "list", text, engine, own, beyond)
    if key == "machine":
        every = (HOST, *names("cpus"))
        return Control(key, "choice", text, engine, every, _not_usual(every, HOST))
    if key == _LCORES:
        values = tuple(range(1, _MOST_LCORES + 1))
        return Control(key, "number", text, engine, values, _outside(key, values, calibrated))
    field = _field(key, base)
    assert field is not None
    kind, values = _kind_and_values(field, calibrated)
    if key in SITE_KEYS:
        outside = _not_usual(values, field.default)
    elif own_settings := calibration.settings.get(key):
        outside = tuple(setting_text(value) not in own_settings for value in values)
    else:
        outside = _outside(key, values, calibrated)
    suggestions = ("none", "imix") if key == "traffic.frame_mix" else ()
    return Control(key, kind, text, engine, values, outside, calibrated, suggestions)


def _field(key: str, base: Scenario) -> FieldInfo | None:
    if key.startswith(_DATAPLANE):
        return field_at(type(base.dataplane), key.split(".")[1:])
    return field_at(Scenario, key.split("."))


def _kind_and_values(
    field: FieldInfo, calibrated: tuple[float, float] | None
) -> tuple[Kind, tuple[Any, ...]]:
    parts, metadata = _parts(field)
    choices = tuple(c for part in parts if get_origin(part) is Literal for c in get_args(part))
    numbers = [part for part in parts if part in (int, float)]
    if bool in parts:
        return "flag", (False, True)
    if not numbers:
        return ("choice", choices) if choices else ("text", ())
    low = _bound(metadata, Ge, "ge")
    above = _bound(metadata, Gt, "gt")
    high = _bound(metadata, Le, "le")
    if low is None:
        low = (above or 0.0) if int in numbers else _least(above or 0.0)
    whole = float not in numbers
    powers = any(isinstance(m, AfterValidator) and m.func is power_of_two for m in metadata)
    stops = _stops(low, 1e12 if high is None else high, whole=whole)
    if powers:
        stops = [v for v in stops if _is_power(v)]
    else:
        ends = (field.default, *(calibrated or ()))
        stops = sorted({*stops, *(v for v in ends if _is_number(v) and low <= v)})
    values = tuple(int(v) if whole else float(v) for v in stops)
    none = (None,) if NoneType in parts else ()
    if choices:
        return "choice", (*choices, *values)
    return "number", (*none, *values)


def _bound(metadata: Sequence[Any], kind: type, name: str) -> float | None:
    return next((float(getattr(one, name)) for one in metadata if isinstance(one, kind)), None)


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _is_power(value: float) -> bool:
    return int(value) & (int(value) - 1) == 0


def _least(above: float) -> float:
    return above + 1e-3


def _parts(field: FieldInfo) -> tuple[list[Any], list[Any]]:
    """The types that a field takes, unions and annotations taken apart, and all their metadata."""
    metadata = list(field.metadata)
    types: list[Any] = []

    def take(kind: Any) -> None:
        if hasattr(kind, "__metadata__"):
            for one in kind.__metadata__:
                metadata.extend(one.metadata if isinstance(one, FieldInfo) else [one])
            take(get_args(kind)[0])
        elif get_origin(kind) is Literal or not get_args(kind):
            types.append(kind)
        elif get_origin(kind) is tuple:
            types.append(tuple)
        else:
            for inner in get_args(kind):
                take(inner)

    take(field.annotation)
    return types, metadata


def _stops(low: float, high: float, *, whole: bool) -> list[float]:
    """Values of a slider: all whole numbers where they are few, equal ratios over a wide range,
    else equal steps."""
    if whole and high - low <= _FEW:
        return [float(v) for v in range(int(low), int(high) + 1)]
    if high >= _WIDE * max(low, 1.0):
        first = low if low > 0 else 1.0
        doubling = whole and high / first <= _MANY_DECADES
        marks = _multiples((1, 1.5), 2.0, first) if doubling else _multiples((1, 2, 5), 10.0, first)
    else:
        step = next(m for m in _multiples((1, 2, 5), 10.0, 1e-6) if m >= (high - low) / _STEPS)
        marks = (step * number for number in count(math.floor(low / step)))
    between = takewhile(lambda value: value < high, marks)
    return [low, *(round(v, 9) for v in between if v > low), high]


def _multiples(marks: Sequence[float], base: float, least: float) -> Iterator[float]:
    """1, 1.5, 2, 3, 4, … or 1, 2, 5, 10, …, from about `least` on; of whole numbers whole ones."""
    for power in count(math.floor(math.log(least, base))):
        yield from (
            mark * base**power for mark in marks if least < 1 or (mark * base**power).is_integer()
        )


def _calibrated(key: str, calibration: Calibration) -> tuple[float, float] | None:
    name = {
        _LCORES: "lcores",
        "placement.page_size": "4KiB pages",
        "neighbour.walk": "neighbour bytes",
        "neighbour.stream": "neighbour bytes",
    }.get(key, key)
    found = calibration.ranges.get(name)
    return None if found is None else (found[0], found[1])


def _outside(
    key: str, values: Sequence[Any], calibrated: tuple[float, float] | None
) -> tuple[bool, ...]:
    if calibrated is None:
        return (False,) * len(values)
    low, high = calibrated
    return tuple(
        not low <= _coordinate(key, number, value) <= high for number, value in enumerate(values)
    )


def _coordinate(key: str, number: int, value: Any) -> float:
    """What places a value among calibrated ones (`model.calibrated_range`)."""
    if key == _LCORES:
        return number + 1
    if key == "placement.page_size":
        return float(value == "4KiB")
    return float(value or 0)


def _not_usual(values: Sequence[Any], usual: Any) -> tuple[bool, ...]:
    return tuple(value != usual for value in values)


def _descriptions(base: Scenario) -> dict[str, str]:
    """What each key means, by its dotted name."""
    schema = json_schema(Scenario)
    own = json_schema(type(base.dataplane))["properties"].items()
    found = {f"{_DATAPLANE}{name}": field.get("description", "") for name, field in own}
    for name, field in Scenario.model_fields.items():
        found[name] = schema["properties"][name].get("description", "")
        kind = field.annotation
        section = schema["$defs"].get(getattr(kind, "__name__", ""), {})
        for key, inner in section.get("properties", {}).items():
            found[f"{name}.{key}"] = inner.get("description", "")
    return found
