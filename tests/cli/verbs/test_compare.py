"""``planecast compare`` and ``planecast query`` on runs made by hand."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from tests.cli.conftest import Run

from planecast.results import Result, RunDirectory

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


def test_two_runs(run: Run, runs: dict[str, str]) -> None:
    answer = run("compare", runs["slow"], runs["fast"])
    assert answer.code == 0, answer.err
    assert " cycles " in answer.out
    assert "B lower" in answer.out
    assert "not interleaved in one run" in answer.out


def test_several_runs_are_each_against_the_first(run: Run, runs: dict[str, str]) -> None:
    answer = run("compare", runs["slow"], runs["fast"], runs["slow"], "--margin", "5", "--wide")
    assert "C/A" not in answer.out
    rows = [line.split() for line in answer.out.splitlines() if " Mpps " in line]
    assert [row[1] for row in rows] == ["B", "C"]
    assert rows[0][-2:] == ["B", "higher"]
    assert rows[1][-4:] == ["same", "within", "5", "%"]
    document = run("compare", runs["slow"], runs["fast"], runs["slow"], "--format", "json").json()
    assert [one["run"] for one in document["comparisons"]] == ["B", "C"]
    assert document["c"].endswith(runs["slow"])


def test_a_result_by_its_csit_name(run: Run, runs: dict[str, str]) -> None:
    which = f"{runs['other']}#64B-1t1c-vpe"
    answer = run("compare", which, f"{runs['slow']}#64B-1t1c")
    assert (answer.code, "no scenario in common" in answer.err) == (2, True)
    answer = run("compare", f"{runs['slow']}#1518B-1t1c", runs["fast"])
    assert "there is no result 1518B-1t1c; the run has 64B-1t1c-vpe-upstream" in answer.err


def test_export_for_prometheus(run: Run, runs: dict[str, str], tmp_path: Path) -> None:
    assert run("export", runs["slow"], runs["fast"], "-o", "planecast.prom").code == 0
    text = (tmp_path / "planecast.prom").read_text()
    assert 'planecast_cycles_per_packet{bound="value"' in text
    assert run("export", runs["fast"]).out == text  # of equal scenarios the last one counts


def test_a_report_of_several_runs(run: Run, runs: dict[str, str], tmp_path: Path) -> None:
    answer = run("report", runs["slow"], runs["fast"], runs["slow"])
    page = Path(answer.out.strip())
    assert page == Path("runs") / runs["slow"] / "comparison.html"
    text = (tmp_path / page).read_text()
    assert "3 runs side by side" in text
    assert "B higher" in text
    assert f"Run C: {runs['slow']}" in text
    refused = run("report", runs["slow"], runs["fast"], "--format", "json")
    assert (refused.code, "planecast compare has it of several" in refused.err) == (2, True)


def test_two_results_of_one_run_are_interleaved(run: Run, runs: dict[str, str]) -> None:
    answer = run("compare", f"{runs['both']}#1", f"{runs['both']}#2", "--format", "json")
    (found,) = json.loads(answer.out)["comparisons"]
    assert found["notes"] == []
    assert found["differences"] == {"placement.burst": ["32", "8"]}
    metrics = {row["metric"]: row for row in found["rows"]}
    assert metrics["cycles_per_packet"]["ratio"]["value"] == pytest.approx(1.04)


def test_several_results_are_paired_by_scenario(run: Run, runs: dict[str, str]) -> None:
    answer = run("compare", runs["both"], runs["both"], "--format", "csv")
    scenarios = [line.split(",")[0] for line in answer.out.splitlines()[1:]]
    assert list(dict.fromkeys(scenarios)) == ["burst=32", "burst=8"]


@pytest.mark.parametrize(
    ("a", "b", "sentence"),
    [
        ("both", "other", "compare: the two runs have no scenario in common; pick one result"),
        ("both#3", "both#1", "there is no result #3; the run has 2"),
        ("both#x", "both", "after # comes a number from 1, as in latest#2"),
    ],
)
def test_what_cannot_be_compared_says_so(
    run: Run, runs: dict[str, str], a: str, b: str, sentence: str
) -> None:
    def named(text: str) -> str:
        name, mark, number = text.partition("#")
        return runs[name] + mark + number

    answer = run("compare", named(a), named(b))
    assert (answer.code, sentence in answer.err) == (2, True), answer.err


def test_query_over_the_runs(
    run: Run, runs: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    sql = "SELECT count(*) AS results, count(DISTINCT run) AS runs FROM results"
    answer = run("query", sql, "--format", "csv")
    assert answer.out == "results,runs\n6,4\n"
    monkeypatch.setenv("PLANECAST_RUNS", "nowhere")
    assert run("query", sql).out.split()[-2:] == ["0", "0"]
    answer = run("query", sql, "--runs", "typo")
    assert (answer.code, "typo: there is no run: there is no such folder" in answer.err) == (
        2,
        True,
    )


def test_numbers_that_json_lacks_are_null(run: Run, runs: dict[str, str]) -> None:
    sql = "SELECT 'nan'::DOUBLE AS a, '-infinity'::DOUBLE AS b, 1.5 AS c"
    assert run("query", sql, "--format", "json").json() == [{"a": None, "b": None, "c": 1.5}]


def test_schema_for_an_editor(run: Run, tmp_path: Path) -> None:
    assert run("schema", "study", "-o", "study.json").code == 0
    schema = json.loads((tmp_path / "study.json").read_text())
    assert schema["required"] == ["name", "scenario", "calibrate", "hold_out"]
