"""A neighbour in a scenario: what the closed form says of it."""

from __future__ import annotations

import numpy as np
import pytest

from planecast.model.calibration import Calibration
from planecast.model.prediction import predict
from planecast.scenario import Scenario, with_overrides

MIB = 1 << 20


def cost(calibration: Calibration, scenario: Scenario, **neighbour: object) -> float:
    busy = with_overrides(scenario, {f"neighbour.{key}": one for key, one in neighbour.items()})
    return float(predict([busy], calibration).value[0])


def test_larger_and_faster_neighbours_cost_more(base: Scenario, calibration: Calibration) -> None:
    alone = cost(calibration, base)
    walks = [cost(calibration, base, walk=size * MIB) for size in (4, 8, 64, 256)]
    assert walks[0] >= alone
    assert walks[-1] > 1.003 * alone
    slow = [cost(calibration, base, stream=256 * MIB, rate=rate) for rate in (1e5, 5e6, 2e7, 0.0)]
    assert slow == sorted(slow)
    assert slow[0] == pytest.approx(alone, rel=0.01)


def test_what_stays_in_its_own_caches_or_spins_costs_nothing(
    base: Scenario, calibration: Calibration
) -> None:
    alone = cost(calibration, base)
    assert cost(calibration, base, spin=True) == alone
    assert cost(calibration, base, walk=256 << 10) == alone


def test_a_stream_that_just_fits_costs_what_one_that_just_does_not_does(
    base: Scenario, calibration: Calibration
) -> None:
    many = with_overrides(base, {"traffic.flows": 1 << 18, "workload.flows": 1 << 18})
    size = calibration.hierarchy.levels[-1].size_bytes
    sizes = np.geomspace(size, 4 * size, 40)
    costs = np.array([cost(calibration, many, stream=int(one)) for one in sizes])
    assert np.all(np.abs(np.diff(costs)) < 0.01 * costs[:-1])
    assert costs[-1] == pytest.approx(cost(calibration, many, stream=256 * MIB), rel=1e-3)


def test_several_cost_more_than_one(base: Scenario, calibration: Calibration) -> None:
    costs = [cost(calibration, base, stream=256 * MIB, cores=cores) for cores in (1, 2, 8, 32)]
    assert costs == sorted(costs)
    assert costs[-1] > 1.01 * costs[0]


def test_ways_lie_over_each_other_or_apart(base: Scenario, calibration: Calibration) -> None:
    """Of 11 ways the lcores have the lowest four: the more of these a neighbour fills, the more it
    costs; where it fills none, memory alone is slower."""
    keys = {"traffic.flows": 1 << 18, "machine": "platinum-8180", "placement.llc_ways": 4}
    four = with_overrides(base, keys)
    alone = float(predict([four], calibration).value[0])
    costs = [cost(calibration, four, stream=256 * MIB, ways=n) for n in (7, 8, 9, 11)]
    assert costs == sorted(costs)
    assert alone < costs[0] < alone + 0.1 * (costs[-1] - alone)
    assert costs[-1] == cost(calibration, four, stream=256 * MIB)
    # What fits into its own ways asks nothing of memory.
    assert cost(calibration, four, walk=4 * MIB, ways=7) == pytest.approx(alone, rel=1e-3)


def test_scenarios_with_and_without_are_asked_together(
    base: Scenario, calibration: Calibration
) -> None:
    busy = with_overrides(base, {"neighbour.stream": 256 * MIB})
    both = predict([base, busy, base], calibration)
    single = [cost(calibration, base), cost(calibration, base, stream=256 * MIB)]
    np.testing.assert_allclose(both.value, [single[0], single[1], single[0]], rtol=1e-4)
    assert both.half_width[1] > both.half_width[0]
