"""``planecast sweep``: from the words to Parquet."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest
from tests.cli.conftest import Run
from tests.cli.verbs.test_predict import asked, calibrated, kept

__all__ = ["asked", "calibrated", "kept"]


def test_a_sweep_and_its_query(run: Run, asked: Path, calibrated: Path) -> None:
    burst = ("--vary", "placement.burst=16:64:4")
    refusals: tuple[tuple[tuple[str | Path, ...], str], ...] = (
        ((asked, *burst, "--vary", "traffic.flows=1,99Mi"), "--vary traffic.flows=1,99Mi"),
        (("--resume", "latest", *burst), "a sweep continues with its own parameters"),
        (("--resume", "latest"), "the run is not a sweep"),
        ((), "name a scenario"),
        ((asked, "--vary", "nic.link_gbps=10,25"), "all 2 points were refused"),
    )
    before = list(Path("runs").iterdir())
    for words, fragment in refusals:
        answer = run("sweep", *words)
        assert answer.code == 2
        assert fragment in answer.err
    assert list(Path("runs").iterdir()) == before
    answer = run("sweep", asked, *burst, "--vary", "traffic.flows=1024,32Ki")
    assert answer.code == 0, answer.err
    assert "8 of 8 points answered" in answer.out
    answer = run("sweep", asked, *burst, "--vary", "traffic.flows=1024,32Ki", "--format", "csv")
    assert "8 of 8 points answered; the 5 with most packets" in answer.err
    sql = "SELECT count(*) AS n FROM sweeps WHERE throughput_pps > 0"
    assert run("query", sql, "--format", "json").json() == [{"n": 16}]
    sql = "SELECT count(*) AS n FROM results WHERE verb = 'sweep'"
    assert run("query", sql, "--format", "json").json() == [{"n": 10}]
    again = run("sweep", "--resume", "latest")
    assert again.code == 2
    assert "complete" in again.err


def test_a_scenario_that_makes_sense_at_its_points_alone(
    run: Run, asked: Path, calibrated: Path
) -> None:
    words = (str(asked), "--set", "traffic.arrivals=poisson", "--engine", "simulate")
    rates = ("--vary", "traffic.offered_pps=1Mpps,2Mpps")
    for verb in ("predict", "sweep"):
        answer = run(verb, *words, *rates, "--format", "json")
        assert answer.code == 0, answer.err
    assert "without a rate" in run("predict", *words).err


def test_the_cheapest_and_what_matters(run: Run, asked: Path, calibrated: Path) -> None:
    vary = ("--vary", "placement.lcores=1,2", "--vary", "machine.core_clock=1,1.5")
    plain = ("--rate", "10kpps", *vary, "--no-confirm")
    answer = run("optimise", asked, *plain, "--format", "json")
    found = answer.json()
    assert (found["tried"], found["possible"]) == (4, 4)
    assert found["candidates"][0]["point"]["placement.lcores"] == 1
    answer = run("optimise", asked, "--rate", "10Gpps", *vary)
    assert answer.code == 1
    assert "none of 4 configurations meets the target; the nearest," in answer.err
    crowded = ("--vary", "traffic.flows=8Mi,16Mi")
    before = list(Path("runs").iterdir())
    for words in (("--rate", "fast"), ("--rate", "1Mpps", "--cost", "x"), (*plain[:2], *crowded)):
        answer = run("optimise", asked, *words, *(() if crowded[0] in words else vary))
        assert answer.code == 2
        assert words[-2] in answer.err
    assert list(Path("runs").iterdir()) == before
    answer = run("sensitivity", asked, *vary[2:], "--draws", "0", "--format", "json")
    assert [swing["key"] for swing in answer.json()["swings"]] == ["machine.core_clock"]
    answer = run("sensitivity", asked, "--draws", "48")
    assert answer.code == 2
    assert "power of two" in answer.err


def test_a_library_that_is_missing_is_named(
    run: Run, asked: Path, calibrated: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    ranges = ("--vary", "machine.core_clock=1:1.5")
    before = list(Path("runs").iterdir())
    for library, words, otherwise in (
        ("SALib", ("sensitivity", asked, *ranges), "or --draws 0 for the tornado alone"),
        ("optuna", ("optimise", asked, "--rate", "1kpps", *ranges), "or list values: every"),
        ("distributed", ("sweep", asked, *ranges[:1], "placement.burst=16,32", "--dask", "x:1"),
         "or leave it out: this host"),
    ):  # fmt: skip
        for module in [one for one in sys.modules if one.partition(".")[0] == library]:
            monkeypatch.delitem(sys.modules, module)
        monkeypatch.setitem(sys.modules, library, None)
        answer = run(*words)
        assert (answer.code, answer.out) == (3, "")
        assert f"the library {library} is not installed; pip install 'planecast[" in answer.err
        assert otherwise in answer.err
        assert list(Path("runs").iterdir()) == before


def test_a_scheduler_that_is_not_there_is_found_out_first(
    run: Run, asked: Path, calibrated: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("planecast.sweep.workers.CONNECT_SECONDS", 0.2)
    before = list(Path("runs").iterdir())
    burst = ("--vary", "placement.burst=16,32")
    for address, code in (("tcp://127.0.0.1:9", 1), ("nowhere", 2)):
        answer = run("sweep", asked, *burst, "--dask", address)
        assert (answer.code, answer.out) == (code, "")
        assert answer.err.startswith(f"planecast: --dask {address}: ")
        assert answer.err.count("\n") == 1
    assert list(Path("runs").iterdir()) == before
