"""Verbs that ask the model about a program of others, by a calibration of a made-up one."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.calibrations import hierarchy
from tests.cli.conftest import Run
from tests.traced_programs import POINTS, PROFILE, measured_program

from planecast.machine.hierarchy import Hierarchy
from planecast.model.calibrate import calibrate
from planecast.results import RunDirectory, collect_manifest
from planecast.results.result import IN_MEMORY
from planecast.results.store import CALIBRATION

__all__ = ["hierarchy"]

SCENARIO = """\
name: routed
dataplane: {kind: l3fwd}
traffic: {flows: 1000}
"""


@pytest.fixture
def routed(tmp_path: Path, hierarchy: Hierarchy) -> Path:
    """A scenario of l3fwd, and a run with a calibration of it and what it was made of."""
    manifest = collect_manifest("calibrate", 1, "planecast calibrate")
    results = measured_program(POINTS, hierarchy, manifest, noise=0.003)
    model = calibrate(results, hierarchy, {"program": PROFILE.counts}, manifest, PROFILE)
    run = RunDirectory.create(tmp_path / "runs", "calibrate", "l3fwd")
    with run:
        run.write_json(CALIBRATION, model)
        run.write_result(results)
    path = tmp_path / "routed.yaml"
    path.write_text(SCENARIO)
    return path


def test_predict(run: Run, routed: Path) -> None:
    (found,) = run("predict", routed, "--format", "json").json()["results"]
    assert found["cycles_per_packet"]["kind"] == "computed"
    assert list(found["stages"]) == ["source", "rx", "lookup"]
    assert IN_MEMORY in found["notes"]  # a search has links, and no source
    more = run("predict", routed, "--set", "traffic.flows=100000", "--format", "json").json()
    assert (
        more["results"][0]["cycles_per_packet"]["value"] > found["cycles_per_packet"]["value"] + 5
    )


def test_sweep(run: Run, routed: Path) -> None:
    answer = run("sweep", routed, "--vary", "traffic.flows=10,100000", "--workers", "1")
    assert answer.code == 0, answer.err
    assert "100000" in answer.out.replace(",", "")


def test_bounds(run: Run, routed: Path) -> None:
    answer = run("bounds", routed)
    assert answer.code == 0, answer.err
    assert "best-traffic" in answer.out
    assert "worst-traffic" not in answer.out  # it has no table of a known size


def test_explain(run: Run, routed: Path) -> None:
    answer = run("explain", "latest")
    assert answer.code == 0, answer.err
    assert "lookup" in answer.out
    assert "issue width" in answer.out or "instructions" in answer.out
    assert "unattributed" not in answer.out


def test_the_cheapest_that_meets_a_rate(run: Run, routed: Path) -> None:
    words = ("--rate", "1Mpps", "--vary", "placement.burst=4,32")
    answer = run("optimise", routed, *words)
    assert answer.code == 0, answer.err
    assert "burst=" in answer.out


def test_what_is_not_possible_is_refused(run: Run, routed: Path) -> None:
    answer = run("predict", routed, "--engine", "simulate")
    assert answer.code == 2
    assert "the simulator plays planecast's own pipelines, not l3fwd" in answer.err
