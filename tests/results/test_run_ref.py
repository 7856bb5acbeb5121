"""Results by number and by CSIT-style name."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from planecast.errors import InputError
from planecast.results import Result, RunDirectory
from planecast.results.csit_name import csit_name, is_csit_name, matches
from planecast.results.run_ref import pick

MakeResult = Callable[..., Result]


@pytest.fixture
def run(tmp_path: Path, make_result: MakeResult) -> str:
    results = [
        make_result(250.0),
        make_result(300.0, {"traffic.frame_bytes": 1518}),
        make_result(200.0, {"placement.cpus": "1-2"}),
    ]
    with RunDirectory.create(tmp_path, "measure", "several") as made:
        made.write_result(results)
    return made.path.name


@pytest.mark.parametrize(
    ("which", "cycles"),
    [
        ("", [250.0, 300.0, 200.0]),
        ("#2", [300.0]),
        ("#64B-1t1c-vpe-upstream", [250.0]),
        ("#64b-1t1c", [250.0]),
        ("#1518B-1t1c-vpe", [300.0]),
        ("#2t2c", [200.0]),
        ("#2t1c", [200.0]),
        ("#64B", [250.0, 200.0]),
    ],
)
def test_results_are_picked(run: str, tmp_path: Path, which: str, cycles: list[float]) -> None:
    found = pick(run + which, tmp_path)
    assert [result.cycles_per_packet.value for result in found.results] == cycles


@pytest.mark.parametrize(
    ("which", "sentence"),
    [
        ("#4", "there is no result #4; the run has 3"),
        ("#x", "after # comes a number from 1"),
        ("#9000B-1t1c", "the run has 64B-1t1c-vpe-upstream, 1518B-1t1c-vpe-upstream"),
        ("#64B-1t1c-l2xc", "there is no result 64B-1t1c-l2xc"),
        ("#1t2c", "'1t2c' has more cores than threads; write threads first: 2t1c"),
    ],
)
def test_what_is_not_there_says_so(run: str, tmp_path: Path, which: str, sentence: str) -> None:
    with pytest.raises(InputError, match=sentence):
        pick(run + which, tmp_path)


def test_a_scenario_has_its_own_name(make_result: MakeResult) -> None:
    scenario = make_result(1.0, {"placement.cpus": "1-4"}).scenario
    assert csit_name(scenario) == "64B-4t4c-vpe-upstream"
    assert is_csit_name(csit_name(scenario))
    assert matches(csit_name(scenario), scenario)
    assert not is_csit_name("vpe-upstream")
