"""``planecast history`` as a person runs it."""

from __future__ import annotations

import csv
import io
from collections.abc import Callable
from pathlib import Path

import pytest
from tests.cli.conftest import Run

from planecast.results import Result, RunDirectory
from planecast.results.basis import Basis

MakeResult = Callable[..., Result]


@pytest.fixture
def runs(tmp_path: Path, make_result: MakeResult) -> list[str]:
    """Twelve runs of one scenario, slower from the seventh on with another DPDK; one of another."""
    names = []
    for day in range(1, 13):
        slow = day > 6
        made = make_result(200.0 + 0.1 * (day % 3) + (20 if slow else 0), {"traffic.seed": 7})
        manifest = made.manifest.model_copy(
            update={
                "started_at": f"2026-03-{day:02}T00:00:00Z",
                "versions": made.manifest.versions | {"dpdk": "23.11" if slow else "22.11"},
            }
        )
        with RunDirectory.create(tmp_path / "runs", "measure", f"day{day}") as one:
            one.write_result(made.model_copy(update={"manifest": manifest}))
        names.append(one.path.name)
    with RunDirectory.create(tmp_path / "runs", "measure", "once") as one:
        one.write_result(make_result(50.0))
    return names


def test_the_level_and_the_run_where_it_changed(run: Run, runs: list[str]) -> None:
    answer = run("history", "--metric", "cycles_per_packet")
    assert answer.code == 0, answer.err
    assert "vpe-upstream seed=7: regression of +10.0 [" in answer.out
    (named,) = [line for line in answer.out.splitlines() if "seed=7: regression" in line]
    assert named.endswith(runs[6])
    (row,) = run("history", "--metric", "cycles_per_packet", "--format", "json").json()
    assert row["first_run"] == runs[6]
    assert row["level_low"] < 220.1 < row["level_high"]
    assert row["change_low_percent"] < 10 < row["change_high_percent"]


def test_rows_show_what_was_measured_and_which_calibration_the_others_rest_on(
    run: Run, tmp_path: Path, make_result: MakeResult
) -> None:
    """Equal scenarios, whose rows would be alike but for their numbers."""
    for day, model in enumerate(("", "", "one", "one", "two", "two"), 1):
        made = make_result(200.0 if not model else 210.0 if model == "one" else 220.0)
        manifest = made.manifest.model_copy(update={"started_at": f"2026-03-{day:02}T00:00:00Z"})
        if model:
            basis = Basis(
                run=model, digest=model, made_at="", cpu="", this_host=True, choice="named"
            )
            manifest = manifest.model_copy(update={"calibration": basis})
            cost = made.throughput_pps.model_copy(update={"kind": "computed"})
            made = made.model_copy(update={"throughput_pps": cost})
        with RunDirectory.create(tmp_path / "runs", "predict", f"day{day}") as one:
            one.write_result(made.model_copy(update={"manifest": manifest}))
    answer = run("history")
    assert answer.code == 0, answer.err
    rows = [line.split() for line in answer.out.splitlines() if line.startswith(" vpe-upstream")]
    assert {row[2] if row[2] == "measured" else " ".join(row[2:4]) for row in rows} == {
        "measured",
        "computed 1",
        "computed 2",
    }
    assert "measured; computed 1 by one; computed 2 by two" in " ".join(answer.out.split())
    found = list(csv.DictReader(io.StringIO(run("history", "--format", "csv").out)))
    assert {"kind", "calibration", "level_low", "level_high"} <= found[0].keys()
    assert {(row["kind"], row["calibration"]) for row in found} == {
        ("measured", ""),
        ("computed", "one"),
        ("computed", "two"),
    }


def test_a_row_a_run(run: Run, runs: list[str]) -> None:
    rows = run("history", "--points", "--format", "json").json()
    assert [row["run"] for row in rows] == runs
    assert [row["run"] for row in rows if row["verdict"]] == [runs[6]]


def test_versions_side_by_side(run: Run, runs: list[str]) -> None:
    answer = run("history", "--metric", "cycles_per_packet", "--by", "dpdk", "--wide")
    assert answer.code == 0, answer.err
    (line,) = [line for line in answer.out.splitlines() if "seed=7" in line]
    assert "1.100 [" in line
    assert line.endswith("higher")
    rows = run("history", "--by", "dpdk", "--format", "json").json()
    assert [(row["dpdk"], row["runs"]) for row in rows] == [("22.11", 6), ("23.11", 6)]


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (["--scenario", "nothing"], "no scenario nothing was run twice on one host"),
        (["--metric", "ipc"], "no scenario was run twice on one host with ipc"),
        (["--metric", "NDR"], "no run has the metric 'NDR'; known are"),
        (["--by", "nothing"], "no run keeps a version of nothing"),
        (["--by", "planecast"], "every scenario was run with one version of planecast alone"),
    ],
)
def test_a_mistake_is_one_sentence(
    run: Run, runs: list[str], words: list[str], sentence: str
) -> None:
    answer = run("history", *words)
    assert (answer.code, answer.err.count("\n")) == (2, 1)
    assert sentence in answer.err


def test_a_page_whose_links_lead_to_the_runs(run: Run, runs: list[str], tmp_path: Path) -> None:
    assert run("report", runs[6]).code == 0
    answer = run("history", "-o", "history.html")
    assert (answer.code, answer.out) == (0, "history.html\n"), answer.err
    text = (tmp_path / "history.html").read_text(encoding="utf-8")
    assert f'<a href="runs/{runs[6]}/report.html">' in text
    assert f'<a href="runs/{runs[0]}">' in text
    assert "By version of dpdk" in text
    versions = text[text.rindex("By version of dpdk") :].split("</table>")[0]
    assert versions.count("<tr") == 3, "a row a version, below the headings"
    assert "1 regression; the largest is vpe-upstream seed=7: −9.1 %" in text
