"""``planecast compare`` and ``planecast query`` on runs made by hand."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from planecast.results import Result, RunDirectory

Planecast = Callable[..., subprocess.CompletedProcess[str]]
MakeResult = Callable[..., Result]


@pytest.fixture
def runs(tmp_path: Path, make_result: MakeResult) -> dict[str, str]:
    """Runs in the default folder: one result, another, two results."""
    made = {
        "slow": [make_result(250.0)],
        "fast": [make_result(200.0)],
        "both": [make_result(250.0), make_result(260.0, {"placement.burst": 8})],
        "other": [make_result(250.0, {"traffic.flows": 1}), make_result(9.0, {"traffic.flows": 2})],
    }
    names = {}
    for name, results in made.items():
        with RunDirectory.create(tmp_path / "runs", "measure", name) as run:
            run.write_result(results)
        names[name] = run.path.name
    return names


def test_two_runs(planecast: Planecast, runs: dict[str, str]) -> None:
    answer = planecast("compare", runs["slow"], runs["fast"])
    assert answer.returncode == 0, answer.stderr
    assert "cycles_per_packet" in answer.stdout
    assert "B lower" in answer.stdout
    assert "not interleaved in one run" in answer.stdout


def test_two_results_of_one_run_are_interleaved(planecast: Planecast, runs: dict[str, str]) -> None:
    answer = planecast("compare", f"{runs['both']}#1", f"{runs['both']}#2", "--format", "json")
    (found,) = json.loads(answer.stdout)["comparisons"]
    assert found["notes"] == []
    assert found["differences"] == {"placement.burst": ["32", "8"]}
    metrics = {row["metric"]: row for row in found["rows"]}
    assert metrics["cycles_per_packet"]["ratio"]["value"] == pytest.approx(1.04)


def test_several_results_are_paired_by_scenario(planecast: Planecast, runs: dict[str, str]) -> None:
    answer = planecast("compare", runs["both"], runs["both"], "--format", "csv")
    scenarios = [line.split(",")[0] for line in answer.stdout.splitlines()[1:]]
    assert list(dict.fromkeys(scenarios)) == ["burst=32", "burst=8"]


@pytest.mark.parametrize(
    ("a", "b", "sentence"),
    [
        ("both", "other", "compare: the two runs have no scenario in common; pick one result"),
        ("both#3", "both#1", "there is no result #3; the run has 2"),
        ("both#x", "both", "after # stands a number from 1, as in latest#2"),
    ],
)
def test_what_cannot_be_compared_says_so(
    planecast: Planecast, runs: dict[str, str], a: str, b: str, sentence: str
) -> None:
    def named(text: str) -> str:
        name, mark, number = text.partition("#")
        return runs[name] + mark + number

    answer = planecast("compare", named(a), named(b))
    assert (answer.returncode, sentence in answer.stderr) == (2, True), answer.stderr


def test_query_over_the_runs(planecast: Planecast, runs: dict[str, str]) -> None:
    sql = "SELECT count(*) AS results, count(DISTINCT run) AS runs FROM results"
    answer = planecast("query", sql, "--format", "csv")
    assert answer.stdout == "results,runs\n6,4\n"
    assert planecast("query", sql, PLANECAST_RUNS="nowhere").stdout.split()[-2:] == ["0", "0"]


def test_schema_for_an_editor(planecast: Planecast, tmp_path: Path) -> None:
    assert planecast("schema", "study", "-o", "study.json").returncode == 0
    schema = json.loads((tmp_path / "study.json").read_text())
    assert schema["required"] == ["name", "scenario", "calibrate", "hold_out"]
