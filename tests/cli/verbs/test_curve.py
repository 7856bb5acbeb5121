"""``planecast curve``: what it refuses, and how a curve reads."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from tests.cli.conftest import Run
from tests.report.conftest import load_curve

from planecast.cli.shared.output import emit
from planecast.cli.tables.load_curve import curve_sheet
from planecast.engines.measure.load_sweep import LoadBudget
from planecast.errors import InputError
from planecast.report import report_html
from planecast.results import RunDirectory, find_run
from planecast.results.load_curve import CpuPauses, LoadCurve
from planecast.results.query import query
from planecast.study.load_curve import LoadCurveContext
from planecast.study.load_curve import load_curve as run_curve

__all__ = ["load_curve"]

SMALL = """\
name: small
workload: {{acl_rules: 64, flows: 256, routes: 64}}
traffic: {{flows: 256{traffic}}}
placement: {{cpus: {lcores}}}
"""


@pytest.fixture
def write(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> object:
    """Writes a scenario, on a machine with CPUs 0 and 1."""
    monkeypatch.setattr("os.sched_getaffinity", lambda _: {0, 1})

    def made(lcores: str = "1", traffic: str = "") -> Path:
        path = tmp_path / "small.yaml"
        path.write_text(SMALL.format(lcores=lcores, traffic=traffic))
        return path

    return made


def test_help(run: Run) -> None:
    answer = run("curve", "--help")
    assert answer.code == 0
    assert "Usage: planecast curve [OPTIONS] {SCENARIO}" in answer.out


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("--loads", "50"), "two loads or more"),
        (("--loads", "50,x"), "got 'x', which is not a percentage such as 90 or 90%"),
        (("--loads", "50,nan"), "got 'nan', which is not a percentage"),
        (("--loads", "90,50"), "ascending order"),
        (("--loads", "0,50"), "above 0"),
        (("--generator-cpu", "1"), "the data plane forwards on it"),
        (("--generator-cpu", "7"), "it is not available"),
    ],
)
def test_what_is_refused(run: Run, write: object, words: tuple[str, ...], said: str) -> None:
    answer = run("curve", write(), *words)  # type: ignore[operator]
    assert answer.code == 2
    assert said in answer.err


@pytest.mark.parametrize(
    ("lcores", "traffic", "said"),
    [
        ("0-1", "", "2 lcores forward"),
        ("1", ", offered_pps: 1Mpps", "a curve goes through loads of its own"),
    ],
)
def test_scenarios_that_have_no_curve(
    run: Run, write: object, lcores: str, traffic: str, said: str
) -> None:
    answer = run("curve", write(lcores, traffic))  # type: ignore[operator]
    assert answer.code == 2
    assert said in answer.err


@pytest.mark.parametrize("words", [(), ("--dry-run",)])
def test_a_data_plane_of_others_has_no_curve(run: Run, tmp_path: Path, words: tuple[str]) -> None:
    path = tmp_path / "theirs.yaml"
    path.write_text("name: theirs\ndataplane: {kind: testpmd}\n")
    answer = run("curve", path, *words)
    assert answer.code == 2
    assert "planecast's own pipelines, not testpmd io" in answer.err


def test_without_a_second_cpu(run: Run, write: object, monkeypatch: pytest.MonkeyPatch) -> None:
    path = write()  # type: ignore[operator]
    monkeypatch.setattr("os.sched_getaffinity", lambda _: {1})
    answer = run("curve", path)
    assert answer.code == 3
    assert "two CPUs are needed" in answer.err


def test_without_a_calibration(run: Run, write: object) -> None:
    answer = run("curve", write())  # type: ignore[operator]
    assert answer.code == 2
    assert "no run has a calibration" in answer.err


def test_a_curve_reads_as_a_table(
    load_curve: LoadCurve, capsys: pytest.CaptureFixture[str]
) -> None:
    emit(curve_sheet(load_curve, Path("r"), Path("r/report.html")), "table")
    said = capsys.readouterr().out
    assert "90.0 %" in said
    assert "9.09 %" in said
    assert "knee (highest load whose p10 of loss is below 0.1 %)" in said
    assert "measured 5.880 [5.821, 5.929] Mpps, simulated 6.000 Mpps" in said
    assert "the simulated one is +2.0 % off" in said


def test_a_curve_without_a_knee_says_so(
    load_curve: LoadCurve, capsys: pytest.CaptureFixture[str]
) -> None:
    bare = load_curve.model_copy(update={"measured_knee": None})
    emit(curve_sheet(bare, Path("r"), Path("r/report.html")), "table")
    assert "measured not between the loads" in capsys.readouterr().out


def test_what_took_the_cpus_away_is_reported(
    load_curve: LoadCurve, capsys: pytest.CaptureFixture[str]
) -> None:
    away = CpuPauses(
        role="generator",
        cpu=0,
        watched_s=4.2,
        per_second=1553.2,
        median_us=10.4,
        p99_us=67.4,
        longest_us=5628.5,
        share=0.026,
    )
    paused = load_curve.model_copy(update={"pauses": (away,), "simulated_disturbed_share": 0.5})
    emit(curve_sheet(paused, Path("r"), Path("r/report.html")), "table")
    said = capsys.readouterr().out
    assert "CPU 0 (generator) was away 1,553 times a second for more than 1 us" in said
    assert "2.60 % of the time" in said
    assert "60 % of the trials were disturbed, and 50 % of the simulated ones" in said
    page = report_html(paused)
    assert "Pauses" in page
    assert "5,628.5" in page


def test_a_calibration_that_can_not_answer_is_reported_before_anything_is_measured(
    load_curve: LoadCurve, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def lacking(*_: object) -> None:
        raise InputError("the calibration has no parameter classify.behind")

    monkeypatch.setattr("planecast.study.load_curve.stage_costs", lacking)
    monkeypatch.setattr("planecast.study.load_curve.measure_loads", pytest.fail)
    context = LoadCurveContext(
        scenario=load_curve.scenario,
        generator_cpu=0,
        budget=LoadBudget(),
        calibration=None,  # type: ignore[arg-type]
        run=RunDirectory(tmp_path),
        manifest=load_curve.manifest,
        progress=lambda done, total, words: None,
    )
    with pytest.raises(InputError, match=r"classify\.behind"):
        run_curve(context)


def test_for_machines(load_curve: LoadCurve, capsys: pytest.CaptureFixture[str]) -> None:
    sheet = curve_sheet(load_curve, Path("r"), Path("r/report.html"))
    emit(sheet, "json")
    assert LoadCurve.model_validate(json.loads(capsys.readouterr().out)) == load_curve
    emit(sheet, "csv")
    header = capsys.readouterr().out.splitlines()[0].split(",")
    assert "measured_loss_low" in header
    assert "simulated_p99_ns" in header


def test_a_curve_is_kept_found_and_queried(load_curve: LoadCurve, tmp_path: Path) -> None:
    with RunDirectory.create(tmp_path, "curve", "x") as run:
        run.write_result(load_curve)
    assert find_run("latest", tmp_path).read() == load_curve
    table = query("SELECT role, count(*) FROM results GROUP BY role ORDER BY role", tmp_path)
    assert table.rows == [("measured", 5), ("simulated", 5)]
