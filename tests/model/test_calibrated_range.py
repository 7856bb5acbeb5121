"""The distance of a scenario from what was calibrated."""

from __future__ import annotations

from typing import Any

import pytest

from planecast.model.calibrated_range import (
    CalibratedSpan,
    any_outside,
    coordinates,
    nearest,
    outside,
    ranges_of,
    settings_of,
)
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


def l3fwd(**keys: Any) -> Scenario:
    base = Scenario.model_validate(
        {
            "name": "s",
            "dataplane": {"kind": "l3fwd", "routes": 512},
            "traffic": {"flows": 300},
        }
    )
    return with_overrides(base, {key.replace("__", "."): value for key, value in keys.items()})


def calibrated(scenarios: list[Scenario]) -> CalibratedSpan:
    return CalibratedSpan(ranges_of(scenarios), settings_of(scenarios))


@pytest.mark.parametrize(
    ("point", "said"),
    [
        (l3fwd(), None),
        (l3fwd(traffic__flows=1), "traffic.flows=1 lies outside the calibrated 64 to 4096"),
        (
            l3fwd(traffic__destination_step="0.0.0.1"),
            "traffic.destination_step=0.0.0.1 was not calibrated, only 0.0.64.0 and 0.4.0.0",
        ),
        (
            l3fwd(dataplane__memory="no-huge"),
            "dataplane.memory=no-huge was not calibrated, only as-hugepages",
        ),
        (
            l3fwd(dataplane__route_depth=24),
            "dataplane.route_depth=24 was not calibrated, only mixed",
        ),
    ],
)
def test_what_no_calibration_point_has_is_outside(point: Scenario, said: str | None) -> None:
    step = {"traffic__destination_step": "0.0.64.0"}
    known = calibrated([l3fwd(traffic__flows=64), l3fwd(traffic__flows=4096, **step)])
    assert outside(point, known) == ([said] if said else [])
    assert any_outside([point, l3fwd(traffic__flows=64)], known).tolist() == [
        said is not None,
        False,
    ]


def test_settings_of_our_own_functions_are_named_as_a_file_has_them() -> None:
    def downstream(**keys: Any) -> Scenario:
        return Scenario.model_validate(
            {"name": "s", "workload": {"kind": "vpe-downstream", **keys}}
        )

    asked_for = downstream(tm_red=False, down_lookup="hash")
    assert outside(asked_for, calibrated([downstream()])) == [
        "workload.down_lookup=hash was not calibrated, only lpm",
        "workload.tm_red=false was not calibrated, only true",
    ]


def test_a_number_of_a_table_has_a_range() -> None:
    def vpp(next_hops: int) -> Scenario:
        dataplane = {"kind": "vpp", "graph": "ip4", "next_hops": next_hops}
        return Scenario.model_validate({"name": "s", "dataplane": dataplane})

    known = calibrated([vpp(64)])
    assert outside(vpp(1024), known) == ["dataplane.next_hops=1024 lies outside the calibrated 64"]


def test_calibrations_from_before_settings_were_kept_say_nothing_of_them() -> None:
    before = CalibratedSpan(ranges_of([l3fwd()]), {})
    assert outside(l3fwd(traffic__destination_step="0.0.0.1"), before) == []
