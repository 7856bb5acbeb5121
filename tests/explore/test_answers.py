"""What the page is answered: the same figures as ``predict``, each on its calibration."""

from __future__ import annotations

import json

import pytest
from tests.calibrations import POINTS
from tests.explore.conftest import Ask

from planecast.engines.solve import solve
from planecast.explore.session import Session
from planecast.results import collect_manifest
from planecast.scenario import with_overrides
from planecast.scenario.points import keys_of


def test_an_answer_is_the_closed_forms(ask: Ask, session: Session) -> None:
    changes = {"traffic.flows": "4Ki", "placement.burst": 8}
    found = ask("answer", changes=changes)
    scenario = with_overrides(session.base, changes)
    chosen = session.chosen("vpe-upstream")
    (expected,) = solve([scenario], chosen.model, collect_manifest("solve", 1))
    assert found["throughput"] == expected.throughput_pps.model_dump(mode="json")
    assert found["cycles"]["value"] == pytest.approx(expected.cycles_per_packet.value)
    assert found["values"]["traffic.flows"] == 4096
    assert [stage["stage"] for stage in found["stages"]] == list(expected.stages)
    assert not found["beyond"]
    assert "made-up" in found["basis"]


def test_causes_of_a_stage_add_up(ask: Ask) -> None:
    for stage in ask("answer", changes={})["stages"]:
        parts = sum(part["cycles"]["value"] for part in stage["causes"])
        assert parts == pytest.approx(stage["cycles"]["value"], rel=1e-6)


def test_beyond_the_calibration_is_said(ask: Ask) -> None:
    found = ask("answer", changes={"placement.burst": 128})
    assert found["beyond"]
    assert any("placement.burst=128" in note for note in found["notes"])


def test_what_can_not_be_asked_gets_a_sentence(ask: Ask) -> None:
    assert "flow table" in ask("answer", changes={"workload.flows": 256})["refused"]
    assert "unknown key" in ask("answer", changes={"traffic.flow": 1})["refused"]
    assert "planecast calibrate" in ask("answer", changes={"workload.kind": "ip4"})["refused"]
    other = ask("controls", changes={"dataplane.kind": "testpmd"})["refused"]
    assert "this page is of vpe-upstream" in other


def test_what_the_simulator_alone_uses_is_left_out_and_said_so(ask: Ask) -> None:
    plain = ask("answer", changes={})
    found = ask("answer", changes={"nic.link_gbps": 10})
    assert found["left_out"] == ["nic.link_gbps"]
    assert found["throughput"] == plain["throughput"]


def test_other_machines_stand_side_by_side(ask: Ask) -> None:
    names = ["gold-6230n", "xeon-d-1541"]
    known = ask("page")["machines"]
    assert set(names[:1]) <= set(known)
    (there,) = ask("machines", changes={}, machines=names[:1])["machines"]
    alone = ask("answer", changes={"machine": names[0]})
    assert there["throughput"] == alone["throughput"]
    assert there["cycles"] == alone["cycles"]
    assert there["beyond"]
    many = {"placement.lcores": 60}
    (refused,) = ask("machines", changes=many, machines=names[:1])["machines"]
    assert "60 lcores" in refused["refused"]


def test_every_key_that_the_model_answers_for_has_a_control(ask: Ask, session: Session) -> None:
    from planecast.workload.scenario_columns import COLUMNS

    controls = {one["key"]: one for one in ask("controls", changes={})["controls"]}
    assert {key for key in keys_of(session.base) if key in COLUMNS} <= controls.keys()
    for key, control in controls.items():
        assert len(control["values"]) == len(control["beyond"]), key
        assert control["text"], key
    flows = controls["traffic.flows"]
    assert flows["calibrated"] == [256, 1 << 20]
    within = [v for v, out in zip(flows["values"], flows["beyond"], strict=True) if not out]
    assert (within[0], within[-1]) == (256, 1 << 20)
    assert controls["nic.link_gbps"]["engine"] == "simulate"
    assert not controls["workload.bridge_entries"]["matters"]
    assert controls["workload.acl_rules"]["matters"]


def test_controls_are_those_of_all_stages_whichever_run(ask: Ask) -> None:
    controls = ask("controls", changes={"workload.stages": "none"})["controls"]
    assert next(one for one in controls if one["key"] == "workload.acl_rules")["matters"]


def test_every_value_of_every_control_can_be_set_alone_or_says_why_not(
    ask: Ask, session: Session
) -> None:
    for control in ask("controls", changes={})["controls"]:
        key, values = control["key"], control["values"]
        for value in {json.dumps(one): one for one in (*values[:1], *values[-1:])}.values():
            found = ask("answer", changes={key: value})
            answered = found.get("throughput", {}).get("value", 0) > 0
            refused = bool(found.get("refused", "").strip())
            assert answered != refused, (key, value, found)
            assert "mistake in planecast" not in found.get("refused", ""), (key, value, found)
            if key in ("placement.burst", "traffic.frame_bytes", "placement.rx_ring"):
                assert answered, (key, value, found)


def test_a_curve_is_the_answer_at_each_value(ask: Ask) -> None:
    found = ask("curve", changes={"placement.burst": 7}, key="placement.burst")
    assert found["x"][found["x_here"]] == 7
    at = found["x"].index(64)
    alone = ask("answer", changes={"placement.burst": 64})
    assert found["throughput_pps"][at] == pytest.approx(alone["throughput"]["value"])
    assert found["throughput_pps_low"][at] == pytest.approx(alone["throughput"]["low"])
    assert [x for x, beyond in zip(found["x"], found["beyond"], strict=True) if not beyond] == [
        x for x in found["x"] if 4 <= x <= 64
    ]


def test_a_curve_leaves_out_what_can_not_be_asked(ask: Ask) -> None:
    found = ask("curve", changes={"traffic.flows": 4096}, key="workload.flows")
    gaps = [why is not None for why in found["refused"]]
    assert [x for x, gap in zip(found["x"], gaps, strict=True) if gap] == [
        x for x in found["x"] if x < 4096
    ]
    assert all(
        (value is None) == gap for value, gap in zip(found["throughput_pps"], gaps, strict=True)
    )


def test_a_heat_map_is_the_answer_at_each_pair(ask: Ask) -> None:
    found = ask("heat", changes={}, across="traffic.flows", up="placement.burst")
    i, j = len(found["x"]) // 2, found["y"].index(32)
    alone = ask("answer", changes={"traffic.flows": found["x"][i], "placement.burst": 32})
    place = j * len(found["x"]) + i
    assert found["throughput_pps"][place] == pytest.approx(alone["throughput"]["value"])
    assert len(found["throughput_pps"]) == len(found["x"]) * len(found["y"])


def test_a_heat_map_of_one_key_twice_is_refused(ask: Ask) -> None:
    found = ask("heat", changes={}, across="traffic.flows", up="traffic.flows")
    assert "varies twice" in found["refused"]


def test_measured_points_is_next_to_predicted_ones(
    ask: Ask, root: object, session: Session
) -> None:
    from planecast.explore.begin import session_of

    begun = session_of("latest", {}, None, session.root)
    assert begun.named is not None
    session.recorded = begun.recorded
    found = ask("curve", changes={}, key="traffic.flows")
    wanted = sorted(p["traffic.flows"] for p in POINTS if p.keys() == {"traffic.flows"})
    assert sorted({dot["values"]["traffic.flows"] for dot in found["measured"]}) == wanted
    assert all(dot["cycles_per_packet"]["kind"] == "measured" for dot in found["measured"])
