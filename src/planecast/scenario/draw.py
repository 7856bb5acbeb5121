"""Held-out points, drawn at random: a space-filling draw over what a study's points span.

Numbers are drawn log-uniformly, stratified (a Latin hypercube) over the range of the calibration
points; of keys with a few values each half of the points keeps the base's and the rest is shared
out evenly. The seed is drawn when the study runs, unless it is given.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass

import numpy as np

from planecast.errors import InputError
from planecast.scenario.override import with_overrides
from planecast.scenario.points import PointValue, value_at, value_if_any
from planecast.scenario.scenario import Scenario
from planecast.scenario.workload import TABLE_STAGES

Points = tuple[dict[str, PointValue], ...]

FOLLOWS = {"workload.flows": "traffic.flows"}
"""Tables that are made as large as what is drawn asks for, to the next power of two."""

AT_LEAST = {"workload.bridge_entries": 2}
"""Of each of workload.flows: a bridge without room for its stations floods."""


@dataclass(frozen=True)
class _Axis:
    key: str
    values: tuple[PointValue, ...]
    """All of the calibration points', the base's first."""

    @property
    def numeric(self) -> bool:
        return all(isinstance(one, int | float) and one > 0 for one in self.values)


def drawn_points(
    base: Scenario,
    calibrate: Sequence[Mapping[str, PointValue]],
    count: int,
    seed: int | Sequence[int],
) -> Points:
    """So many points over what the calibration points span, none of them among those.

    Raises InputError where the study varies too little for that.
    """
    random = np.random.default_rng(seed)
    axes = _axes(base, calibrate)
    columns = {axis.key: _column(axis, count, random) for axis in axes}
    known = [with_overrides(base, dict(point)) for point in calibrate]
    found: list[dict[str, PointValue]] = []
    for place in range(count):
        drawn = {key: column[place] for key, column in columns.items()}
        wanted = {key: value for key, value in drawn.items() if value is not None}
        point = _possible(base, wanted)
        scenario = with_overrides(base, point)
        if scenario in known:
            continue
        known.append(scenario)
        found.append(point)
    if not found:
        raise InputError(
            "there is nothing to draw: the calibration points vary too little",
            "hold_out.draw",
            "vary some keys under calibrate:, or list the points to hold out",
        )
    return tuple(found)


def _axes(base: Scenario, calibrate: Sequence[Mapping[str, PointValue]]) -> list[_Axis]:
    keys = dict.fromkeys(key for point in calibrate for key in point)
    found = []
    for key in keys:
        if key in FOLLOWS and FOLLOWS[key] in keys:
            continue
        given = [point[key] for point in calibrate if key in point]
        values = tuple(dict.fromkeys([value_at(base, key), *given]))
        if len(values) > 1:
            found.append(_Axis(key, values))
    return found


def _column(axis: _Axis, count: int, random: np.random.Generator) -> list[PointValue | None]:
    """A value of each point; None: the base's."""
    if axis.numeric:
        numbers = [float(one) for one in axis.values]  # type: ignore[arg-type]
        low, high = math.log(min(numbers)), math.log(max(numbers))
        strata = (random.permutation(count) + random.random(count)) / count
        return [max(1, round(math.exp(low + (high - low) * one))) for one in strata.tolist()]
    others = axis.values[1:]
    plain = count - count // 2
    column: list[PointValue | None] = [None] * plain
    column += [others[i % len(others)] for i in range(count // 2)]
    order = random.permutation(count).tolist()
    return [column[i] for i in order]


def near_power_of_two(value: int) -> int:
    """The power of two that is nearest by ratio, for keys that take no others."""
    return 1 << round(math.log2(max(value, 1)))


def _tries(drawn: PointValue) -> tuple[PointValue, ...]:
    """What was drawn, and what may do where that does not."""
    if isinstance(drawn, bool) or not isinstance(drawn, int):
        return (drawn,)
    return drawn, near_power_of_two(drawn)


def _possible(base: Scenario, wanted: Mapping[str, PointValue]) -> dict[str, PointValue]:
    """The wanted values, without those that can't go with the others; tables large enough."""
    point: dict[str, PointValue] = {}
    for key, one in wanted.items():
        for value in _tries(one):
            trial = {**point, key: value}
            for table, asked in FOLLOWS.items():
                entries = value_if_any(base, table)
                room = entries if isinstance(entries, int) else math.inf
                if asked == key and isinstance(value, int) and value > room:
                    trial[table] = 1 << (value - 1).bit_length()
            with suppress(InputError):
                with_overrides(base, trial)
                point = trial
                break
    flows = point.get("workload.flows")
    for table, each in AT_LEAST.items():
        drawn = point.get(table)
        if isinstance(flows, int) and isinstance(drawn, int):
            point[table] = max(drawn, each * flows)
    return _without_unused_tables(base, point)


def _without_unused_tables(base: Scenario, point: dict[str, PointValue]) -> dict[str, PointValue]:
    """The point without the sizes of tables that none of its stages looks up: it can then share a
    process with points that have the base's."""
    stages = set(with_overrides(base, point).stages)
    unused = {
        f"workload.{size}" for size, users in TABLE_STAGES.items() if stages.isdisjoint(users)
    }
    return {key: value for key, value in point.items() if key not in unused}
