"""What is copied asks the same again: as a file, and on the command line."""

from __future__ import annotations

import shlex
from itertools import pairwise
from pathlib import Path

import pytest
from tests.explore.conftest import Ask

from planecast.explore.copying import command_line, scenario_yaml
from planecast.explore.session import Session
from planecast.scenario import Scenario, load_scenario, parse_set, value_at, with_overrides

CHANGES = [
    {},
    {"traffic.flows": 4096, "placement.burst": 8, "placement.page_size": "4KiB"},
    {"workload.kind": "ip4", "workload.route_depth": 24},
    {"workload.stages": ("key", "route"), "machine": "gold-6230n", "placement.core_ghz": 2.0},
    {"placement.cpus": "0-3,8", "placement.cuts": "key", "nic.ports": 1, "nic.link_gbps": 25.0}
    | {"placement.cpus": "0-3"},
    {"traffic.offered_pps": 3.5e6, "traffic.frame_mix": "64:7,594:4", "neighbour.walk": 1 << 22},
    {
        "traffic.classes": [
            {"name": "a", "share": "20%", "flows": 16},
            {"name": "b", "share": "80%"},
        ]
    },
    {"workload.tm_red": False, "workload.stages": "none"},
]


def scenario(changes: dict[str, object]) -> Scenario:
    kind = changes.get("workload.kind", "vpe-upstream")
    base = Scenario.model_validate({"name": "base", "workload": {"kind": kind}})
    return with_overrides(base, changes)


@pytest.mark.parametrize("changes", CHANGES)
def test_a_file_is_the_scenario(changes: dict[str, object], tmp_path: Path) -> None:
    wanted = scenario(changes)
    path = tmp_path / "scenario.yaml"
    path.write_text(scenario_yaml(wanted))
    assert load_scenario(path) == wanted


@pytest.mark.parametrize("changes", CHANGES)
def test_a_command_is_the_scenario(changes: dict[str, object]) -> None:
    wanted = scenario(changes)
    kind = {"workload.kind": wanted.workload.kind}
    base = Scenario.model_validate({"name": "base", "workload": {"kind": wanted.workload.kind}})
    own = kind | {key: value_at(wanted, key) for key in changes}
    words = shlex.split(command_line("predict", "my file.yaml", own, "run"))
    assert words[:3] == ["planecast", "predict", "my file.yaml"]
    assert words[-2:] == ["--calibration", "run"]
    typed = [parse_set(word) for flag, word in pairwise(words) if flag == "--set"]
    assert with_overrides(base, dict(typed)) == wanted


def test_a_page_gives_both(ask: Ask, session: Session) -> None:
    found = ask("copy", changes={"traffic.flows": 512})
    assert found["file"] is None
    assert "--set" not in found["commands"]["predict"]
    session.file = "s.yaml"
    command = ask("copy", changes={"traffic.flows": 512})["commands"]["explore"]
    run = session.chosen("vpe-upstream").basis.run
    begins = f"planecast explore s.yaml --set traffic.flows=512 --calibration {run}"
    assert command == f"{begins} --runs {session.root}"


def test_a_command_finds_the_runs_and_the_calibration_again(
    ask: Ask, session: Session, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    session.file = "s.yaml"
    run = session.chosen("vpe-upstream").basis.run
    assert f"--runs {session.root}" in ask("copy", changes={})["commands"]["measure"]
    monkeypatch.setenv("PLANECAST_RUNS", str(session.root))
    assert ask("copy", changes={})["commands"]["measure"] == "planecast measure s.yaml"
    elsewhere = tmp_path / "elsewhere"
    (session.root / run).rename(elsewhere)
    session.named = str(elsewhere)
    assert f"--calibration {elsewhere}" in ask("copy", changes={})["commands"]["predict"]
