"""Controls follow from the scenario's fields: their values can all be set, and span the bounds."""

from __future__ import annotations

import pytest

from planecast.errors import InputError
from planecast.explore.controls import Control, controls_of
from planecast.model.calibration import Calibration
from planecast.scenario import Scenario
from planecast.sweep.axes import checked


@pytest.fixture(scope="module")
def controls(base: Scenario, calibration: Calibration) -> list[Control]:
    return controls_of(base, calibration)


def test_every_value_is_one_that_its_key_takes(controls: list[Control]) -> None:
    for control in controls:
        if control.kind != "list":
            assert [checked(control.key, v) for v in control.values] == list(control.values)


def test_a_slider_spans_what_its_key_takes(controls: list[Control]) -> None:
    for control in controls:
        numbers = [v for v in control.values if isinstance(v, int | float)]
        if control.kind != "number" or not numbers:
            continue
        assert numbers == sorted(numbers), control.key
        assert len(numbers) <= 70, control.key
        with pytest.raises(InputError):
            checked(control.key, -1)
        if control.key not in ("neighbour.rate", "placement.lcores"):
            with pytest.raises(InputError):
                checked(control.key, type(numbers[0])(numbers[-1] * 2))


def test_what_is_beyond_the_calibration_is_marked(controls: list[Control]) -> None:
    known = {control.key: control for control in controls}

    def within(key: str) -> list[object]:
        control = known[key]
        pairs = zip(control.values, control.beyond, strict=True)
        return [value for value, beyond in pairs if not beyond]

    assert within("machine") == ["host"]
    assert within("placement.lcores") == [1]
    assert within("placement.core_ghz") == [None]
    assert within("neighbour.walk") == [None]
    assert within("placement.rx_ring") == [128]
    assert within("placement.burst") == [4, 6, 8, 12, 16, 24, 32, 48, 64]
    assert within("workload.stages") == list(known["workload.stages"].values)
    assert within("nic.link_gbps") == list(known["nic.link_gbps"].values)
