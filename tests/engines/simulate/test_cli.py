"""``planecast predict --engine simulate``."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.calibrate.test_preemption import trials
from tests.cli.conftest import Run, run

from planecast.model.calibration import Calibration
from planecast.results import ResultSet, RunDirectory

__all__ = ["run"]

PREDICT = ("predict", "asked.yaml", "--engine", "simulate")
LOADED = ("asked.yaml", "--set", "traffic.offered_pps=5Mpps")


@pytest.fixture(autouse=True)
def asked(tmp_path: Path, calibration: Calibration) -> None:
    """A scenario, and a run whose calibration answers it."""
    (tmp_path / "asked.yaml").write_text("name: asked\n")
    with RunDirectory.create(tmp_path / "runs", "calibrate", "asked") as made:
        made.write_json("calibration.json", calibration)
        made.write_result([])


def test_loss_and_latency(run: Run) -> None:
    answer = run("predict", *LOADED, "--engine", "simulate", "--precision", "2%")
    assert answer.code == 0, answer.err
    assert "simulated; 95 % intervals" in answer.out
    assert "latency in ns from arrival to departure: mean " in " ".join(answer.out.split())
    assert "generator" in answer.out
    words = " ".join(answer.out.split())
    assert "% busy, " in words
    assert "packets in rings on average: port0.rx0 " in words


def test_for_machines(run: Run) -> None:
    text = run("predict", *LOADED, "--engine", "simulate", "--format", "json").out
    (found,) = ResultSet.model_validate_json(text).results
    assert found.manifest.engine == "simulate"
    assert found.scenario.traffic.offered_pps == 5e6
    assert found.latency_ns["p99"].unit == "ns"


def test_both_engines_agree_on_what_is_forwarded_at_most(run: Run) -> None:
    answers = [
        ResultSet.model_validate_json(
            run("predict", "asked.yaml", "--engine", engine, "--format", "json").out
        ).results[0]
        for engine in ("solve", "simulate")
    ]
    closed, found = (answer.throughput_pps.value for answer in answers)
    assert found == pytest.approx(closed, rel=0.005)


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (["--precision", "1%"], "--precision: the closed form simulates no time; add --engine"),
        (["--engine", "simulate", "--precision", "0"], "got '0'; give a share from 0.0001% to 50%"),
        (["--engine", "simulate", "--precision", "nan%"], "got 'nan%'"),
        (
            ["--replications", "3"],
            "--replications: the closed form simulates no time; add --engine",
        ),
        (["--interrupted-as", "x"], "--interrupted-as: the closed form simulates no time"),
        (["--engine", "simulate", "--interrupted-as", "x"], "x: there is no such run"),
        (["--engine", "guess"], "'guess' is not one of"),
    ],
)
def test_mistakes_are_sentences(run: Run, words: list[str], sentence: str) -> None:
    answer = run("predict", "asked.yaml", *words)
    assert (answer.code, answer.out) == (2, "")
    assert sentence in " ".join(answer.err.split())


def test_measure_refuses_a_rate(run: Run) -> None:
    answer = run("measure", *LOADED)
    assert answer.code == 2
    assert "asked: traffic.offered_pps is set" in answer.err


def test_interrupted_as_a_measured_run_was(run: Run, tmp_path: Path) -> None:
    with RunDirectory.create(tmp_path / "runs", "measure", "disturbed") as made:
        made.write_trials(trials(20, 20_000))
        made.write_result([])
    answers = []
    for words in ((), ("--interrupted-as", made.path.name)):
        rate = ("--set", "traffic.offered_pps=1Mpps", "--duration", "5s")
        answer = run(*PREDICT, *rate, *words, "--format", "json")
        assert answer.code == 0, answer.err
        answers.append(ResultSet.model_validate_json(answer.out).results[0])
    quiet, found = answers
    assert found.scenario.interference.duration_us == pytest.approx(20_000, rel=0.25)
    assert any(note.startswith(f"interrupted as in {made.path.name}: ") for note in found.notes)
    (lcore,) = found.lcores.values()
    # Of each second of its own it was away 20 times for 20 ms.
    assert lcore.disturbed == pytest.approx(0.4 / 1.4, rel=0.3)
    assert found.latency_ns["max"].value > 1e6 > quiet.latency_ns["max"].value
    (bare_run,) = (tmp_path / "runs").glob("*-calibrate-*")
    answer = run(*PREDICT, "--interrupted-as", bare_run.name)
    assert answer.code == 2
    assert "the run has no trials; name a run of measure, validate or curve" in answer.err
