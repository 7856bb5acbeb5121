"""A neighbour in a scenario: what the closed form says of it."""

from __future__ import annotations

import numpy as np
import pytest
from tests.engines.simulate.conftest import base, calibration, manifest

from planecast.engines.solve import Calibration, predicted_cycles
from planecast.generators.neighbour import Work
from planecast.partition.contention import beside as contended
from planecast.scenario import Scenario, with_overrides
from planecast.scenario.neighbour import Neighbour

__all__ = ["base", "calibration", "manifest"]

MIB = 1 << 20


def cost(calibration: Calibration, scenario: Scenario, **neighbour: object) -> float:
    busy = with_overrides(scenario, {f"neighbour.{key}": one for key, one in neighbour.items()})
    return float(predicted_cycles([busy], calibration).value[0])


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


def test_it_is_the_neighbour_of_partition(base: Scenario, calibration: Calibration) -> None:
    """Two ways to the same fixed point: lines among lines, and the room that they leave."""
    for busy in (Neighbour(stream=256 * MIB), Neighbour(walk=8 * MIB), Neighbour(walk=64 * MIB)):
        left = contended(calibration, base, Work.of(busy), 119.7).calibration
        wanted = float(predicted_cycles([base], left).value[0])
        scenario = base.model_copy(update={"neighbour": busy})
        found = float(predicted_cycles([scenario], calibration).value[0])
        alone = float(predicted_cycles([base], calibration).value[0])
        assert found - alone == pytest.approx(wanted - alone, rel=0.1, abs=0.002 * alone)


def test_scenarios_with_and_without_are_asked_together(
    base: Scenario, calibration: Calibration
) -> None:
    busy = with_overrides(base, {"neighbour.stream": 256 * MIB})
    both = predicted_cycles([base, busy, base], calibration)
    single = [cost(calibration, base), cost(calibration, base, stream=256 * MIB)]
    np.testing.assert_allclose(both.value, [single[0], single[1], single[0]], rtol=1e-4)
    assert both.half_width[1] > both.half_width[0]
