"""What a burst costs: what the closed form predicts of every burst up to the limit."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from planecast.engines.simulate.stage_cost import stage_costs, tabulated
from planecast.model.calibration import Calibration
from planecast.model.prediction import predict
from planecast.scenario import Scenario, with_overrides

SIZES = np.arange(1.0, 33.0)
COSTS = st.lists(st.floats(1, 1e5), min_size=32, max_size=32)


@given(COSTS, COSTS)
@settings(max_examples=100, deadline=None)
def test_tables_are_what_was_predicted(first: list[float], second: list[float]) -> None:
    costs = {"a": np.array(first), "b": np.array(second)}
    cost = tabulated(costs, costs["a"] + costs["b"])
    assert [stage.cycles.tolist() for stage in cost.stages] == [
        pytest.approx(first),
        pytest.approx(second),
    ]


def test_memory_as_the_limit_is_spread_over_the_stages() -> None:
    costs = {"a": 100 * SIZES, "b": 300 * SIZES}
    cost = tabulated(costs, 800 * SIZES)
    assert [stage.per_packet(7.5) for stage in cost.stages] == pytest.approx([200, 600])


def test_a_stage_that_overlaps_more_than_it_takes_takes_nothing() -> None:
    cost = tabulated({"a": 300 * SIZES, "b": -100 * SIZES}, 200 * SIZES)
    assert [stage.per_packet(8) for stage in cost.stages] == pytest.approx([200, 0])


@pytest.mark.parametrize("burst", [1, 2, 8, 15, 32, 256])
def test_as_the_closed_form_says_of_every_burst(
    base: Scenario, calibration: Calibration, burst: int
) -> None:
    scenario = with_overrides(base, {"placement.burst": burst})
    (cost,) = stage_costs([scenario], calibration)
    every = [with_overrides(base, {"placement.burst": n}) for n in range(1, burst + 1)]
    closed = predict(every, calibration).value
    assert [cost.per_packet(n) for n in range(1, burst + 1)] == pytest.approx(closed, rel=1e-9)
    assert [stage.name for stage in cost.stages] == [
        "source", "acl", "key", "classify", "actions", "route", "tx",
    ]  # fmt: skip
