"""The distance of a scenario from what was calibrated."""

from __future__ import annotations

from typing import Any

import pytest

from planecast.model.calibrated_range import coordinates, nearest
from planecast.scenario import Scenario
from planecast.scenario.override import with_overrides

BASE = Scenario(name="s")


def asked(**keys: Any) -> Scenario:
    return with_overrides(BASE, {key.replace("__", "."): value for key, value in keys.items()})


GRID = [
    asked(traffic__flows=flows, placement__burst=burst)
    for flows in (64, 512, 4096, 32768)
    for burst in (4, 8, 16, 32, 64)
]
PLACED = {key: tuple(column.tolist()) for key, column in coordinates(GRID).items()}


def test_a_calibration_point_is_no_distance_away() -> None:
    found = nearest(GRID[7], PLACED)
    assert found is not None
    assert found.distance == 0
    assert found.spacing == pytest.approx(1 / 4)  # twice the burst, of 16 times
    assert not found.gap


def test_halfway_between_points_in_logarithms() -> None:
    found = nearest(asked(traffic__flows=1448, placement__burst=32), PLACED)
    assert found is not None
    assert (found.distance, found.key) == (pytest.approx(1 / 6, rel=1e-3), "traffic.flows")
    assert not found.gap


def test_beyond_the_range_and_in_a_hole_are_gaps() -> None:
    far = nearest(asked(workload__flows=1 << 20, traffic__flows=1 << 20), PLACED)
    assert far is not None
    assert (far.distance, far.key) == (pytest.approx(5 / 9), "traffic.flows")
    assert far.gap
    holed = {key: column[:5] + column[15:] for key, column in PLACED.items()}
    between = nearest(asked(traffic__flows=1448), holed)
    assert between is not None
    assert between.gap
    assert between.sentence().startswith("the nearest calibration point is 50 % of the calibrated")


def test_keys_that_no_calibration_point_varied_do_not_count() -> None:
    found = nearest(asked(traffic__frame_bytes=1518, placement__burst=16), PLACED)
    assert found is not None
    assert found.key in ("traffic.flows", "placement.burst")


def test_too_few_points_have_no_spacing() -> None:
    two = {key: column[:2] for key, column in PLACED.items()}
    assert nearest(GRID[0], two) is None
    assert nearest(GRID[0], {}) is None
