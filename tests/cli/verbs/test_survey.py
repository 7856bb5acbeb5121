"""``planecast survey``: what would be measured, what is refused, and a made-up measurement."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest
from tests.cli.conftest import Run

from planecast.results import Estimate, Manifest, Result
from planecast.results.content import read_result
from planecast.results.survey import SurveyAnswer
from planecast.scenario import Scenario
from planecast.search import survey as surveying

SURVEY = """\
name: small
question: What does it do?
subjects:
  - {label: patch, scenario: patch.yaml, by: measure}
vary: {cores: [1, 64]}
search: {telemetry: none}
"""
COREMARK = """\
#!/bin/sh
echo 'Total time (secs): 12.5'
echo 'Iterations/Sec   : 25000.5'
echo 'Compiler version : none, a stand-in'
echo 'Correct operation validated.'
"""


@pytest.fixture
def small_survey(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A survey of one data plane, on two CPUs."""
    (tmp_path / "patch.yaml").write_text("name: p\nworkload: {kind: l2patch}\n")
    path = tmp_path / "survey.yaml"
    path.write_text(SURVEY)
    monkeypatch.setattr("os.sched_getaffinity", lambda _: {0, 1})
    return path


def test_a_dry_run_says_what_can_not_be_varied(
    run: Run, small_survey: Path, tmp_path: Path
) -> None:
    answer = run("survey", small_survey, "--dry-run")
    assert answer.code == 0, answer.err
    first, second = answer.out.splitlines()
    assert first.startswith("patch, 1 core, noHT, 65,536 flows: by measure on CPU")
    assert "64 cores: this machine lends" in second
    assert not (tmp_path / "runs").exists()


def test_a_coremark_that_is_missing_is_a_sentence(run: Run, small_survey: Path) -> None:
    answer = run("survey", small_survey, "--coremark", "nowhere/coremark.exe")
    assert answer.code == 3
    assert answer.err.count("\n") == 1
    assert "there is no such file" in answer.err


def test_fill_from_takes_an_earlier_survey(run: Run, small_survey: Path) -> None:
    answer = run("survey", small_survey, "--fill-from", "nothing")
    assert answer.code == 2
    assert "there is no such run" in answer.err


def test_a_survey_ends_with_its_table_and_its_page(
    run: Run,
    small_survey: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    manifest: Manifest,
) -> None:
    def measured(scenarios: Sequence[Scenario], *words: object, **named: object) -> list[Result]:
        rate = Estimate(value=50e6, low=49e6, high=51e6, samples=9, unit="pps", kind="measured")
        cycles = Estimate(value=50.0, unit="cycles/packet", kind="measured")
        return [
            Result(
                scenario=one,
                throughput_pps=rate,
                cycles_per_packet=cycles,
                notes=("measured on a tilted machine",),
                manifest=manifest,
            )
            for one in scenarios
        ]

    monkeypatch.setattr(surveying, "measure", measured)
    coremark = tmp_path / "coremark.exe"
    coremark.write_text(COREMARK)
    coremark.chmod(0o755)
    answer = run("survey", small_survey, "--coremark", coremark)
    assert answer.code == 0, answer.err
    assert "50.00 [49.00, 51.00] throughput" in answer.out
    assert "CoreMark: 25,00" in answer.out
    assert "not varied: 64 cores" in answer.out
    assert answer.out.count("measured on a tilted machine") == 1
    assert "CPP, IPP: cycles of the time-stamp counter and instructions a packet" in answer.out
    (folder,) = (tmp_path / "runs").iterdir()
    found = read_result(folder / "result.json")
    assert isinstance(found, SurveyAnswer)
    assert [point.measured for point in found.points] == [True, False]
    assert (folder / "report.html").is_file()
    assert not (folder / "partial").exists()
    report = run("report", folder)
    assert report.code == 0, report.err
