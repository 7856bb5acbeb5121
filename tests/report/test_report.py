"""From a run to its report, and ``planecast report`` as a person runs it."""

from __future__ import annotations

import errno
from datetime import UTC, datetime
from pathlib import Path

import pytest
from tests.cli.conftest import Run
from tests.cli.conftest import run as planecast

from planecast.errors import InputError, RunError
from planecast.report import write_report
from planecast.results import Result, ResultSet, RunDirectory
from planecast.results.content import read_result
from planecast.results.validation import Validation

__all__ = ["planecast"]

MOMENT = datetime(2026, 1, 2, 3, 4, 5, tzinfo=UTC)


@pytest.fixture
def run(tmp_path: Path, validation: Validation) -> RunDirectory:
    """A complete run in the default folder."""
    with RunDirectory.create(tmp_path / "runs", "validate", "vpe-upstream", MOMENT) as made:
        made.write_result(validation)
    return made


def test_the_report_lies_in_the_runs_folder(run: RunDirectory) -> None:
    path = write_report(run)
    assert path == run.path / "report.html"
    html = path.read_text(encoding="utf-8")
    assert html.startswith("<!DOCTYPE html>")
    assert "partial-run" not in html


def test_a_partial_run_says_so(run: RunDirectory, tmp_path: Path) -> None:
    run.mark_partial("interrupted")
    html = write_report(run, tmp_path / "other.html").read_text(encoding="utf-8")
    assert '<p id="partial-run"><b>partial-run</b> This run is not complete (interrupted)' in html


def test_a_run_without_results_has_no_report(tmp_path: Path) -> None:
    run = RunDirectory.create(tmp_path, "measure", "x")
    with pytest.raises(InputError, match="there is no result"):
        write_report(run)
    run.write_result(ResultSet(results=()))
    with pytest.raises(InputError, match="the run holds no result; make it again"):
        write_report(run)


def test_a_full_disk_leaves_no_half_report(
    run: RunDirectory, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(_: int) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr("os.fsync", full)
    with pytest.raises(RunError, match="the disk is full"):
        write_report(run)
    assert {path.name for path in run.path.iterdir()} == {"result.json"}


def test_the_verb_takes_the_latest_run(planecast: Run, run: RunDirectory) -> None:
    answer = planecast("report")
    assert (answer.code, answer.err) == (0, "")
    assert answer.out == f"runs/{run.path.name}/report.html\n"
    assert (run.path / "report.html").stat().st_size > 1_000_000


def test_the_verb_gives_machines_the_results_themselves(
    planecast: Run, run: RunDirectory, tmp_path: Path
) -> None:
    output = tmp_path / "whole.json"
    answer = planecast("report", str(run.path), "--format", "json", "-o", str(output))
    assert (answer.code, answer.out) == (0, ""), answer.err
    assert read_result(output) == run.read()


def test_the_verb_takes_a_run_and_a_file(
    planecast: Run, run: RunDirectory, tmp_path: Path, results: list[Result]
) -> None:
    with RunDirectory.create(tmp_path / "runs", "measure", "later") as later:
        later.write_result(results)
    for name in (run.path.name, str(run.path), str(run.path / "result.json")):
        answer = planecast("report", name, "-o", "here.html")
        assert (answer.code, answer.out) == (0, "here.html\n"), answer.err
        assert "Validation of vpe-upstream" in (tmp_path / "here.html").read_text(encoding="utf-8")
        (tmp_path / "here.html").unlink()


@pytest.mark.parametrize(
    ("words", "code", "sentence"),
    [
        (["nope"], 2, "planecast: nope: there is no such run; the last ones are 20260102"),
        (["latest", "--runs", "empty"], 2, "planecast: empty: there is no complete run"),
        (["-o", "runs"], 2, "planecast: -o runs: this is a folder; name a file"),
        (["-o", "no/such/folder.html"], 2, "there is no folder no/such; make it first"),
    ],
)
def test_a_mistake_costs_one_sentence(
    planecast: Run, run: RunDirectory, words: list[str], code: int, sentence: str
) -> None:
    answer = planecast("report", *words)
    assert answer.code == code
    assert answer.out == ""
    assert sentence in answer.err
    assert answer.err.count("\n") == 1
