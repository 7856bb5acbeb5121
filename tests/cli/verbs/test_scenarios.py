"""Every scenario of the project, measured by the verb: with its own function, on small tables."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.cli.conftest import Run
from tests.cli.verbs.test_measure import real
from tests.conftest import REPOSITORY

from planecast.scenario import FUNCTIONS, load_scenario
from planecast.study.instructions import PACKETS

__all__ = ["real"]

ALL = sorted(path.name for path in (REPOSITORY / "scenarios").glob("*.yaml"))
SCENARIOS = [
    name for name in ALL if load_scenario(REPOSITORY / "scenarios" / name).dataplane.kind == "ours"
]
SMALL = ["traffic.flows=64", "workload.flows=64", "workload.acl_rules=64", "workload.routes=64"]


def test_every_function_has_one() -> None:
    kinds = {load_scenario(REPOSITORY / "scenarios" / name).workload.kind for name in SCENARIOS}
    assert kinds == set(FUNCTIONS)


@pytest.mark.live
@pytest.mark.parametrize("name", SCENARIOS)
def test_it_is_measured(run: Run, small: Path, real: None, name: str) -> None:
    path = REPOSITORY / "scenarios" / name
    words = [word for setting in (*SMALL, "placement.cpus=0") for word in ("--set", setting)]
    answer = run(
        "measure",
        path,
        *words,
        "--seconds",
        "2",
        "--restarts",
        "1",
        "--patience",
        "0",
        "--format",
        "json",
    )
    assert answer.code == 0, answer.err
    (result,) = answer.json()["results"]
    cost = result["cycles_per_packet"]
    assert 5 < cost["low"] <= cost["value"] <= cost["high"] < 20000
    own = load_scenario(path).workload.stages
    assert list(result["stages"]) == ["source", *own, "tx"]
    assert result["packets_out"] > 0
    if "tm" not in own:  # with so few flows most of their traffic is beyond their pipes' rate
        assert result["packets_in"] == result["packets_out"]


@pytest.mark.live
@pytest.mark.slow
def test_another_function_is_profiled(
    run: Run, small: Path, real: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(PACKETS, "callgrind", 2048)
    path = REPOSITORY / "scenarios" / "l2bridge.yaml"
    words = [word for setting in (*SMALL, "placement.cpus=0") for word in ("--set", setting)]
    answer = run("profile", path, *words, "--format", "json")
    assert answer.code == 0, answer.err
    (counts,) = answer.json()["counts"]
    assert set(counts["stages"]) == {"source", *load_scenario(path).workload.stages, "tx"}
