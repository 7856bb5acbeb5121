"""A run without counters: causes add up to what was measured, and say what they don't know."""

from __future__ import annotations

from typing import Any

import pytest

from planecast.engines.measure.estimate import ROTATES
from planecast.explain import Case, Explanation, explain_case
from planecast.explain.estimates import counted
from planecast.explain.model_breakdown import model_breakdown
from planecast.model.calibration import Calibration
from planecast.model.prediction import predict
from planecast.results import Manifest, Result
from planecast.results.result import CLOCK_AND_MODEL, FEW_WINDOWS
from planecast.scenario import Scenario, with_overrides
from planecast.workload.counts import InstructionCounts


def whole_pipeline(calibration: Calibration) -> InstructionCounts:
    """The counts of the pipeline that no stage is left out of."""
    return max(calibration.instructions.values(), key=lambda counts: len(counts.stages))


@pytest.fixture(scope="module")
def explained(measured: Result, calibration: Calibration) -> Explanation:
    return explain_case(Case("run#1", measured.scenario, measured, calibration=calibration))


def test_causes_add_up_to_what_was_measured(explained: Explanation) -> None:
    assert explained.cycles_per_packet is not None
    whole = explained.cycles_per_packet.value
    assert sum(part.cycles.value for part in explained.causes) == pytest.approx(whole)
    assert sum(s.cycles.value for s in explained.stages if s.cycles) == pytest.approx(whole)
    for stage in explained.stages:
        assert stage.cycles is not None
        parts = sum(part.cycles.value for part in stage.causes)
        assert parts == pytest.approx(stage.cycles.value)


def test_another_machines_cycles_say_whose_clock_they_are_of(
    measured: Result, calibration: Calibration
) -> None:
    there = with_overrides(measured.scenario, {"machine": "epyc-9354"})
    result = measured.model_copy(update={"scenario": there})
    notes = explain_case(Case("run#1", there, result, calibration=calibration)).notes
    assert "EPYC 9354" in notes[0]
    assert f"{calibration.hierarchy.tsc_hz / 1e9:.2f} GHz" in notes[0]


def test_measured_stays_measured_and_causes_are_computed(explained: Explanation) -> None:
    assert explained.cycles_per_packet is not None
    assert explained.cycles_per_packet.kind == "measured"
    for stage in explained.stages:
        assert stage.cycles is not None
        if stage.stage != "loop":
            assert stage.cycles.kind == "measured"
        assert {part.cycles.kind for part in stage.causes} == {"computed"}
        assert all(part.cycles.interval is not None for part in stage.causes)


def test_the_models_miss_is_a_cause_of_its_own(explained: Explanation) -> None:
    assert explained.cycles_per_packet is not None
    assert explained.modelled is not None
    left = {part.cause: part.cycles.value for part in explained.causes}["unexplained"]
    assert left == pytest.approx(explained.cycles_per_packet.value - explained.modelled.value)
    acl = next(stage for stage in explained.stages if stage.stage == "acl")
    assert acl.modelled is not None
    parts = {part.cause: part.cycles.value for part in acl.causes}
    assert parts["unexplained"] == pytest.approx(0.03 * acl.modelled.value)


@pytest.mark.parametrize(
    "point",
    [
        {},
        {"placement.burst": 8},
        {"workload.stages": "key,classify,actions"},
        {"workload.stages": "none"},
        {"placement.page_size": "4KiB"},
        {"traffic.flows": 256},
    ],
)
def test_the_parts_are_the_engines_answer(
    base: Scenario, calibration: Calibration, point: dict[str, object]
) -> None:
    scenario = with_overrides(base, point)
    found = model_breakdown(scenario, calibration, 6)
    said = predict([scenario], calibration)
    assert found.whole.value == pytest.approx(float(said.value[0]))
    assert found.whole.interval == pytest.approx([float(end[0]) for end in said.interval])
    assert sum(part.value for part in found.parts.values()) == pytest.approx(found.whole.value)
    assert sum(part.value for part in found.causes.values()) == pytest.approx(found.whole.value)
    for stage, estimate in found.stages.items():
        assert estimate.value == pytest.approx(float(said.stages[stage][0][0]), abs=1e-9)


def test_small_pages_show_as_page_walks_and_small_bursts_as_bursts(
    base: Scenario, calibration: Calibration
) -> None:
    usual = model_breakdown(base, calibration, 6).causes
    small = model_breakdown(
        with_overrides(base, {"placement.page_size": "4KiB"}), calibration, 6
    ).causes
    narrow = model_breakdown(with_overrides(base, {"placement.burst": 8}), calibration, 6).causes
    assert small["page walks"].value > 1.5 * usual["page walks"].value > 0
    assert narrow["bursts"].value > 1.2 * usual["bursts"].value


@pytest.mark.parametrize(
    "keys", [{}, {"machine": "gold-6230n"}, {"placement.core_ghz": 2.0, "traffic.flows": 4096}]
)
def test_a_prediction_that_is_known_is_not_made_again(
    base: Scenario, calibration: Calibration, keys: dict[str, Any]
) -> None:
    scenario = with_overrides(base, keys)
    said = predict([scenario], calibration)
    assert model_breakdown(scenario, calibration, 6, said) == model_breakdown(
        scenario, calibration, 6
    )


def test_issue_width_is_instructions_over_slots_in_tsc_cycles(
    base: Scenario, calibration: Calibration
) -> None:
    found = model_breakdown(base, calibration, 6)
    counted = whole_pipeline(calibration).stages["actions"].at(32)
    hierarchy = calibration.hierarchy
    issue = found.parts["actions", "issue"].value
    assert issue == pytest.approx(counted / 6 * hierarchy.tsc_hz / hierarchy.core_hz)
    assert ("actions", "issue") not in model_breakdown(base, calibration, None).parts


def test_instructions_are_split_into_io_processing_and_other(explained: Explanation) -> None:
    roles = {role.role: role for role in explained.roles}
    count = {stage.stage: stage.instructions for stage in explained.stages}
    assert all(count.values())
    io = roles["I/O"].instructions
    assert io is not None
    assert io.value == pytest.approx(sum(count[n].value for n in ("source", "tx")))  # type: ignore[union-attr]
    whole = explained.instructions_per_packet
    assert whole is not None
    assert sum(r.instructions.value for r in roles.values() if r.instructions) == pytest.approx(
        whole.value
    )
    assert explained.ipc is not None


def test_what_limits_how_sure_and_what_to_try_are_reported(explained: Explanation) -> None:
    assert any("the core's own work" in sentence for sentence in explained.limits)
    assert any("most expensive stage" in sentence for sentence in explained.limits)
    assert any("the model says" in sentence for sentence in explained.certainty)
    assert explained.advice
    assert sum("no hardware counters" in note for note in explained.notes) == 1
    assert explained.notes.count(CLOCK_AND_MODEL) == 1


def test_small_pages_are_advised_against_with_what_they_cost(
    measured: Result, calibration: Calibration
) -> None:
    scenario = with_overrides(measured.scenario, {"placement.page_size": "4KiB"})
    found = explain_case(Case("run", scenario, calibration=calibration))
    (advice,) = [a for a in found.advice if a.try_this == "--set placement.page_size=2MiB"]
    assert advice.saves is not None
    assert advice.saves.value == pytest.approx(
        model_breakdown(scenario, calibration, 6).whole.value
        - model_breakdown(measured.scenario, calibration, 6).whole.value
    )


def test_a_result_without_stages_says_what_it_cannot_know(
    measured: Result, calibration: Calibration
) -> None:
    scenario = with_overrides(
        Scenario(name="l3fwd"),
        {"workload.kind": "ip4", "workload.stages": "check,next_hop,rewrite"},
    )
    foreign = measured.model_copy(update={"scenario": scenario, "stages": {}})
    found = explain_case(Case("l3fwd", scenario, foreign, calibration=calibration))
    assert found.cycles_per_packet == measured.cycles_per_packet
    assert [part.cause for part in found.causes] == ["unattributed"]
    text = " ".join(found.unknown)
    assert "has no stages" in text
    assert "of vpe-upstream, not of ip4" in text
    assert "none were counted" in text


def test_another_functions_stages_are_measured_and_not_distinguished_without_a_calibration(
    measured: Result,
) -> None:
    scenario = with_overrides(
        Scenario(name="ip4"), {"workload.kind": "ip4", "workload.stages": "check,next_hop,rewrite"}
    )
    stages = {
        new: measured.stages[old]
        for new, old in zip(
            ("source", "check", "next_hop", "rewrite", "tx"),
            ("source", "acl", "key", "route", "tx"),
            strict=True,
        )
    }
    other = measured.model_copy(update={"scenario": scenario, "stages": stages})
    found = explain_case(Case("ip4", scenario, other))
    assert {p.cause for stage in found.stages for p in stage.causes} == {"unattributed"}
    assert found.cycles_per_packet is not None
    assert sum(p.cycles.value for p in found.causes) == pytest.approx(found.cycles_per_packet.value)


def test_a_function_without_stages_has_no_instructions_of_another(
    measured: Result, calibration: Calibration
) -> None:
    scenario = with_overrides(
        Scenario(name="l2patch"), {"workload.kind": "l2patch", "workload.stages": "none"}
    )
    stages = {name: measured.stages[name] for name in ("source", "tx")}
    changes = {"scenario": scenario, "stages": stages, "instructions_per_packet": None}
    other = measured.model_copy(update=changes)
    found = explain_case(Case("l2patch", scenario, other, calibration=calibration))
    assert (found.instructions_per_packet, found.ipc) == (None, None)
    assert not any("outside the calibrated" in note for note in found.notes)


def test_a_profile_is_explained_by_the_model_alone(
    measured: Result, calibration: Calibration
) -> None:
    counts = whole_pipeline(calibration)
    found = explain_case(Case("profile", measured.scenario, counts=counts, calibration=calibration))
    assert found.cycles_per_packet == found.modelled
    assert CLOCK_AND_MODEL not in found.notes
    assert all(part.cause != "unexplained" for part in found.causes)
    assert any("instructions and no cycles" in text for text in found.unknown)


def test_a_programs_profile_has_its_own_stages(
    counts: dict[str, InstructionCounts], calibration: Calibration
) -> None:
    """l3fwd's stages are those of its map, not planecast's."""
    scenario = Scenario.model_validate({"name": "router", "dataplane": {"kind": "l3fwd"}})
    own = next(iter(counts.values()))
    parts = dict.fromkeys(("rx", "parse", "route", "tx"), own.stages["acl"])
    counted = own.model_copy(update={"stages": parts})
    alone = explain_case(Case("profile", scenario, counts=counted))
    assert [stage.stage for stage in alone.stages] == ["rx", "parse", "route", "tx", "loop"]
    assert [stage.role for stage in alone.stages[:2]] == ["I/O", "processing"]
    assert all(stage.instructions is not None for stage in alone.stages)
    assert alone.cycles_per_packet is None  # of no core
    other = calibration.model_copy(update={"manifest": known_core(calibration)})
    found = explain_case(Case("profile", scenario, counts=counted, calibration=other))
    assert {part.cause for part in found.causes} == {"issue"}
    assert found.ipc is None
    assert any("cycles are the least that the counted" in text for text in found.certainty)
    assert not any("unattributed" in text for text in found.limits)


def test_a_programs_measured_cycles_have_the_profiles_instructions(
    measured: Result, counts: dict[str, InstructionCounts], calibration: Calibration
) -> None:
    scenario = Scenario.model_validate({"name": "router", "dataplane": {"kind": "l3fwd"}})
    clock = measured.stages["acl"]
    stages = dict.fromkeys(("source", "rx", "program", "tx"), clock)
    result = measured.model_copy(update={"scenario": scenario, "stages": stages})
    own = next(iter(counts.values()))
    parts = dict.fromkeys(("rx", "parse", "route", "tx"), own.stages["acl"])
    counted = own.model_copy(update={"stages": parts})
    found = explain_case(Case("run", scenario, result, counts=counted, calibration=calibration))
    each = own.stages["acl"].at(32)
    instructions = {s.stage: s.instructions.value for s in found.stages if s.instructions}
    assert instructions["program"] == pytest.approx(2 * each)
    assert instructions["rx"] == pytest.approx(each)


def test_a_program_takes_what_its_ports_and_its_packets_do_not(measured: Result) -> None:
    scenario = Scenario.model_validate({"name": "router", "dataplane": {"kind": "l3fwd"}})
    port = measured.stages["acl"].model_copy(update={"instructions_per_packet": counted(50)})
    stages = dict.fromkeys(("source", "rx", "tx"), port)
    stages["program"] = measured.stages["acl"]
    update = {"scenario": scenario, "stages": stages, "instructions_per_packet": counted(220)}
    found = explain_case(Case("run", scenario, measured.model_copy(update=update)))
    instructions = {s.stage: s.instructions.value for s in found.stages if s.instructions}
    assert instructions["program"] == pytest.approx(70)


def test_instructions_of_a_part_of_the_stages_are_no_ipc(measured: Result) -> None:
    scenario = Scenario.model_validate({"name": "router", "dataplane": {"kind": "l3fwd"}})
    clock = measured.stages["acl"]
    rx = clock.model_copy(update={"instructions_per_packet": counted(50)})
    stages = {"rx": rx, "source": clock}
    update = {"scenario": scenario, "stages": stages, "instructions_per_packet": None}
    found = explain_case(Case("run", scenario, measured.model_copy(update=update)))
    assert found.instructions_per_packet is None
    assert found.ipc is None


def known_core(calibration: Calibration) -> Manifest:
    """The calibration's manifest, of a core that the catalogue knows."""
    host = {**calibration.manifest.host, "cpu_id": "GenuineIntel-6-143"}
    return calibration.manifest.model_copy(update={"host": host})


def test_without_a_calibration_only_what_was_measured_is_reported(measured: Result) -> None:
    found = explain_case(Case("run", measured.scenario, measured))
    assert found.modelled is None
    assert any("there is no calibration" in text for text in found.unknown)
    assert [s.stage for s in found.stages][-1] == "loop"


def test_a_disturbed_run_is_said_to_be_one_before_any_cause(
    measured: Result, calibration: Calibration
) -> None:
    disturbed = measured.model_copy(update={"disturbed_share": 0.8})
    found = explain_case(Case("run#1", disturbed.scenario, disturbed, calibration=calibration))
    assert found.limits[0].startswith("the run was disturbed: 80% of its windows")
    assert "what is not explained may be the disturbance" in found.limits[0]
    few = measured.model_copy(update={"notes": (f"{FEW_WINDOWS}, 3 of 40, so",)})
    found = explain_case(Case("run#1", few.scenario, few, calibration=calibration))
    assert "with too few others" in found.limits[0]


def test_instances_that_differ_are_said_before_any_cause(
    measured: Result, calibration: Calibration
) -> None:
    """A run whose starts differ by half: no miss of the model is shown."""
    note = "process instances differ by 44 %: 150.0 to 235.0 cycles/packet in 3 of them"
    cost = measured.cycles_per_packet
    wide = cost.model_copy(
        update={"value": 1.4 * cost.value, "low": 0.5 * cost.value, "high": 2.3 * cost.value}
    )
    run = measured.model_copy(update={"notes": (note,), "cycles_per_packet": wide})
    verdict = explain_case(Case("a", run.scenario, run, calibration=calibration))
    assert verdict.limits[0].startswith(note)
    assert "--restarts" in verdict.limits[0]
    (agreement,) = (line for line in verdict.certainty if line.startswith("the model says"))
    assert "the measurement is too uncertain to decide" in agreement
    known = run.model_copy(
        update={"cycles_per_packet": wide.model_copy(update={"low": 1.39 * cost.value})}
    )
    verdict = explain_case(Case("a", known.scenario, known, calibration=calibration))
    assert any("trust the causes less" in line for line in verdict.certainty)


def test_packet_buffers_that_take_turns_are_among_the_limits(
    measured: Result, calibration: Calibration
) -> None:
    note = f"{ROTATES}: 50% of the packets got one that none of the last 256 packets had"
    run = measured.model_copy(update={"notes": (note,)})
    verdict = explain_case(Case("run#1", run.scenario, run, calibration=calibration))
    assert note in verdict.limits[1:]
