"""What a program's clocks read, in rows: cycles and instructions of a row are of the same code."""

from __future__ import annotations

import pytest

from planecast.explain import Case, explain_case
from planecast.explain.estimates import counted
from planecast.explain.model_breakdown import ModelBreakdown
from planecast.explain.program_stages import program_rows
from planecast.model.calibration import Calibration
from planecast.results import Estimate, Result
from planecast.results.result import StageResult
from planecast.scenario import Scenario
from planecast.workload.counts import InstructionCounts

READ = {"source": 10.0, "rx": 5.0, "program": 80.0, "tx": 15.0}
STAGES = ("source", "rx", "classify", "actions", "tx")


def read(value: float) -> Estimate:
    return Estimate(value=value, low=value - 1, high=value + 1, unit="cycles/packet", samples=40,
                    kind="measured")  # fmt: skip


def model(**stages: float) -> ModelBreakdown:
    parts = {name: read(value) for name, value in stages.items()}
    return ModelBreakdown({}, parts, {}, read(sum(stages.values())))


CLOCKS = {name: read(value) for name, value in READ.items()}
COUNTS = {name: counted(100.0) for name in STAGES}
SAID = model(source=10, rx=10, classify=50, actions=20, tx=20)


def test_a_clock_of_one_stage_stays_as_it_was_read() -> None:
    rows = program_rows(CLOCKS, "l3fwd", COUNTS, SAID)
    assert list(rows.cycles) == ["source", "rx", "classify", "actions", "tx"]
    assert rows.cycles["rx"] == CLOCKS["rx"]
    assert rows.cycles["classify"].value == pytest.approx(80 * 50 / 70)
    assert rows.cycles["classify"].kind == "computed"
    assert rows.notes() == []


def test_clocks_that_cut_through_stages_are_divided_together() -> None:
    rows = program_rows(CLOCKS, "ovs", COUNTS, SAID)
    assert list(rows.cycles) == list(STAGES)
    assert rows.cycles["source"] == CLOCKS["source"]
    assert rows.cycles["rx"].value == pytest.approx(100 * 10 / 100)
    assert rows.cycles["tx"].value == pytest.approx(100 * 20 / 100)
    assert rows.cycles["rx"].kind == "computed"
    assert sum(one.value for one in rows.cycles.values()) == pytest.approx(sum(READ.values()))
    assert "rx 5, tx 15" in rows.notes()[0]


def test_without_a_model_they_are_one_row_with_the_instructions_of_all() -> None:
    rows = program_rows(CLOCKS, "ovs", COUNTS, None)
    assert {name: one.value for name, one in rows.cycles.items()} == {"source": 10, "program": 100}
    found = rows.instructions(COUNTS, None)
    assert {name: one.value for name, one in found.items()} == {"source": 100, "program": 400}
    assert rows.notes()


def test_clocks_of_stages_that_nobody_counted_have_no_instructions(measured: Result) -> None:
    """Results of before have the stage map's rx next to the driver's clock."""
    rows = program_rows(CLOCKS, "ovs", {}, None)
    assert rows.cycles == CLOCKS
    of_a_stage = StageResult(instructions_per_packet=counted(44.0))
    whole = {"instructions_per_packet": counted(500.0)}
    old = measured.model_copy(update={"stages": dict.fromkeys(READ, of_a_stage), **whole})
    assert list(rows.instructions({}, old)) == ["source"]
    plain = program_rows(CLOCKS, "l3fwd", {}, None).instructions({}, old)
    assert plain.keys() == READ.keys()


def test_vpps_source_has_what_its_nodes_leave() -> None:
    clocks = {"source": read(30.0), "route": read(40.0)}
    counts = {name: counted(50.0) for name in ("source", "route", "dispatch")}
    alone = program_rows(clocks, "vpp ip4", counts, None)
    assert alone.instructions(counts, None)["source"].value == 100
    divided = program_rows(clocks, "vpp ip4", counts, model(source=10, route=40, dispatch=20))
    assert {name: one.value for name, one in divided.cycles.items()} == pytest.approx(
        {"source": 10, "dispatch": 20, "route": 40}
    )


def test_no_row_of_open_vswitch_divides_a_stages_instructions_by_a_drivers_cycles(
    measured: Result, counts: dict[str, InstructionCounts], calibration: Calibration
) -> None:
    scenario = Scenario.model_validate({"name": "xc", "dataplane": {"kind": "ovs"}})
    own = next(iter(counts.values()))
    parts = dict.fromkeys(("rx", "classify", "tx"), own.stages["acl"])
    profile = own.model_copy(update={"stages": parts})
    stages = {name: StageResult(cycles_per_packet=cycles) for name, cycles in CLOCKS.items()}
    result = measured.model_copy(update={"scenario": scenario, "stages": stages})
    case = Case("run", scenario, result, counts=profile, calibration=calibration)
    found = {stage.stage: stage for stage in explain_case(case).stages}
    assert found.keys() == {"source", "program", "loop"}
    each, joined = own.stages["acl"].at(scenario.placement.burst), found["program"]
    assert joined.cycles is not None
    assert joined.cycles.value == 100
    assert joined.instructions is not None
    assert joined.instructions.value == pytest.approx(3 * each)
    assert joined.ipc is not None
