"""An axis: a key of the scenario and the values that it takes, listed or as a range.

traffic.flows=256,4096,64Ki      listed
traffic.flows=256:1Mi:12:log     a range: twelve values in equal ratios (a grid)
placement.burst=1:128            a range to draw from (a Latin hypercube)
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Annotated, Any

import numpy as np
from numpy.typing import NDArray
from pydantic import BeforeValidator, ConfigDict, TypeAdapter, ValidationError

from planecast.errors import InputError
from planecast.scenario import parse_vary
from planecast.scenario.document import parse_value
from planecast.scenario.keys import allowed, field_at
from planecast.scenario.model import Noun, listed
from planecast.scenario.override import check_key
from planecast.scenario.problems import shown
from planecast.scenario.scenario import Scenario
from planecast.sweep.hardware import FACTORS, checked_factor
from planecast.workload.scenario_columns import NUMBERS, Choice

Floats = NDArray[np.float64]

Column = Floats | Choice

_STRICT = ConfigDict(strict=True, allow_inf_nan=False)


class Axis(Noun):
    """One key that a sweep varies."""

    key: str
    """Dotted key of a scenario."""
    values: Annotated[tuple[Any, ...], BeforeValidator(listed)] = ()
    """The values, when they are listed."""
    low: float | None = None
    """Lower end of a range, in the key's own unit."""
    high: float | None = None
    log: bool = False
    """A range's values are equal ratios apart, not equal differences."""
    whole: bool = False
    """The key takes whole numbers only."""
    count: int | None = None
    """Values of a range in a grid."""

    @property
    def ranges(self) -> bool:
        """Whether it is a range."""
        return self.low is not None

    def spread(self) -> Axis:
        """The values that a grid has: a range's as a list. Raises InputError without a count."""
        if not self.ranges:
            return self
        if self.count is None:
            raise InputError(
                "a grid needs to know how many values a range has",
                f"--vary {self.key}={self.low:g}:{self.high:g}",
                f"write {self.key}={self.low:g}:{self.high:g}:10, or add --sample lhs",
            )
        shares = np.linspace(0, 1, self.count) if self.count > 1 else np.array([0.5])
        # The ends of a draw belong to their neighbours by half: a grid has them exactly.
        numbers = _between(float(self.low or 0), float(self.high or 0), shares, log=self.log)
        found = np.unique(np.rint(numbers)) if self.whole else numbers
        values = [int(v) if self.whole else float(v) for v in found]
        return Axis(key=self.key, values=tuple(checked(self.key, v) for v in values))

    def drawn(self, shares: Floats) -> Column:
        """The values at shares of the axis from 0 to 1, each value or equal part as likely."""
        if not self.ranges:
            return self.listed_at(
                np.minimum((shares * len(self.values)).astype(np.intp), self.last)
            )
        low, high = float(self.low or 0), float(self.high or 0)
        if not self.whole:
            return _between(low, high, shares, log=self.log)
        # Half a step beyond either end, so that the end values are as likely as the others.
        step = 0.0 if self.log else 0.5
        wide = _between(low - step, high + step, shares, log=self.log)
        return np.clip(np.rint(wide), low, high)

    @property
    def last(self) -> int:
        """Place of the last listed value."""
        return len(self.values) - 1

    def listed_at(self, places: NDArray[np.intp]) -> Column:
        """The listed values at these places."""
        if self.key in NUMBERS:
            return np.array(self.values, dtype=np.float64)[places]
        return Choice(self.values, places)


def _between(low: float, high: float, shares: Floats, *, log: bool) -> Floats:
    if log:
        return np.asarray(low * (high / low) ** shares)
    return np.asarray(low + (high - low) * shares)


def value_of(axis: Axis, column: Column, row: int) -> Any:
    """The value of a column in a row, as a scenario takes it."""
    if isinstance(column, Choice):
        return column.values[column.index[row]]
    value = float(column[row])
    return int(value) if axis.whole or (value.is_integer() and axis.key in NUMBERS) else value


def parse_axis(text: str) -> Axis:
    """An axis as a person types it after ``--vary``.

    Raises InputError for an unknown key, for a value that the key can't have, and for a range that
    runs backwards.
    """
    key, _, typed = text.partition("=")
    where = f"--vary {text}"
    key = key.strip()
    if key not in FACTORS:
        check_key(key, where)
    field = field_at(Scenario, key.split("."))
    numeric = key in FACTORS or (field is not None and "number" in allowed(field))
    parts = [part.strip() for part in typed.split(":")]
    if numeric and len(parts) > 1 and "," not in typed:
        return _range(key, parts, where)
    _, values = parse_vary(text)
    found = [checked(key, value, where) for value in values]
    if len(set(map(repr, found))) < len(found):
        raise InputError("a value appears twice", where, "name each once")
    return Axis(key=key, values=tuple(found), whole=all(isinstance(v, int) for v in found))


def first_values(axes: Iterable[Axis]) -> dict[str, Any]:
    """The first value of each axis that is a scenario's key."""
    return {
        axis.key: value_of(axis, np.array([axis.low]), 0) if axis.ranges else axis.values[0]
        for axis in axes
        if axis.key not in FACTORS
    }


def _range(key: str, parts: list[str], where: str) -> Axis:
    log = parts[-1] == "log"
    numbers = parts[:-1] if log else parts
    if len(numbers) not in (2, 3):
        raise InputError(
            "this is not a range", where, "write KEY=LOW:HIGH, KEY=LOW:HIGH:COUNT, and :log behind"
        )
    low, high = (checked(key, parse_value(part), where) for part in numbers[:2])
    count = parse_value(numbers[2]) if len(numbers) == 3 else None
    if count is not None and (not isinstance(count, int) or not 1 <= count <= 1_000_000):
        raise InputError(f"got a count of '{numbers[2]}'", where, "give 1 to 1000000")
    if not all(isinstance(end, int | float) for end in (low, high)):
        raise InputError("the ends of a range are numbers", where, "list the values instead")
    if low == high:
        raise InputError("the range has one value", where, f"write {key}={parts[0]}")
    if not low < high:
        turned = ":".join([parts[1], parts[0], *parts[2:]])
        raise InputError("the range runs backwards", where, f"write {key}={turned}")
    if log and low <= 0:
        raise InputError("equal ratios begin above 0", where, "raise the lower end, or drop :log")
    whole = isinstance(low, int) and isinstance(high, int) and key not in FACTORS
    axis = Axis(key=key, low=float(low), high=float(high), log=log, whole=whole, count=count)
    for value in np.asarray(axis.drawn(np.array([1 / 3, 0.5, 0.7]))).tolist():
        checked(key, int(value) if whole else value, where)
    return axis


def checked(key: str, value: Any, where: str | None = None) -> Any:
    """The value as the key's own field takes it: ``64Ki`` is 65536.

    What only several keys together can break is found at the points. Raises InputError.
    """
    if key in FACTORS:
        return checked_factor(key, value, where or f"--vary {key}={value}")
    field = field_at(Scenario, key.split("."))
    if field is None:
        raise InputError(f"unknown key {key}", where or key)
    kind: Any = field.annotation
    if field.metadata:
        kind = Annotated[(kind, *field.metadata)]
    try:
        return TypeAdapter(kind, config=_STRICT).validate_python(value)
    except ValidationError as error:
        problem = error.errors(include_url=False)[0]
        ours = problem["type"] == "value_error"
        what = str(problem["ctx"]["error"]) if ours else f"got {shown(value)}"
        advice = "" if ours else f"allowed is {allowed(field)}"
        raise InputError(f"{key}: {what}", where or f"--vary {key}={value}", advice) from None
