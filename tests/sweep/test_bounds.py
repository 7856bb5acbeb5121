"""Bounds: in the order that physics gives them, and against arithmetic by hand."""

from __future__ import annotations

import pytest

from planecast.errors import InputError
from planecast.model.calibration import Calibration
from planecast.results import Manifest
from planecast.scenario import Scenario, with_overrides
from planecast.sweep.bounds import Bound, bounds, gain_percent, parse_faster


@pytest.fixture
def found(base: Scenario, calibration: Calibration, manifest: Manifest) -> dict[str, Bound]:
    asked = bounds(base, calibration, manifest, {"acl": 10.0})
    return {bound.name: bound for bound in asked}


def test_they_are_in_order(found: dict[str, Bound]) -> None:
    rate = {name: bound.result.throughput_pps.value for name, bound in found.items()}
    assert rate["as-it-is"] <= rate["infinite-llc"] <= rate["all-near"] <= rate["ideal-cpi"]
    assert rate["worst-traffic"] <= rate["as-it-is"] <= rate["best-traffic"]
    assert rate["worst-traffic"] < rate["best-traffic"]
    assert all(bound.result.scenario.name == name for name, bound in found.items())


def test_ideal_cpi_is_instructions_over_four(
    found: dict[str, Bound], calibration: Calibration
) -> None:
    count = found["as-it-is"].result.instructions_per_packet
    assert count is not None
    core_hz = calibration.hierarchy.core_hz
    rate = found["ideal-cpi"].result.throughput_pps.value
    assert rate == pytest.approx(core_hz * 4 / count.value)


def test_a_stage_ten_times_as_fast_saves_nine_tenths_of_it(found: dict[str, Bound]) -> None:
    base, faster = found["as-it-is"].result, found["acl-x10"].result
    own = base.stages["acl"].cycles_per_packet
    assert own is not None
    assert faster.cycles_per_packet.value == pytest.approx(
        base.cycles_per_packet.value - 0.9 * own.value
    )
    assert gain_percent(found["acl-x10"], found["as-it-is"]) > 0


def test_a_device_costs_what_handing_over_costs(
    base: Scenario, calibration: Calibration, manifest: Manifest
) -> None:
    """Free and endless it comes near the bound; with hand-over cycles it falls behind."""
    rates = []
    for cycles in (0.0, 400.0):
        device = {"accelerator.stage": "acl", "accelerator.core_cycles": cycles}
        scenario = with_overrides(base, device)
        asked = bounds(scenario, calibration, manifest, {"acl": 1e6}, precision=0.02)
        last, bound = asked[-1], asked[-2]
        assert last.name == "device"
        assert last.result.throughput_pps.kind == "simulated"
        rates.append(last.result.throughput_pps.value / bound.result.throughput_pps.value)
    assert rates[0] == pytest.approx(1, abs=0.05)
    assert rates[1] < 0.8 * rates[0]


def test_refusals(base: Scenario, calibration: Calibration, manifest: Manifest) -> None:
    for text in ("acl", "acl=1", "acl=x", "=3"):
        with pytest.raises(InputError, match="--faster"):
            parse_faster([text])
    with pytest.raises(InputError, match="the stage tm doesn't run"):
        bounds(base, calibration, manifest, {"tm": 2.0})
