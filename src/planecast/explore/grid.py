"""A curve over one key and a heat map over two: the closed form over a grid of values."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from planecast.errors import InputError
from planecast.explore.controls import Control
from planecast.explore.measured import value_json
from planecast.explore.point import manifest_of, plain_view
from planecast.scenario import Scenario, value_at
from planecast.study.calibration_run import Chosen
from planecast.sweep.answer import Columns, answered_columns
from planecast.sweep.axes import Axis, checked
from planecast.sweep.job import Job, Plan

Json = dict[str, Any]

CURVE_VALUES, HEAT_VALUES = 48, 20
"""Most values of a curve, and of either key of a heat map."""


def axis_of(control: Control, scenario: Scenario, most: int) -> Axis:
    """The values of a control as an axis, at most so many, the scenario's own among them.

    Raises InputError for a key that takes any text or a list.
    """
    if control.kind in ("list", "text"):
        raise InputError("it has no values to go through", control.key, "choose another key")
    own = value_at(scenario, control.key)
    values = list(control.values)
    if own not in values:
        numbers = [v for v in values if v is not None]
        place = (
            len(values) - len(numbers) + int(np.searchsorted(numbers, own))
            if _ordered(numbers, own)
            else len(values)
        )
        values.insert(place, own)
    if len(values) > most:
        shown = {round(i) for i in np.linspace(0, len(values) - 1, most)} | {values.index(own)}
        values = [value for place, value in enumerate(values) if place in shown]
    return Axis(key=control.key, values=tuple(checked(control.key, v) for v in values))


def _ordered(numbers: Sequence[Any], own: Any) -> bool:
    return all(isinstance(v, int | float) for v in (*numbers, own))


def grid(scenario: Scenario, chosen: Chosen, axes: Sequence[Axis]) -> Columns:
    """The closed form at every combination, the last axis fastest: columns, as `sweep` has them."""
    asked = plain_view(scenario)
    chosen.refuse_other_workloads([asked], [axis.key for axis in axes])
    plan = Plan.of(asked, list(axes), "grid", None, 1)
    job = Job(
        plan=plan,
        calibration=chosen.model,
        engine="solve",
        precision=0.1,
        batch=plan.points,
        manifest=manifest_of(chosen.basis),
    )
    return answered_columns(job, 0)


def curve(scenario: Scenario, chosen: Chosen, control: Control) -> Json:
    """Throughput and cycles over one key's values, with intervals."""
    axis = axis_of(control, scenario, CURVE_VALUES)
    return {**_axis_json("x", axis, scenario), **_answers(grid(scenario, chosen, [axis]))}


def heat_map(scenario: Scenario, chosen: Chosen, across: Control, up: Control) -> Json:
    """The same over two keys: a row for each value of `up`, joined."""
    columns = axis_of(across, scenario, HEAT_VALUES)
    rows = axis_of(up, scenario, HEAT_VALUES)
    found = grid(scenario, chosen, [rows, columns])
    return {
        **_axis_json("x", columns, scenario),
        **_axis_json("y", rows, scenario),
        **_answers(found),
    }


def _axis_json(name: str, axis: Axis, scenario: Scenario) -> Json:
    own = value_at(scenario, axis.key)
    return {
        f"{name}_key": axis.key,
        name: [value_json(value) for value in axis.values],
        f"{name}_here": axis.values.index(own) if own in axis.values else None,
    }


def _answers(found: Columns) -> Json:
    names = [
        f"{of}{end}"
        for of in ("throughput_pps", "cycles_per_packet")
        for end in ("", "_low", "_high")
    ]
    return {
        **{name: [None if np.isnan(v) else float(v) for v in found[name]] for name in names},
        "capped_by": found["capped_by"].tolist(),
        "beyond": [bool(v) for v in found["extrapolates"]],
        "refused": found["refused"].tolist(),
    }
