"""Held-out points drawn at random: within what the study spans, stratified, by seed."""

from __future__ import annotations

from pathlib import Path

import pytest

from planecast.errors import InputError
from planecast.scenario import Scenario, with_overrides
from planecast.scenario.draw import drawn_points
from planecast.scenario.study import load_study

BASE = Scenario(name="base")
CALIBRATE = (
    {},
    {"traffic.flows": 256},
    {"traffic.flows": 262144, "workload.flows": 262144},
    {"placement.burst": 4},
    {"placement.page_size": "4KiB"},
    {"workload.stages": ("key",)},
)


def test_points_are_drawn_over_what_is_spanned() -> None:
    points = drawn_points(BASE, CALIBRATE, 30, 7)
    assert len(points) == 30
    for point in points:
        scenario = with_overrides(BASE, point)
        assert 256 <= scenario.traffic.flows <= 262144 <= 1 << 18
        assert scenario.workload.flows >= scenario.traffic.flows
        assert 4 <= scenario.placement.burst <= 32
    small = sum(point.get("placement.page_size") == "4KiB" for point in points)
    assert small == 15
    # Stratified: each third of the range of flows has its third of the points.
    flows = sorted(with_overrides(BASE, point).traffic.flows for point in points)
    assert flows[9] < 256 * 2 ** (10 / 3 + 0.5)


def test_no_table_is_drawn_that_no_stage_of_a_point_uses() -> None:
    sizes = ({"workload.acl_rules": 64}, {"workload.routes": 64})
    points = drawn_points(BASE, (*CALIBRATE, *sizes), 30, 7)
    assert len(points) == 30
    plain = [point for point in points if point.get("workload.stages") == ("key",)]
    assert len(plain) == 15
    assert not any({"workload.acl_rules", "workload.routes"} & set(point) for point in plain)
    assert all("workload.acl_rules" in point for point in points if point not in plain)


def test_a_seed_repeats_them_and_another_does_not() -> None:
    first, again, other = (drawn_points(BASE, CALIBRATE, 10, seed) for seed in (1, 1, 2))
    assert first == again != other


def test_nothing_to_draw_is_refused() -> None:
    with pytest.raises(InputError, match="vary too little"):
        drawn_points(BASE, ({},), 5, 1)


def test_a_study_draws_and_keeps_its_seed(repository: Path) -> None:
    study = load_study(repository / "studies" / "vpe-upstream.yaml", seed=11)
    assert (study.seed, len(study.hold_out)) == (11, 30)
    assert study.hold_out == load_study(study_path(repository), seed=11).hold_out
    assert load_study(study_path(repository)).hold_out != study.hold_out
    assert study.check


def study_path(repository: Path) -> Path:
    return repository / "studies" / "vpe-upstream.yaml"


def test_a_bridge_that_is_drawn_holds_its_stations(repository: Path) -> None:
    study = load_study(repository / "studies" / "l2bridge.yaml", seed=3)
    for point in study.hold_out:
        drawn = with_overrides(study.scenario, dict(point)).workload
        if "workload.flows" in point:
            assert drawn.bridge_entries >= 2 * drawn.flows


def test_a_study_is_filled_over_all_keys_at_once(tmp_path: Path) -> None:
    file = tmp_path / "study.yaml"
    text = (
        "name: s\nscenario: {name: base}\n"
        "calibrate: [{traffic.flows: 256}, {traffic.flows: 4096}, {placement.burst: 8}]\n"
        "fill: {draw: 6, seed: 4}\nhold_out: {draw: 6}\n"
    )
    file.write_text(text)
    study, again = (load_study(file, seed=seed) for seed in (4, 5))
    filled = study.calibrate[3:]
    assert len(filled) == 6
    assert filled == again.calibrate[3:]  # the study's own, whatever is held out
    assert all({"traffic.flows", "placement.burst"} <= set(point) for point in filled)
    assert not any(point in study.hold_out for point in filled)


def test_keys_that_take_powers_of_two_are_drawn_among_them() -> None:
    switch = Scenario.model_validate({"name": "s", "dataplane": {"kind": "ovs", "rules": 256}})
    points = drawn_points(switch, [{"dataplane.rules": n} for n in (64, 4096)], 12, seed=1)
    drawn = {point["dataplane.rules"] for point in points}
    assert drawn <= {1 << n for n in range(7, 12)}  # of those calibrated on none again
    assert len(drawn) > 1
