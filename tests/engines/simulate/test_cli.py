"""``planecast predict --engine simulate``."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.cli.conftest import Run, run

from planecast.engines.solve import Calibration
from planecast.results import ResultSet, RunDirectory

__all__ = ["run"]

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
        (["--precision", "1%"], "--precision 1%: the closed form runs for no time; add --engine"),
        (["--engine", "simulate", "--precision", "0"], "got '0'; say a share from 0.0001% to 50%"),
        (["--engine", "simulate", "--precision", "nan%"], "got 'nan%'; say a share"),
        (["--replications", "3"], "--replications: the closed form runs for no time; add --engine"),
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
