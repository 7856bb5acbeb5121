"""``planecast optimise``: predicted and measured next to each other."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from tests.cli.conftest import Run
from tests.cli.verbs.test_predict import asked, calibrated, kept
from tests.dataplanes.conftest import Fake

from planecast.engines.measure import measure
from planecast.results import Result, RunDirectory
from planecast.results.content import results_of

__all__ = ["asked", "calibrated", "kept"]

BURSTS = ("--vary", "placement.burst=16,32,48,64", "--cost", "placement.burst=1")


def test_the_best_few_are_measured(
    run: Run, asked: Path, calibrated: Path, fake: Fake, quick: None
) -> None:
    answer = run("optimise", asked, "--rate", "10kpps", *BURSTS, "--format", "json")
    found = answer.json()
    assert found["confirmed"] is True
    measured = [one for one in found["candidates"] if one["measured_pps"] is not None]
    assert [one["point"]["placement.burst"] for one in measured] == [16, 32, 48]
    for one in measured:
        assert one["measured_pps_low"] <= one["measured_pps"] <= one["measured_pps_high"]
        assert one["verdict"] == "confirmed"
    assert found["candidates"][3]["verdict"] == "predicted"
    run_folder = RunDirectory(found["run"])
    kinds = [result.throughput_pps.kind for result in results_of(run_folder.read())]
    assert kinds == ["computed", "measured"] * 3 + ["computed"]
    assert (run_folder.path / "trials.parquet").is_file()
    table = run("optimise", asked, "--rate", "10kpps", *BURSTS, "--confirm-best", "1")
    assert "1 measured here" in table.out


def test_what_is_measured_to_miss_is_refused(
    run: Run,
    asked: Path,
    calibrated: Path,
    fake: Fake,
    quick: None,
    *,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def slow(*words: Any, **more: Any) -> list[Result]:
        found = measure(*words, **more)
        rates = [result.throughput_pps.scaled(1e-6, "pps") for result in found]
        return [
            result.model_copy(update={"throughput_pps": rate})
            for result, rate in zip(found, rates, strict=True)
        ]

    monkeypatch.setattr("planecast.engines.measure.measure", slow)
    words = ("--rate", "10kpps", *BURSTS)
    some = run("optimise", asked, *words)
    assert some.code == 0, some.err
    assert "--confirm-best measures more of them" in some.out
    assert "3 of 3 measured values" in some.out
    every = run("optimise", asked, *words, "--confirm-best", "4")
    assert every.code == 1
    assert "none of the 4" in every.err


def test_without_a_measurement_it_is_said(
    run: Run, asked: Path, calibrated: Path, fake: Fake, monkeypatch: pytest.MonkeyPatch
) -> None:
    answer = run("optimise", asked, "--rate", "10kpps", *BURSTS, "--no-confirm")
    assert answer.code == 0, answer.err
    assert "nothing was measured (--no-confirm): these are predictions" in answer.out
    assert fake.starts() == []
    other = "planecast.study.calibration_run.same_host"
    monkeypatch.setattr(other, lambda host: False)
    elsewhere = run("optimise", asked, "--rate", "10kpps", *BURSTS)
    assert "nothing was measured (the calibration is of another machine)" in elsewhere.out
    refused = run("optimise", asked, "--rate", "10kpps", *BURSTS, "--confirm")
    assert refused.code == 2
    assert "--confirm: the calibration is of another machine" in refused.err
    assert fake.starts() == []
