"""The Pareto front of a sweep: of all points those that no other beats in both rate and cost.

The sweep is the closed form's over some keys' values, or a recorded one (``explore RUN``). A
point's cost is the sum of each key's value times its price; lcores are counted.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import duckdb
import numpy as np
from numpy.typing import NDArray

from planecast.errors import InputError
from planecast.explore.controls import Control
from planecast.explore.grid import axis_of, grid
from planecast.explore.measured import value_json
from planecast.results import RunDirectory
from planecast.results.store import SWEEP
from planecast.results.trials import quoted
from planecast.scenario import Scenario
from planecast.scenario.machine import HOST, machine_of
from planecast.study.calibration_run import Chosen
from planecast.sweep.answer import Columns
from planecast.sweep.axes import Axis
from planecast.sweep.job import Plan
from planecast.sweep.optimise import Price
from planecast.sweep.run import read_job
from planecast.workload.scenario_columns import NUMBERS

Json = dict[str, Any]
Floats = NDArray[np.float64]

MOST_POINTS = 4096
"""Of a sweep that is computed for a page."""
MOST_SHOWN = 1200
"""Points that a figure shows in addition to the front's."""
_MOST_READ = 200_000
_MOST_CHOICES = 16
_LCORES = "placement.lcores"


def computed_front(
    scenario: Scenario, chosen: Chosen, controls: Sequence[Control], prices: Mapping[str, float]
) -> Json:
    """The front over the values of these controls."""
    if not 1 <= len(controls) <= 4:
        raise InputError(f"got {len(controls)} keys", "keys", "choose one to four")
    each = int(MOST_POINTS ** (1 / len(controls)))
    axes = [_axis(control, scenario, chosen, each) for control in controls]
    plan = Plan.of(scenario, axes, "grid", None, 1)
    return _front(grid(scenario, chosen, axes), plan, prices)


def _axis(control: Control, scenario: Scenario, chosen: Chosen, most: int) -> Axis:
    """A control's values: lcores that the machine has, and few of what is no number of the model,
    for each of those is a question of its own."""
    if control.key == _LCORES:
        control = replace(control, values=control.values[: _most_lcores(scenario, chosen)])
    return axis_of(control, scenario, most if control.key in NUMBERS else min(most, _MOST_CHOICES))


def _most_lcores(scenario: Scenario, chosen: Chosen) -> int:
    if scenario.machine != HOST:
        return int(machine_of(scenario.machine).values.cores.value)
    return int(chosen.model.manifest.host.get("cpus", _MOST_CHOICES))


def recorded_front(run: RunDirectory, prices: Mapping[str, float]) -> Json:
    """The front of a recorded sweep. Raises InputError for one that isn't complete or is too
    large."""
    path = run.path / SWEEP
    plan = read_job(run).plan
    if not path.is_file():
        raise InputError("the sweep is not complete", str(run.path), "continue with it: --resume")
    with duckdb.connect(":memory:") as connection:
        table = f"read_parquet({quoted(path)})"
        (count,) = connection.execute(f"SELECT count(*) FROM {table}").fetchone() or (0,)
        if count > _MOST_READ:
            raise InputError(f"the sweep has {count} points", str(path), "query it: FROM sweeps")
        found = connection.execute(f"SELECT * FROM {table} ORDER BY point").fetchnumpy()
    columns = {name: np.ma.getdata(np.ma.filled(_plain(c), _empty(c))) for name, c in found.items()}
    return _front(columns, plan, prices)


def _plain(column: Any) -> Any:
    return np.ma.asarray(column)


def _empty(column: Any) -> Any:
    return np.nan if np.ma.asarray(column).dtype.kind == "f" else None


def _front(found: Columns, plan: Plan, prices: Mapping[str, float]) -> Json:
    size = len(found["throughput_pps"])
    cost = np.zeros(size)
    for axis in plan.axes:
        unit = float(prices.get(axis.key, 0.0))
        if unit != 0:
            price = Price(axis.key, unit, {})
            drawn = plan.columns(0, size)
            values = [plan.values(drawn, row)[axis.key] for row in range(size)]
            cost += np.array([price.of(value) for value in values])
    rate = np.asarray(found["throughput_pps"], dtype=np.float64)
    known = np.flatnonzero(~np.isnan(rate))
    best = pareto(cost[known], rate[known])
    front = known[best]
    shown = np.unique(np.linspace(0, len(known) - 1, min(MOST_SHOWN, len(known))).astype(int))
    return {
        "keys": [axis.key for axis in plan.axes],
        "points": size,
        "answered": len(known),
        "why": next((str(one) for one in found["refused"] if one), None),
        "cloud": [[float(cost[i]), float(rate[i])] for i in known[shown]],
        "front": [_point(int(i), found, plan, float(cost[i])) for i in front],
    }


def pareto(cost: Floats, rate: Floats) -> NDArray[np.intp]:
    """Places of the points that no other beats: cheapest first, each with a higher rate than those
    before it. Of equal points the first."""
    order = np.lexsort((np.arange(len(cost)), -rate, cost))
    best, found = -np.inf, []
    for place in order:
        if rate[place] > best:
            best = rate[place]
            found.append(place)
    return np.array(found, dtype=np.intp)


def _point(row: int, found: Columns, plan: Plan, cost: float) -> Json:
    return {
        "values": {key: value_json(value) for key, value in plan.point(row).items()},
        "cost": cost,
        "throughput_pps": {
            "value": float(found["throughput_pps"][row]),
            "low": float(found["throughput_pps_low"][row]),
            "high": float(found["throughput_pps_high"][row]),
            "samples": 0,
            "unit": "pps",
            "kind": "computed",
        },
        "beyond": bool(found["extrapolates"][row]),
    }
