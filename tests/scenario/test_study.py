"""Study files: how points are spread, and what is refused."""

from __future__ import annotations

from pathlib import Path

import pytest

from planecast.errors import InputError
from planecast.scenario import point_label
from planecast.scenario.study import Study, load_study

SCENARIO = "name: base\n"

STUDY = """\
name: flows
scenario: base.yaml
calibrate:
  - {}
  - {traffic.flows: 256}
  - vary: {traffic.flows: [4Ki, 16Ki], placement.burst: [8, 64]}
    set: {workload.stages: [acl, key]}
hold_out:
  - traffic.flows: 1024
    placement.lcores: 2
budget: {seconds: 2min}
"""


def load(folder: Path, text: str, **changes: object) -> Study:
    (folder / "base.yaml").write_text(SCENARIO)
    (folder / "study.yaml").write_text(text)
    return load_study(
        folder / "study.yaml", {key.replace("__", "."): v for key, v in changes.items()}
    )


def test_grids_are_spread_in_order(tmp_path: Path) -> None:
    study = load(tmp_path, STUDY)
    assert [point_label(point) for point in study.calibrate] == [
        "base",
        "flows=256",
        "stages=acl,key flows=4096 burst=8",
        "stages=acl,key flows=4096 burst=64",
        "stages=acl,key flows=16384 burst=8",
        "stages=acl,key flows=16384 burst=64",
    ]
    assert [point_label(point) for point in study.hold_out] == ["flows=1024 lcores=2"]
    assert study.budget.seconds == 120
    (held,) = study.scenarios(study.hold_out)
    assert (held.traffic.flows, held.placement.numbers) == (1024, (1, 2))


def test_a_label_keeps_the_dots_where_two_keys_end_alike() -> None:
    point = {"traffic.flows": 8, "workload.flows": 16, "placement.burst": 4}
    assert point_label(point) == "traffic.flows=8 workload.flows=16 burst=4"


def test_overrides_change_the_base_and_the_budget(tmp_path: Path) -> None:
    study = load(tmp_path, STUDY, traffic__frame_bytes=128, budget__restarts=7)
    assert study.scenario.traffic.frame_bytes == 128
    assert study.budget.restarts == 7


def test_a_seed_is_of_points_that_are_drawn(tmp_path: Path) -> None:
    load(tmp_path, STUDY)
    with pytest.raises(InputError, match=r"--seed 3: the held-out points are listed, not drawn; "):
        load_study(tmp_path / "study.yaml", seed=3)


def test_a_study_can_hold_its_scenario_itself(tmp_path: Path) -> None:
    study = load(tmp_path, STUDY.replace("base.yaml", "{name: inner, traffic: {frame_bytes: 128}}"))
    assert (study.scenario.name, study.scenario.traffic.frame_bytes) == ("inner", 128)


@pytest.mark.parametrize(
    ("old", "new", "sentence"),
    [
        (
            "hold_out:\n  - traffic.flows: 1024\n    placement.lcores: 2\n",
            "",
            "study.yaml: nothing is held out, so no prediction would be tested; "
            "list at least one point under hold_out:",
        ),
        (
            "hold_out:\n  - traffic.flows: 1024\n    placement.lcores: 2\n",
            "hold_out: []\n",
            "study.yaml:8: nothing is held out, so no prediction would be tested; "
            "list at least one point under hold_out:",
        ),
        (
            "traffic.flows: 1024\n    placement.lcores: 2",
            "traffic.flows: 256",
            "study.yaml:9: the held-out point flows=256 is calibrated on as well, at study.yaml:5; "
            "remove it from one of the two lists",
        ),
        (
            # the same configuration in other words: the base's own value
            "traffic.flows: 1024\n    placement.lcores: 2",
            "traffic.flows: 64Ki",
            "study.yaml:9: the held-out point flows=65536 is calibrated on as well, at "
            "study.yaml:4; remove it from one of the two lists",
        ),
        (
            "{traffic.flows: 256}",
            "{placement.burst: 32}",
            "study.yaml:5: the point burst=32 is the same configuration as the one at "
            "study.yaml:4; remove one of the two",
        ),
        (
            "    placement.lcores",
            "    placement.lcore",
            "study.yaml:10: unknown key placement.lcore; did you mean placement.lcores?",
        ),
        (
            "[4Ki, 16Ki]",
            "[4Ki, x]",
            "study.yaml:6: traffic.flows: got 'x', which is not a whole number such as 4096 or "
            "64Ki; allowed is a whole number from 1 to 16777216",
        ),
        (
            "traffic.flows: [4Ki, 16Ki]",
            "traffic.flos: [4Ki, 16Ki]",
            "study.yaml:6: unknown key traffic.flos; did you mean traffic.flows?",
        ),
        (
            "placement.burst: [8, 64]",
            "placement.burst: 8",
            "study.yaml:6: placement.burst under vary is not a list of values; "
            "write for example [256, 4096]; one value goes under set:",
        ),
        (
            "    set:",
            "    traffic.seed:",
            "study.yaml:7: the key traffic.seed is next to vary; put it under set:",
        ),
        (
            "{workload.stages: [acl, key]}",
            "{placement.burst: 4}",
            "study.yaml:7: placement.burst appears under set and under vary; keep one of the two",
        ),
        (
            "  - {}",
            "  - 5",
            "study.yaml:4: a point is a mapping of dotted keys to values; "
            "write for example {traffic.flows: 4096}",
        ),
        (
            "hold_out",
            "holdout",
            "study.yaml:8: unknown key holdout; did you mean hold_out?",
        ),
        (
            "hold_out:",
            "fill: {draw: 0}\nhold_out:",
            "study.yaml:8: fill.draw: got 0; allowed is a whole number from 1 to 1000",
        ),
        (
            "hold_out:",
            "fill: {draw: 2, sed: 1}\nhold_out:",
            "study.yaml:8: unknown key fill.sed; did you mean fill.seed?",
        ),
        (
            "seconds: 2min",
            "seconds: soon",
            "study.yaml:11: budget.seconds: got 'soon', which is not a time such as 90s, 500ms, "
            "2min or 1h; allowed is a number from 1 to 86400",
        ),
        (
            "base.yaml",
            "nowhere.yaml",
            "study.yaml:2: scenario: there is no file nowhere.yaml; "
            "name a scenario file relative to the study's own folder",
        ),
    ],
)
def test_each_mistake_has_its_sentence(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, old: str, new: str, sentence: str
) -> None:
    monkeypatch.chdir(tmp_path)
    assert old in STUDY
    with pytest.raises(InputError) as error:
        load(Path(), STUDY.replace(old, new, 1))
    assert str(error.value) == sentence


def test_a_mistake_in_an_inline_scenario_has_its_line(tmp_path: Path) -> None:
    text = STUDY.replace("base.yaml", "\n  name: inner\n  traffic: {flos: 1}")
    with pytest.raises(InputError, match=r"study.yaml:4: unknown key traffic.flos"):
        load(tmp_path, text)


def test_a_grid_without_bound_is_refused_before_it_is_spread(tmp_path: Path) -> None:
    many = ", ".join(str(n) for n in range(1, 201))
    grid = f"{{traffic.flows: [{many}], workload.routes: [{many}]}}"
    text = STUDY.replace("{traffic.flows: [4Ki, 16Ki], placement.burst: [8, 64]}", grid)
    with pytest.raises(InputError, match="more than 10000 points; vary less"):
        load(tmp_path, text)


def test_the_shipped_studies_load(repository: Path) -> None:
    for path in sorted((repository / "studies").glob("vpe-*.yaml")):  # others are the partition's
        assert load_study(path).hold_out, path


@pytest.mark.parametrize(
    ("written", "said"),
    [
        ("{draw: 0}", "hold_out.draw: got 0; allowed is a whole number from 1 to 1000"),
        ("{draw: 2, over: 3}", "unknown key hold_out.over; did you mean hold_out.draw?"),
        ("{}", "the key hold_out.draw is missing; add it: a whole number from 1 to 1000"),
        ("3", "hold_out: got 3; allowed is a list or a section with the keys draw"),
    ],
)
def test_a_mistake_in_what_is_drawn_is_named_where_it_is(
    tmp_path: Path, written: str, said: str
) -> None:
    """hold_out is a list or a section: what the list would have to be is no news in the section."""
    study = f"name: s\nscenario: {{name: b}}\ncalibrate: [{{}}]\nhold_out: {written}\n"
    (tmp_path / "s.yaml").write_text(study)
    with pytest.raises(InputError) as refused:
        load_study(tmp_path / "s.yaml")
    assert str(refused.value) == f"{tmp_path / 's.yaml'}:4: {said}"
