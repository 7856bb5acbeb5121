"""The shipped scenarios of functions, each measured for a moment; CoreMark next to one of them."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from tests.cli.conftest import Run

SCENARIOS = Path(__file__).parents[3] / "scenarios"
QUICK = [
    "--seconds",
    "1",
    "--restarts",
    "1",
    "--patience",
    "0",
    "--set",
    "placement.cpus=0",
    "--format",
    "json",
]
SCORE = """echo 'Total time (secs): 12.5'
echo 'Iterations/Sec   : 20000.25'
echo 'Compiler version : CC1'
echo 'Correct operation validated. See README.md for run and reporting rules.'
"""

pytestmark = pytest.mark.live


@pytest.fixture(autouse=True)
def real() -> None:
    """The compiled data plane, or the test is skipped."""
    from planecast.native import native_folder

    if not os.access(native_folder() / "planecast-dataplane", os.X_OK):
        pytest.skip("planecast-dataplane is not built")


@pytest.mark.parametrize("lookup", ["lpm", "hash"])
def test_vpe_downstream(run: Run, lookup: str) -> None:
    words = ["--set", f"workload.down_lookup={lookup}"]
    found = run("measure", SCENARIOS / "vpe-downstream.yaml", *QUICK, *words).json()["results"]
    stages = found[0]["stages"]
    assert list(stages) == ["source", "downroute", "qinq", "tm", "tx"]
    assert found[0]["capped_by"] == "core"
    assert found[0]["packets_out"] > 0


def test_few_flows_are_few_pipes(run: Run) -> None:
    """Their rates are the limit then, and the answer says so."""
    words = ["--set", "traffic.flows=16"]
    found = run("measure", SCENARIOS / "vpe-downstream.yaml", *QUICK, *words).json()["results"]
    assert found[0]["capped_by"] == "traffic manager"
    assert found[0]["drops"]["tm"] > 0
    assert any("the traffic manager dropped" in note for note in found[0]["notes"])


def test_compute_and_coremark(run: Run, tmp_path: Path) -> None:
    program = tmp_path / "coremark.exe"
    program.write_text("#!/bin/sh\n" + SCORE)
    program.chmod(0o755)
    words = ["--coremark", program]
    found = run("measure", SCENARIOS / "compute.yaml", *QUICK, *words).json()["results"]
    assert list(found[0]["stages"]) == ["source", "compute", "tx"]
    assert found[0]["stages"]["compute"]["cycles_per_packet"]["value"] > 0
    assert found[0]["packets_in"] == found[0]["packets_out"] > 0
    assert any("made 20,000.2 iterations a second in 12.5 s" in n for n in found[0]["notes"])


def test_coremark_belongs_to_compute_alone(run: Run) -> None:
    answer = run("measure", SCENARIOS / "vpe-upstream.yaml", "--coremark", "/bin/true")
    assert answer.code == 2
    assert "--coremark: CoreMark belongs to the compute reference alone" in answer.err


def test_a_coremark_that_is_not_there(run: Run) -> None:
    answer = run("measure", SCENARIOS / "compute.yaml", "--coremark", "nowhere/coremark.exe")
    assert answer.code == 3
    assert "nowhere/coremark.exe: there is no such file; build CoreMark" in answer.err
