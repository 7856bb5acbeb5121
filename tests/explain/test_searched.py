"""A search of somebody else's data plane, explained: two sources, no stages of ours."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from planecast.explain.counters import as_counters, compare_counters, explain_published
from planecast.explain.explain_inputs import explained_run
from planecast.explain.explanation import Explanation
from planecast.explain.model_breakdown import ModelBreakdown
from planecast.explain.search_basis import SearchBasis
from planecast.explain.searched import explain_search
from planecast.explain.searched_stages import Divided, divided_by
from planecast.results import Estimate, Manifest, RunDirectory, collect_manifest
from planecast.results.search import Bounds, CyclesCheck, FoundRate, SearchAnswer
from planecast.results.telemetry import InstructionSplit, Telemetry
from planecast.scenario import Scenario
from planecast.workload.counts import InstructionCounts


def answer(kind: str, opinion: dict[str, Estimate]) -> SearchAnswer:
    """2 Mpps, found in 40 trials."""
    rate = FoundRate(
        loss_ratio=0.0,
        rate_pps=Estimate(value=2e6, low=1.9e6, high=2.1e6, samples=1, unit="pps", kind="measured"),
        bounds=(Bounds(repetition=0, low_pps=1.9e6, high_pps=2.1e6, trials=40),),
        capped_by="data plane",
        why="above it the data plane loses packets that were offered",
    )
    return SearchAnswer(
        method="mlr",
        scenario=Scenario.model_validate({"name": "xc", "dataplane": {"kind": kind}}),
        dataplane="Open vSwitch",
        trial_seconds=1.0,
        rates={"NDR": rate},
        trials=40,
        second_opinion=opinion,
        manifest=collect_manifest("search", 1, "planecast search"),
    )


def said(value: float, unit: str = "cycles/packet") -> Estimate:
    return Estimate(value=value, samples=1000, unit=unit, kind="measured")


def watched(**keys: object) -> Telemetry:
    """What is counted at the NDR, by the clock: 200 cycles a packet."""
    return Telemetry.model_validate(
        {
            "rate": "NDR",
            "offered_pps": 2e6,
            "forwarded_pps": said(2e6, "pps"),
            "loss_ratio": 0.0,
            "cycles_per_packet": said(200),
            "cycles_of": "time-stamp counter",
            **keys,
        }
    )


def of_core(stages: dict[str, Estimate]) -> ModelBreakdown:
    """A model that knows one cause alone."""
    whole = said(sum(one.value for one in stages.values()))
    return ModelBreakdown({(name, "core"): one for name, one in stages.items()}, stages, {}, whole)


def test_a_thread_that_polls_empty_rings_is_not_short_of_cycles() -> None:
    opinion = {
        "pmd": said(1300),
        "pmd processing": said(325),
        "megaflow look-ups": said(0.5, "share"),
    }
    found = explain_search(answer("ovs", opinion), "run")
    assert found.limits[0].startswith("NDR is 2 Mpps: above it the data plane loses")
    assert "empty rings in 75% of them, and spends 325.0 cycles on each" in found.limits[1]
    assert {s.stage: s.cycles.value for s in found.stages if s.cycles} == {
        "forwarding": 325,
        "polling": 975,
    }
    assert sum(part.cycles.value for part in found.causes) == 1300
    tries = " ".join(f"{advice.try_this} {advice.why}" for advice in found.advice)
    assert "rx_ring=2048" in tries
    assert "50% of the packets are of flows that miss the exact-match cache" in tries
    assert "between 1.9 and 2.1 Mpps, from 40 trials of 1 s in 1 repetition" in found.certainty[0]


def test_the_clock_and_the_program_are_two_sources() -> None:
    made = answer("ovs", {"pmd": said(1300), "pmd processing": said(325)})
    clock = Estimate(
        value=1000, low=950, high=1050, samples=5, unit="cycles/packet", kind="measured"
    )
    seen = watched(
        cycles_per_packet=clock,
        split=InstructionSplit(io=40, processing=60, other=5, instrument="singlestep"),
        marks=("no hardware counters were asked",),
    )
    found = explain_search(made.model_copy(update={"telemetry": (seen,)}), "run")
    assert found.cycles_per_packet == clock
    polling = found.stages[1].cycles
    assert polling is not None
    assert (polling.value, polling.low, polling.high) == (675, 625, 725)
    assert any("are 1000.0, -23 % from it" in text for text in found.certainty)
    assert "no hardware counters were asked" in found.notes
    shares = {role.role: role.instructions for role in found.roles}
    assert shares["processing"] is not None
    assert shares["processing"].value == 60


def test_polls_of_a_program_that_were_counted_show_its_ports_and_its_empty_polls() -> None:
    """testpmd and l3fwd: the meter counts polls of the port during a trial."""
    opinion = {
        "program": said(210),
        "program processing": said(150),
        "of it rx": said(40),
        "of it tx": said(70),
        "burst": said(12, "packets"),
    }
    made = answer("testpmd", opinion).model_copy(update={"telemetry": (watched(),)})
    found = explain_search(made, "run")
    cycles = {stage.stage: stage.cycles.value for stage in found.stages if stage.cycles}
    assert cycles == {"rx": 40, "forwarding": 40, "tx": 70, "polling": 60}
    assert found.cycles_per_packet == said(210)  # of the same trial, not of the clock's
    assert any("are 200.0, -5 % from it" in text for text in found.certainty)
    assert {role.role: role.cycles.value for role in found.roles if role.cycles} == {
        "I/O": 110,
        "processing": 40,
        "other": 60,
    }
    assert not any("ovs-vsctl" in advice.try_this for advice in found.advice)


def test_a_model_divides_what_the_ports_leave(monkeypatch: pytest.MonkeyPatch) -> None:
    stages = {"source": said(9), "rx": said(30), "parse": said(10), "route": said(40)}
    opinion = {
        "program": said(250),
        "program processing": said(200),
        "of it rx": said(60),
        "of it tx": said(80),
        "burst": said(12, "packets"),
    }
    made = answer("l3fwd", opinion)
    by = replace(divided_by(made, None, SearchBasis()), model=of_core(stages), port=said(100))
    assert (by.burst, by.timed_ports) == (12, True)
    monkeypatch.setattr("planecast.explain.searched.divided_by", lambda *_: by)
    found = explain_search(made, "run")
    cycles = {stage.stage: stage.cycles.value for stage in found.stages if stage.cycles}
    parts = {"rx": 60, "parse": 10, "route": 40, "unexplained": 10, "tx": 80, "polling": 50}
    assert cycles == parts
    assert sum(part.cycles.value for part in found.causes) == 250
    assert any("timed in the program" in note for note in found.notes)
    more = "what else its stages rx and tx do is in unexplained"  # than the drivers' functions
    assert more not in found.notes
    by = replace(by, scenario=answer("ovs", opinion).scenario)
    assert more in explain_search(made, "run").notes


def test_a_program_that_counts_nothing_is_divided_by_its_model(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """testpmd and l3fwd: stages by the model, ports as measured, what is left by its own name."""
    stages = {"source": said(9), "rx": said(30), "parse": said(10), "route": said(40)}
    model = of_core(stages)

    def known(port: Estimate | None) -> Explanation:
        by = Divided(answer("l3fwd", {}).scenario, model, {"parse": 25.0}, 0.2, port=port)
        monkeypatch.setattr("planecast.explain.searched.divided_by", lambda *_: by)
        made = answer("l3fwd", {}).model_copy(update={"telemetry": (watched(),)})
        return explain_search(made, "run")

    found = known(said(100))
    cycles = {stage.stage: stage.cycles.value for stage in found.stages if stage.cycles}
    assert cycles == {"rx": 30, "parse": 10, "route": 40, "ports": 100, "unexplained": 20}
    assert {part.cause: part.cycles.value for part in found.causes} == {
        "core": 80,
        "ports": 100,
        "unexplained": 20,
    }
    assert not any("not explained" in text for text in found.limits)
    assert any("empty polls are in it" in note for note in found.notes)
    assert not any("none of its own" in text for text in found.unknown)
    without = known(None)
    assert any("60% of its cycles, 120.0 a packet" in text for text in without.limits)
    assert any("planecast machine ports" in text for text in without.limits)


def test_a_model_that_says_more_than_was_measured_leaves_less_than_nothing(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    stages = {"rx": said(60), "classify": said(180)}
    model = of_core(stages)
    by = Divided(answer("l3fwd", {}).scenario, model)
    monkeypatch.setattr("planecast.explain.searched.divided_by", lambda *_: by)
    made = answer("l3fwd", {}).model_copy(update={"telemetry": (watched(),)})
    found = explain_search(made, "run")
    causes = {part.cause: part.cycles.value for part in found.causes}
    assert causes == {"core": 240, "unexplained": -40}
    assert any("20% of its cycles, 40.0 a packet, are not explained" in t for t in found.limits)


def test_without_a_model_the_issue_width_of_a_profile_is_known(
    counts: dict[str, InstructionCounts], manifest: Manifest
) -> None:
    whole = next(iter(counts.values()))
    made = answer("ovs", {"pmd": said(1300), "pmd processing": said(1200)})
    made = made.model_copy(update={"manifest": manifest})
    plain = explain_search(made, "run")
    assert {part.cause: part.cycles.value for part in plain.causes} == {
        "unattributed": 1200,
        "waiting": 100,
    }
    wanted = "are not explained. Explain this run again after planecast validate "
    assert any(wanted + "studies/ovs-l2xc.yaml" in text for text in plain.limits)
    assert any("or at least planecast profile SCENARIO" in text for text in plain.limits)
    found = explain_search(made, "run", SearchBasis(counts=whole, counted_by="counted"))
    causes = {part.cause: part.cycles.value for part in found.causes}
    assert sum(causes.values()) == pytest.approx(1300)
    inside = sum(part.at(32) for name, part in whole.stages.items() if name != "source")
    assert causes["issue"] == pytest.approx(inside / 6)  # of this core, at the counter's clock
    assert causes["unattributed"] == pytest.approx(1200 - inside / 6)
    assert [node.node for node in found.nodes if node.share is not None] == ["retiring"]
    assert any("instructions are those of counted" in note for note in found.notes)
    assert not any("or at least" in text for text in found.limits)


def test_open_vswitch_says_which_cache_knew_its_packets() -> None:
    opinion = {"megaflow look-ups": said(0.25, "share"), "upcalls": said(0.01, "share")}
    found = explain_search(answer("ovs", {"pmd": said(1300), **opinion}), "run")
    assert any("74% are matched before the megaflows" in text for text in found.limits)


def test_a_cap_that_is_not_the_data_planes_is_named() -> None:
    made = answer("ovs", {"pmd": said(1300), "pmd processing": said(325)})
    rate = made.rates["NDR"].model_copy(update={"capped_by": "generator"})
    check = CyclesCheck(offered_pps=3e6, ours=said(400), own={"pmd": said(380)})
    changed = made.model_copy(update={"rates": {"NDR": rate}, "cycles_check": check})
    found = explain_search(changed, "run")
    assert "was not at its limit: its thread polls empty rings in 75%" in found.limits[1]
    assert "the generator set the rate" in found.advice[0].try_this
    assert not any("rx_ring" in advice.try_this for advice in found.advice)
    assert any(
        "measures 400.0 cycles a packet" in text and "-5 %" in text for text in found.certainty
    )


def test_a_busy_thread_is_its_own_limit() -> None:
    opinion = {"pmd": said(1000), "pmd processing": said(950), "batch": said(1.5, "packets")}
    found = explain_search(answer("ovs", opinion), "run")
    assert "its thread's own work: 950.0 cycles a packet, 95%" in found.limits[1]
    tries = [advice.try_this for advice in found.advice]
    assert any("tx-flush-interval" in text for text in tries)
    assert not any("rx_ring" in text for text in tries)


def test_nodes_are_added_up_by_stage() -> None:
    opinion = {
        "thread clocks": said(125),
        "clocks": said(100),
        "node memif-input": said(35),
        "node memif2/0-tx": said(20),
        "node memif2/0-output": said(5),
        "node l2-input": said(10),
        "node l2-fwd": said(22),
        "node l2-output": said(8),
        "vectors/call": said(256, "packets"),
    }
    found = explain_search(answer("vpp", opinion), "run")
    assert [(s.stage, s.role, s.cycles.value) for s in found.stages if s.cycles] == [
        ("rx", "I/O", 35),
        ("forward", "processing", 30),
        ("tx", "I/O", 25),
        ("parse", "processing", 10),
        ("polling", "other", 25),
    ]
    assert found.cycles_per_packet is not None
    assert found.cycles_per_packet.value == 125
    assert "the most expensive stage is rx: 28%, 35.0 cycles" in found.limits
    assert not any("the cost of rx" in text for text in found.unknown)
    few = explain_search(answer("vpp", opinion | {"vectors/call": said(0.03, "packets")}), "run")
    assert any(
        "0.03 packets a call, so most of its cycles are empty polls" in t for t in few.unknown
    )
    assert any("by node: memif-input 35.0, memif2/0-tx 20.0" in note for note in found.notes)


def test_an_invalid_answer_says_so_first() -> None:
    made = answer("ovs", {"pmd": said(1300)}).model_copy(update={"invalid": "INVALID: 3 %"})
    assert explain_search(made, "run").limits[0] == "INVALID: 3 %"


def test_shares_of_a_preempted_thread_are_of_its_own_count_and_invalid() -> None:
    nodes = {"node memif-input": said(200), "node ip4-lookup": said(100)}
    made = answer("vpp", nodes)
    seen = watched()
    found = explain_search(made.model_copy(update={"telemetry": (seen,)}), "run")
    assert found.limits[0].startswith("INVALID by stage: the data plane counts 300.0 cycles")
    assert found.cycles_per_packet is not None
    assert found.cycles_per_packet.value == 300
    almost = seen.model_copy(update={"cycles_per_packet": said(299)})
    found = explain_search(made.model_copy(update={"telemetry": (almost,)}), "run")
    assert "INVALID" not in found.limits[0]
    assert all(stage.cycles and stage.cycles.value <= 300 for stage in found.stages)


def test_ours_has_its_stages_and_its_empty_polls() -> None:
    seen = watched(
        cycles_per_packet=said(400), stage_cycles={"source": 60.0, "acl": 200.0, "tx": 40.0}
    )
    plain = answer("ours", {}).model_copy(update={"telemetry": (seen,)})
    found = explain_search(plain, "run")
    assert [(s.stage, s.role, s.cycles.value) for s in found.stages if s.cycles] == [
        ("source", "I/O", 60),
        ("acl", "processing", 200),
        ("tx", "I/O", 40),
        ("polling", "other", 100),
    ]
    assert {part.cause: part.cycles.value for part in found.causes} == {
        "ports": 100,
        "unattributed": 200,
        "waiting": 100,
    }
    wanted = "are not explained. Explain this run again after planecast validate studies/"
    assert any(wanted in text for text in found.limits)
    assert "the most expensive stage is acl: 50%, 200.0 cycles" in found.limits
    assert any("measure SCENARIO --explain" in advice.try_this for advice in found.advice)


def test_what_another_guest_added_is_a_cause_and_is_said_before_all_others() -> None:
    seen = watched(
        cycles_per_packet=said(400),
        stage_cycles={"source": 60.0, "acl": 200.0, "tx": 40.0},
        busy_cycles_per_packet=300.0,
        disturbed_share=0.5,
        undisturbed_cycles_per_packet=240.0,
    )
    disturbed = answer("ours", {}).model_copy(update={"telemetry": (seen,)})
    found = explain_search(disturbed, "run")
    assert {part.cause: part.cycles.value for part in found.causes} == pytest.approx(
        {"another guest": 60, "ports": 80, "unattributed": 160, "waiting": 100}
    )
    assert found.limits[0].startswith("another guest was on its core in 50% of the looks by stage")
    assert "it took 60.0 of a packet's 400.0 cycles, 15%" in found.limits[0]
    few = seen.model_copy(update={"undisturbed_cycles_per_packet": None})
    found = explain_search(disturbed.model_copy(update={"telemetry": (few,)}), "run")
    assert "too few looks were without it to show what it took" in found.limits[0]
    assert "another guest" not in {part.cause for part in found.causes}
    rare = seen.model_copy(update={"disturbed_share": 0.08})
    found = explain_search(disturbed.model_copy(update={"telemetry": (rare,)}), "run")
    assert "another guest" not in found.limits[0]


def test_an_older_search_of_ours_distinguishes_work_from_polls() -> None:
    older = watched(cycles_per_packet=said(400), busy_cycles_per_packet=350.0)
    found = explain_search(answer("ours", {}).model_copy(update={"telemetry": (older,)}), "run")
    assert {s.stage: s.cycles.value for s in found.stages if s.cycles} == {
        "forwarding": 350,
        "polling": 50,
    }
    assert "its thread's own work: 350.0 cycles a packet, 88%" in found.limits[1]


def test_one_that_says_nothing_has_its_rate() -> None:
    found = explain_search(answer("testpmd", {}), "run")
    assert found.cycles_per_packet is None
    assert found.throughput_pps is not None
    assert any("reports none of its own" in text for text in found.unknown)


def test_a_runs_folder_with_a_search_is_explained(tmp_path: Path) -> None:
    with RunDirectory.create(tmp_path, "search", "xc") as run:
        run.write_result(answer("ovs", {"pmd": said(1000), "pmd processing": said(900)}))
    found = explained_run(RunDirectory(run.path), None, None)
    assert found.label == f"{run.path.name} (Open vSwitch)"
    assert found.cycles_per_packet is not None
    assert found.cycles_per_packet.value == pytest.approx(1000)


def test_a_published_row_is_compared_in_cycles_of_two_clocks(tmp_path: Path) -> None:
    with RunDirectory.create(tmp_path, "search", "xc") as run:
        run.write_result(answer("ovs", {"pmd": said(1000), "pmd processing": said(900)}))
    own = as_counters(explained_run(RunDirectory(run.path), None, None))
    moved = compare_counters(own, explain_published("ovs-l2 noHT"))
    assert moved.findings[0] == "B takes -731.0 cycles a packet (1000.0 to 269.0)"
    assert any("cycles are of two clocks" in note for note in moved.notes)
    assert not any(change.cycles for change in moved.changes)
