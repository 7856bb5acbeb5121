"""``planecast search``: what it refuses, an answer of the simulator's, stopping and going on."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from tests.cli.conftest import Run
from tests.engines.simulate.conftest import calibration, manifest
from tests.engines.solve.conftest import base, counts, hierarchy

from planecast.engines.solve import Calibration
from planecast.results import RunDirectory, SearchAnswer, query, read_result
from planecast.study.calibrate import CALIBRATION

__all__ = ["base", "calibration", "counts", "hierarchy", "manifest"]

QUICK = ("--engine", "simulate", "--trial-seconds", "0.0001", "--repetitions", "1")


@pytest.fixture
def calibrated(tmp_path: Path, calibration: Calibration) -> None:
    """A run with a calibration, which the verb takes by default."""
    run = RunDirectory.create(tmp_path / "runs", "calibrate", "made-up")
    run.write_json(CALIBRATION, calibration)


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("--expect", "5Mpps"), "LOW..HIGH"),
        (("--expect", "6Mpps..5Mpps"), "LOW..HIGH"),
        (("--max-rate", "fast"), "--max-rate"),
        (("--rate", "0.1pps"), "one packet a second"),
        (("--loss", "2", "--method", "rfc2544"), "say a share"),
        (("--loss", "0.1%"), "loss goals of its own"),
        (("--exceed", "x"), "say a share"),
        (("--telemetry", "vtune"), "name some of cycles, perf"),
        (("--set", "traffic.offered_pps=1Mpps"), "loads of its own"),
        (("--resume", "latest"), "its own scenario"),
    ],
)
def test_what_is_refused(run: Run, small: Path, words: tuple[str, ...], said: str) -> None:
    answer = run("search", small, *words)
    assert answer.code == 2
    assert said in answer.err


def test_a_search_needs_a_scenario(run: Run) -> None:
    assert "no scenario is named" in run("search").err


def test_a_guided_search_needs_a_prediction(
    run: Run, scenario_file: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("os.sched_getaffinity", lambda _: {0, 1})
    answer = run("search", scenario_file, "--method", "guided")
    assert answer.code == 2
    assert "needs a prediction" in answer.err
    assert not (tmp_path / "runs").exists()


@pytest.mark.usefixtures("calibrated")
@pytest.mark.parametrize("method", ["rfc2544", "mrr"])
def test_the_simulator_answers(run: Run, scenario_file: Path, tmp_path: Path, method: str) -> None:
    words = ("--method", method, *QUICK, "--trials", "1", "--start", "50")
    answer = run("search", scenario_file, *words, "--format", "json").json()
    found = SearchAnswer.model_validate_json(json.dumps(answer))
    rate = next(iter(found.rates.values()))
    assert rate.rate_pps.kind == "simulated"
    assert 1e6 < rate.rate_pps.value < 15e6
    folder = next(path for path in (tmp_path / "runs").iterdir() if "-search-" in path.name)
    assert read_result(folder / "result.json") == found
    assert (folder / "trials.parquet").is_file()
    assert not (folder / "partial").exists()
    assert query("SELECT count(*) FROM results", tmp_path / "runs").rows == [(0,)]


@pytest.mark.usefixtures("calibrated")
def test_a_stopped_search_goes_on(
    run: Run, scenario_file: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    words = ("search", scenario_file, "--method", "mrr", *QUICK, "--trials", "3")
    whole = run(*words, "--format", "json").json()
    monkeypatch.setattr("time.monotonic", _clock(limit=4))
    stopped = run(*words, "--max-seconds", "1")
    monkeypatch.undo()
    monkeypatch.chdir(tmp_path)
    assert stopped.code == 1
    assert "--resume" in stopped.err
    partial = next(path.parent for path in (tmp_path / "runs").glob("*-search-*/partial"))
    again = run("search", "--resume", partial.name, "--format", "json").json()
    assert again["rates"] == whole["rates"]
    assert not (partial / "partial").exists()
    assert "complete" in run("search", "--resume", partial.name).err


def _clock(limit: int) -> Callable[[], float]:
    """A clock on which more than a second has gone after so many looks."""
    looks = 0

    def now() -> float:
        nonlocal looks
        looks += 1
        return 0.0 if looks <= limit else 10.0

    return now


@pytest.mark.usefixtures("calibrated")
def test_a_table_says_what_capped_it(run: Run, scenario_file: Path) -> None:
    words = ("--method", "mrr", *QUICK, "--trials", "2", "--link-gbps", "1")
    answer = run("search", scenario_file, *words)
    assert answer.code == 0, answer.err
    assert "capped by link, not by the data plane" in answer.out
    report = run("report", "latest")
    assert report.code == 0, report.err
    page = Path(report.out.strip()).read_text(encoding="utf-8")
    assert "not-the-data-plane" in page
