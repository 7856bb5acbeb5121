"""Sensitivity: what is known to matter does, what is known not to matter doesn't."""

from __future__ import annotations

import itertools
from pathlib import Path

import pytest
from tests.sweep.conftest import MakeJob

from planecast.errors import InputError
from planecast.machine.hierarchy import TlbLevel
from planecast.model.calibration import Calibration
from planecast.report.report import report_html
from planecast.results import Result, RunDirectory
from planecast.scenario import Scenario, with_overrides
from planecast.sweep import parse_axis
from planecast.sweep.answer import answered
from planecast.sweep.hardware import FACTORS, with_factors
from planecast.sweep.sensitivity import default_axes, sensitivity


def rate(make_job: MakeJob, **factors: float) -> float:
    job = make_job("machine.core_clock=1,2")
    (found,) = answered(job, [{f"machine.{name}": value for name, value in factors.items()}])
    assert isinstance(found, Result), found
    return found.throughput_pps.value


@pytest.mark.parametrize("key", FACTORS)
def test_no_better_component_makes_it_slower(make_job: MakeJob, key: str) -> None:
    name = key.partition(".")[2]
    rates = [rate(make_job, **{name: factor}) for factor in (0.5, 1.0, 1.5, 3.0)]
    assert all(b >= a * (1 - 1e-9) for a, b in itertools.pairwise(rates))
    # Nothing but everything twice as fast makes all of it twice as fast.
    assert rates[-1] <= 3 * rates[1] * (1 + 1e-9)


def test_everything_faster_is_that_much_faster(make_job: MakeJob, calibration: Calibration) -> None:
    speeds = {"core_clock": 2.0, "llc_speed": 2.0, "memory_speed": 2.0}
    assert rate(make_job, **speeds) == pytest.approx(2 * rate(make_job), rel=1e-6)
    assert with_factors(calibration, {"machine.core_clock": 1.0}) == calibration


def test_a_wider_reach_is_that_of_all_levels_of_the_tlb(calibration: Calibration) -> None:
    first = TlbLevel(pages=64, miss_cycles=5, large_share=1)
    machine = calibration.hierarchy.model_copy(update={"first_tlb": first})
    known = calibration.model_copy(update={"hierarchy": machine})
    wide = with_factors(known, {"machine.tlb_reach": 2.0}).hierarchy
    assert wide.first_tlb == first.model_copy(update={"pages": 128})
    assert wide.tlb_pages == 2 * machine.tlb_pages
    fast = with_factors(known, {"machine.core_clock": 2.0}).hierarchy
    assert fast.first_tlb == first.model_copy(update={"miss_cycles": 2.5})


def test_the_indices_share_the_variance_out(make_job: MakeJob, folder: RunDirectory) -> None:
    axes = ("machine.core_clock=0.5:2", "machine.tlb_reach=0.5:2", "placement.burst=32,64")
    job = make_job(*axes, sample="lhs", points=16)
    found = sensitivity(job, 16, lambda *_: None)
    assert found.evaluations == 1 + 6 + 16 * 5
    by_key = {swing.key: swing for swing in found.swings}
    clock, tlb = by_key["machine.core_clock"], by_key["machine.tlb_reach"]
    assert found.swings[0] == clock
    assert clock.total is not None
    assert clock.total.value > 0.8
    assert 0.3 < (clock.elasticity or 0) <= 1
    assert 0 < tlb.width_pps < clock.width_pps / 10  # large pages take few walks
    assert tlb.total is not None
    assert tlb.total.value < 0.05
    assert any("not the calibrated machine's" in note for note in found.notes)
    folder.write_result(found)
    assert folder.read() == found
    page = report_html(found)
    assert "machine.core_clock most: " in page
    assert 'id="tornado"' in page
    assert 'id="sobol"' in page


def test_a_tornado_alone(make_job: MakeJob) -> None:
    job = make_job("machine.core_clock=0.5:2", sample="lhs", points=1)
    found = sensitivity(job, 0, lambda *_: None)
    assert found.evaluations == 3
    assert found.swings[0].total is None
    assert 'id="sobol"' not in report_html(found)


def test_an_end_that_cannot_be_asked_is_refused(make_job: MakeJob) -> None:
    job = make_job("nic.link_gbps=10,25", sample="lhs", points=1)
    with pytest.raises(
        InputError, match=r"an end of an axis can't be answered.*does not model nic"
    ):
        sensitivity(job, 0, lambda *_: None)


def test_what_is_varied_by_default_can_be(base: Scenario, calibration: Calibration) -> None:
    keys = [parse_axis(words).key for words in default_axes(base, calibration)]
    assert set(FACTORS) <= set(keys)
    assert {"workload.acl_rules", "workload.routes", "traffic.flows"} <= set(keys)
    assert not {"workload.bridge_entries", "workload.next_hops"} & set(keys)


def test_tables_of_stages_that_are_left_out_are_not_varied(
    base: Scenario, calibration: Calibration
) -> None:
    shorter = with_overrides(base, {"workload.stages": "acl"})
    keys = [parse_axis(words).key for words in default_axes(shorter, calibration)]
    assert "workload.acl_rules" in keys
    assert not {"workload.routes", "traffic.flows"} & set(keys)


def test_of_a_program_of_others_what_its_traces_changed_is_varied(repository: Path) -> None:
    run = repository / "docs/examples/explain/runs/20261125T033438Z-validate-ovs"
    model = Calibration.model_validate_json((run / "calibration.json").read_text(encoding="utf-8"))
    keys = {"kind": "ovs", "rules": 2, "masks": 1}
    scenario = Scenario.model_validate({"name": "ovs", "dataplane": keys})
    found = {axis.key: axis for axis in map(parse_axis, default_axes(scenario, model))}
    own = {key for key in found if key not in FACTORS}
    assert own == {"dataplane.rules", "dataplane.masks", "traffic.flows"}
    assert found["dataplane.rules"].values == (2, 4)  # powers of two
    assert (found["dataplane.masks"].low, found["dataplane.masks"].high) == (1, 2)
    most = with_overrides(scenario, {"dataplane.rules": 32768, "dataplane.masks": 8})
    found = {axis.key: axis for axis in map(parse_axis, default_axes(most, model))}
    assert found["dataplane.rules"].values == (16384, 32768)  # as many as there can be


def test_a_scenario_that_cannot_be_answered_is_not_blamed_on_an_axis(make_job: MakeJob) -> None:
    job = make_job("traffic.flows=64,128")
    cut = with_overrides(job.plan.base, {"nic.link_gbps": 10})
    other = job.model_copy(update={"plan": job.plan.model_copy(update={"base": cut})})
    with pytest.raises(InputError, match=r"^the scenario can't be answered: .* nic"):
        sensitivity(other, 0, lambda *_: None)


@pytest.mark.parametrize("typed", ["0", "-1", "100", "fast"])
def test_impossible_machines_are_refused(typed: str) -> None:
    with pytest.raises(InputError, match=r"--vary machine.llc_size.*a factor from 0.05 to 20"):
        parse_axis(f"machine.llc_size=1,{typed}")


def test_indices_are_shares(make_job: MakeJob) -> None:
    """Few draws: what the sampling adds reaches beyond 0 and 1, where no share can be."""
    job = make_job("machine.core_clock=0.5:2", "machine.llc_speed=0.5:2", sample="lhs", points=4)
    for swing in sensitivity(job, 4, lambda *_: None).swings:
        for index in (swing.first_order, swing.total):
            assert index is not None
            assert index.interval is not None
            assert 0 <= index.interval[0] <= index.value <= index.interval[1] <= 1
