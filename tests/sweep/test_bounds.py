"""Bounds: in the order that physics gives them, and against arithmetic by hand."""

from __future__ import annotations

import pytest
from tests.calibrations import Counts, fitted

from planecast.errors import InputError
from planecast.machine.hierarchy import Hierarchy
from planecast.machine.last_level import LIFETIME
from planecast.model.calibration import Calibration
from planecast.model.prediction import cost_of
from planecast.model.target_platform import Site
from planecast.model.transfer import transferred
from planecast.results import Manifest
from planecast.scenario import Scenario, with_overrides
from planecast.sweep.bounds import Bound, bounds, gain_percent, parse_faster
from planecast.sweep.hardware import with_last_level


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


CORES = {
    "AuthenticAMD-25-17": 6.0,
    "AuthenticAMD-26-2": 8.0,
    "GenuineIntel-6-85": 4.0,
    "GenuineIntel-6-143": 6.0,
}
"""Slots a cycle of Zen 4, Zen 5, Cascade Lake and Sapphire Rapids, as the catalogue has them."""


@pytest.mark.parametrize("cpu", [*CORES, "unheard-of"])
def test_ideal_cpi_is_instructions_over_the_calibrated_cores_issue_width(
    base: Scenario, calibration: Calibration, manifest: Manifest, cpu: str
) -> None:
    own = calibration.manifest.model_copy(update={"host": {"cpu_id": cpu}})
    model = calibration.model_copy(update={"manifest": own})
    found = {bound.name: bound for bound in bounds(base, model, manifest, {})}
    count = found["as-it-is"].result.instructions_per_packet
    assert count is not None
    rate = found["ideal-cpi"].result.throughput_pps.value
    width = CORES.get(cpu, max(CORES.values()))
    assert rate == pytest.approx(calibration.hierarchy.core_hz * width / count.value)
    assert ("widest of the catalogue" in found["ideal-cpi"].meaning) == (cpu not in CORES)


def test_on_another_machine_its_own_core_and_caches_are_bounded(
    base: Scenario, calibration: Calibration, manifest: Manifest
) -> None:
    there = with_overrides(base, {"machine": "gold-6230n", "traffic.flows": 1 << 20})
    found = {bound.name: bound for bound in bounds(there, calibration, manifest, {})}
    rate = {name: bound.result.throughput_pps.value for name, bound in found.items()}
    assert rate["as-it-is"] < rate["infinite-llc"] < rate["all-near"] <= rate["ideal-cpi"]
    for bound in found.values():
        assert bound.result.scenario.machine == "gold-6230n"
        assert any(note.startswith("transferred to") for note in bound.result.notes)
    count = found["as-it-is"].result.instructions_per_packet
    assert count is not None
    hz = transferred(calibration, Site.of(there)).calibration.hierarchy.core_hz
    assert rate["ideal-cpi"] == pytest.approx(hz * 4 / count.value)


def test_an_endless_last_level_outlasts_unknown_tenants(
    base: Scenario, hierarchy: Hierarchy, counts: Counts, manifest: Manifest
) -> None:
    """Lines that tenants bring in are the machine's: they fill a larger level later."""
    shared = hierarchy.model_copy(update={"background": True})
    model = fitted(base, shared, counts, manifest, 0.01)
    assert LIFETIME in model.names
    many = [with_overrides(base, {"traffic.flows": 1 << 20})]
    usual, endless = (cost_of(many, one)[1] for one in (model, with_last_level(model, 1e9)))
    assert usual.served.memory_lines[0] > 0.5
    assert endless.served.memory_lines[0] == pytest.approx(0, abs=1e-6)


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
