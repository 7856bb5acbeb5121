"""``planecast search``: what it refuses, an answer of the simulator's, stopping and resuming."""

from __future__ import annotations

import itertools
import json
from pathlib import Path
from types import SimpleNamespace

import pytest
from tests.calibrations import base, calibration, counts, hierarchy, manifest
from tests.cli.conftest import Run

from planecast.model.calibration import Calibration
from planecast.results import RunDirectory
from planecast.results.content import read_result
from planecast.results.query import query
from planecast.results.search import SearchAnswer
from planecast.results.store import CALIBRATION

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
        (("--rate", "0.1pps", "--method", "soak"), "one packet a second"),
        (("--loss", "2", "--method", "rfc2544"), "give a share such as"),
        (("--loss", "0.1%"), "--loss: it has no effect without --method rfc2544, latency, soak or"),
        (("--exceed", "x"), "give a share such as"),
        (("--telemetry", "vtune"), "name some of cycles, perf"),
        (("--set", "traffic.offered_pps=1Mpps"), "loads of its own"),
        (("--resume", "latest"), "its own parameters; leave it out"),
    ],
)
def test_what_is_refused(run: Run, small: Path, words: tuple[str, ...], said: str) -> None:
    answer = run("search", small, *words)
    assert answer.code == 2
    assert said in answer.err


@pytest.fixture
def programs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder of native programs that nobody may start, on a machine of two CPUs."""
    folder = tmp_path / "native"
    folder.mkdir()
    for name in ("planecast-dataplane", "planecast-generator"):
        (folder / name).write_text("#!/bin/sh\ntouch started\n")
        (folder / name).chmod(0o755)
    monkeypatch.setenv("PLANECAST_NATIVE", str(folder))
    monkeypatch.setattr("os.sched_getaffinity", lambda _: {0, 1})
    return folder


COMMAND = ("dataplane.kind=command", "dataplane.command=/bin/cat {in} {cpu}")


def test_a_dry_run_prints_the_processes_and_starts_none(
    run: Run, small: Path, programs: Path, tmp_path: Path
) -> None:
    before = set(tmp_path.rglob("*"))
    answer = run("search", small, "--dry-run", "--method", "mrr", "--repetitions", "3")
    assert answer.code == 0, answer.err
    first, dataplane, generator = answer.out.split("\n\n")
    assert first.startswith("# mrr on planecast's vpe-upstream: trials of 0.02 s at 14.88 Mpps")
    for text, name in ((dataplane, "dataplane"), (generator, "generator")):
        assert text.startswith(f"# {name}.ini; started 3 times\n[")
        command = text.strip().splitlines()[-1]
        assert command.startswith(f"{programs / f'planecast-{name}'} {name}.ini --control")
    assert "socket=FOLDER/memif0.sock" in dataplane
    assert "tx = memif:FOLDER/memif0.sock\n" in generator
    assert set(tmp_path.rglob("*")) == before


def test_a_dry_run_of_any_command(run: Run, bare: Path, programs: Path) -> None:
    words = [word for key in COMMAND for word in ("--set", key)]
    answer = run("search", bare, *words, "--dry-run")
    assert "\n/bin/cat FOLDER/link0.sock 0\n" in answer.out
    answer = run("search", bare, *words, "--dry-run", "--set", "dataplane.ports=veth")
    assert "nsenter --target=HOLDER" in answer.out
    assert "iface=link1b" in answer.out


@pytest.mark.usefixtures("calibrated")
def test_a_dry_run_of_the_simulator(run: Run, scenario_file: Path) -> None:
    answer = run("search", scenario_file, *QUICK, "--dry-run")
    assert "nothing is started" in answer.out


def test_what_is_missing_leaves_no_run(
    run: Run, small: Path, programs: Path, tmp_path: Path
) -> None:
    (programs / "planecast-dataplane").unlink()
    answer = run("search", small)
    assert (answer.code, "planecast-dataplane is not built" in answer.err) == (3, True)
    assert list((tmp_path / "runs").iterdir()) == []


def test_a_search_needs_a_scenario(run: Run) -> None:
    assert "no scenario is named" in run("search").err


@pytest.mark.usefixtures("calibrated")
def test_a_method_that_the_simulator_has_not_is_refused_before_any_trial(
    run: Run, scenario_file: Path
) -> None:
    before = list(Path("runs").iterdir())
    answer = run("search", scenario_file, *QUICK, "--method", "back-to-back")
    assert (answer.code, "not for a single burst" in answer.err) == (2, True)
    assert list(Path("runs").iterdir()) == before


@pytest.mark.usefixtures("calibrated")
@pytest.mark.parametrize("method", ["rfc2544", "mrr"])
def test_the_simulator_answers(run: Run, scenario_file: Path, tmp_path: Path, method: str) -> None:
    words = ("--method", method, *QUICK, "--trials", "1")
    words += ("--start", "50") if method == "rfc2544" else ()
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
def test_a_soak_is_a_row_of_its_own(run: Run, scenario_file: Path) -> None:
    words = ("--method", "soak", "--rate", "1Mpps", "--soak-seconds", "0.005", "--loss", "1e-3")
    answer = run("search", scenario_file, *words, *QUICK, "--format", "csv")
    header, row = answer.out.splitlines()
    found = dict(zip(header.split(","), row.split(","), strict=True))
    assert (found["rate_pps"], found["lost"], found["met"]) == ("1000000.0", "0", "True")
    assert 0 < float(found["upper"]) < 1e-3


@pytest.mark.usefixtures("calibrated")
def test_a_stopped_search_continues(
    run: Run, scenario_file: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    words = ("search", scenario_file, "--method", "mrr", *QUICK, "--trials", "3")
    whole = run(*words, "--format", "json").json()
    monkeypatch.setattr("planecast.search.session.time", _clock(looks=2))
    stopped = run(*words, "--max-seconds", "60")
    monkeypatch.undo()
    monkeypatch.chdir(tmp_path)
    assert stopped.code == 1
    partial = next(path.parent for path in (tmp_path / "runs").glob("*-search-*/partial"))
    assert f"planecast: stopped; continue with --resume {partial.name}\n" in stopped.err
    refused = run("search", "--resume", partial.name, "--trials", "4")
    assert "--trials: a search continues with its own parameters" in refused.err
    again = run("search", "--resume", partial.name, "--format", "json").json()
    assert again["rates"] == whole["rates"]
    assert not (partial / "partial").exists()
    assert "complete" in run("search", "--resume", partial.name).err


def _clock(looks: int) -> SimpleNamespace:
    """A search's own clock, which stands at zero for so many looks and then is past any deadline:
    that of the process is looked at by other threads, too."""
    seen = itertools.count()
    return SimpleNamespace(monotonic=lambda: 0.0 if next(seen) < looks else float("inf"))


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


def test_a_method_that_is_no_more_is_refused(run: Run, small: Path) -> None:
    """At the same precision it saved no trials (docs/explanation/search.md)."""
    answer = run("search", small, "--method", "guided")
    assert answer.code == 2
    assert "guided" in answer.err
    assert "mlr" in answer.err


def test_an_invalid_search_says_so_first_and_fails(
    run: Run, small: Path, calibrated: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    why = "INVALID: the data plane's thread had 3% of its CPU"
    monkeypatch.setattr("planecast.search.run.starved", lambda trials, left_out: why)
    answer = run("search", small, *QUICK)
    assert answer.code == 1
    lines = [line for line in answer.out.splitlines() if line.strip()]
    assert why in " ".join(lines[:2])


@pytest.mark.usefixtures("calibrated")
def test_a_simulated_search_takes_what_only_the_simulator_knows(
    run: Run, scenario_file: Path
) -> None:
    words = ("--method", "mrr", *QUICK, "--trials", "1", "--set", "nic.link_gbps=10")
    answer = run("search", scenario_file, *words)
    assert answer.code == 0, answer.err
