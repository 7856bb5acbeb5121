"""Every verb that answers by the model names its calibration, prints it and keeps it."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from tests.calibrations import base, calibration, counts, hierarchy, manifest
from tests.cli.conftest import Run

from planecast.model.calibration import Calibration
from planecast.results import RunDirectory
from planecast.results.search import SearchAnswer
from planecast.results.store import CALIBRATION

__all__ = ["base", "calibration", "counts", "hierarchy", "manifest"]

SIMULATED = ("--engine", "simulate")
SEARCH = ("--method", "rfc2544", "--trial-seconds", "0.0001", "--repetitions", "1", "--trials", "1")
VERBS: dict[str, tuple[str, ...]] = {
    "sweep": ("sweep", "{}", "--vary", "traffic.flows=64,128"),
    "predict": ("predict", "{}", *SIMULATED, "--set", "traffic.offered_pps=1Mpps"),
    "search": ("search", "{}", *SIMULATED, *SEARCH),
    "sensitivity": ("sensitivity", "{}", "--vary", "placement.burst=16:32", "--draws", "0"),
}


def kept(root: Path, calibration: Calibration, name: str) -> str:
    """The run of a calibration."""
    with RunDirectory.create(root, "calibrate", name) as run:
        run.write_json(CALIBRATION, calibration)
        run.write_result([])
    return run.path.name


def named(document: Any) -> Iterator[str]:
    """The runs of calibrations that a document says it rests on."""
    if isinstance(document, dict):
        basis = document.get("calibration")
        if isinstance(basis, dict) and "digest" in basis:
            yield basis["run"]
        for value in document.values():
            yield from named(value)
    elif isinstance(document, list):
        for value in document:
            yield from named(value)


@pytest.mark.parametrize("verb", VERBS)
def test_the_calibration_is_printed_and_kept(
    run: Run, scenario_file: Path, tmp_path: Path, calibration: Calibration, verb: str
) -> None:
    name = kept(tmp_path / "runs", calibration, "made-up")
    answer = run(*(word.format(scenario_file) for word in VERBS[verb]))
    assert answer.code == 0, answer.err
    assert f"calibration: {name} (latest, of another host), " in answer.out  # it has more CPUs
    assert "not validated" in answer.out
    (made,) = tmp_path.glob(f"runs/*-{verb}-*/result.json")
    assert set(named(json.loads(made.read_text()))) == {name}


def test_a_wide_calibration_widens_a_simulated_searchs_interval(
    run: Run, scenario_file: Path, tmp_path: Path, calibration: Calibration
) -> None:
    own = calibration.discrepancy
    wide = calibration.model_copy(
        update={"discrepancy": own.model_copy(update={"core": own.core + 0.1})}
    )
    widths = []
    for found, name in ((calibration, "close"), (wide, "wide")):
        folder = kept(tmp_path / "runs", found, name)
        words = ("search", scenario_file, *SIMULATED, *SEARCH, "--calibration", folder)
        words += ("--set", "placement.burst=2")  # slower than the link
        answer = run(*words, "--format", "json").json()
        (rate,) = SearchAnswer.model_validate_json(json.dumps(answer)).rates.values()
        low, high = rate.rate_pps.interval or (0, 0)
        assert low < rate.rate_pps.value < high
        widths.append((high - low) / rate.rate_pps.value)
    assert widths[1] > 0.3, "two standard deviations to either side of a tenth"
    assert widths[1] > 2 * widths[0]
