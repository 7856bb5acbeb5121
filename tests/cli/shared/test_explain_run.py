"""``planecast explain RUN`` on runs made by hand."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from tests.cli.conftest import Run
from tests.explain.conftest import base, calibration, counts, hierarchy, manifest, measured

from planecast.model.calibration import Calibration
from planecast.results import Estimate, Manifest, Result, RunDirectory
from planecast.results.port_costs import PORT_COSTS, PortCost, PortCosts
from planecast.results.survey import SurveyAnswer

__all__ = ["base", "calibration", "counts", "hierarchy", "manifest", "measured"]


@pytest.fixture
def made(tmp_path: Path, measured: Result, calibration: Calibration) -> str:
    """A run with two results and a calibration."""
    slower = measured.cycles_per_packet.scaled(1.2, "cycles/packet")
    again = measured.model_copy(update={"cycles_per_packet": slower})
    with RunDirectory.create(tmp_path / "runs", "measure", "vpe") as folder:
        folder.write_result([measured, again])
        folder.write_json("calibration.json", calibration)
    return folder.path.name


def test_the_verdict_stands_before_the_table(run: Run, made: str) -> None:
    answer = run("explain", made)
    assert answer.code == 0, answer.err
    lines = answer.out.splitlines()
    order = [lines.index(head) for head in ("What limits it", "How sure that is", "What to try")]
    assert order == sorted(order)
    table = next(i for i, line in enumerate(lines) if line.lstrip().startswith("stage "))
    assert order[-1] < table
    assert answer.out.count("no hardware counters were read") == 1


def test_a_run_whose_calibration_is_of_an_older_model_is_explained_without(
    run: Run, made: str, tmp_path: Path, measured: Result, calibration: Calibration
) -> None:
    file = tmp_path / "runs" / made / "calibration.json"
    data = json.loads(file.read_text())
    del data["edition"]
    file.write_text(json.dumps(data))
    answer = run("explain", made)
    assert answer.code == 0, answer.err
    assert "there is no calibration" in answer.out
    said = " ".join(answer.out.split())
    assert f"its own calibration ({made}) is of an older model: none is used" in said
    with RunDirectory.create(tmp_path / "runs", "calibrate", "other") as other:
        other.write_json("calibration.json", calibration)
        other.write_result([measured])
    said = " ".join(run("explain", made).out.split())
    assert f"is of an older model: that of {other.path.name} is used in its place" in said
    named = run("explain", made, "--calibration", made)
    assert (named.code, named.out) == (2, "")
    assert "older model" in named.err
    assert named.err.endswith("planecast calibrate STUDY\n")


def test_the_second_result_is_picked(run: Run, made: str) -> None:
    found = run("explain", f"{made}#2", "--format", "json").json()
    first = run("explain", made, "--format", "json").json()
    cycles = [one["cycles_per_packet"]["value"] for one in (first, found)]
    assert cycles[1] == pytest.approx(1.2 * cycles[0])
    assert first["label"].endswith("#1 of 2")


def test_a_row_a_cause_for_machines(run: Run, made: str) -> None:
    answer = run("explain", made, "--format", "csv")
    header, *rows = answer.out.splitlines()
    assert header.startswith("stage,cause,cycles_per_packet,low,high,share_percent,kind")
    assert any(row.startswith("acl,core and L1,") and ",computed," in row for row in rows)


@pytest.mark.parametrize(
    ("words", "fragment"),
    [
        (["nowhere"], "there is no such run"),
        (["{run}#3"], "the run has 2"),
        (["{run}#x"], "after # comes a number"),
        (["{run}", "--calibration", "nowhere"], "there is no such run"),
    ],
)
def test_what_is_not_there_is_said(run: Run, made: str, words: list[str], fragment: str) -> None:
    answer = run("explain", *(word.format(run=made) for word in words))
    assert answer.code == 2
    assert fragment in answer.err


def test_against_another_run(run: Run, made: str) -> None:
    answer = run("explain", made, "--against", f"{made}#2")
    assert answer.code == 0, answer.err
    assert "B takes +" in answer.out
    found = run("explain", made, "--against", f"{made}#2", "--format", "json").json()
    whole = found["changes"][0]
    assert whole["stage"] == "all"
    assert whole["change"]["value"] == pytest.approx(0.2 * whole["a"]["value"])
    rows = run("explain", made, "--against", made, "--format", "csv").out.splitlines()
    assert all(row.endswith(",False") for row in rows[1:])


def test_a_page(run: Run, made: str, tmp_path: Path) -> None:
    answer = run("explain", made, "--against", f"{made}#2", "-o", "page.html")
    assert answer.code == 0, answer.err
    assert answer.out.strip() == "page.html"
    text = (tmp_path / "page.html").read_text()
    assert "steps-cause-plot-data" in text
    assert run("explain", made, "-o", "nowhere/page.html").code == 2


def test_recorded_pcie_and_memory(run: Run, tmp_path: Path) -> None:
    from tests.explain.counters.test_uncore import MEMORY, PCIE

    (tmp_path / "pcie.csv").write_text(PCIE)
    (tmp_path / "memory.csv").write_text(MEMORY)
    pcie = run("explain", "--from", "pcie.csv", "--pps", "29.8Mpps", "--cores", "2")
    assert pcie.code == 0, pcie.err
    assert "nothing is out of line" in pcie.out
    assert "each ring's tail is written once in 32 packets" in pcie.out
    memory = run("explain", "--from", "memory.csv", "--machine", "e5-2699v4", "--pps", "1Mpps")
    assert "of 8 B × MT/s × channels" in memory.out
    assert run("explain", "--from", "memory.csv", "--machine", "nowhere").code == 2


def test_the_latest_is_the_latest_that_can_be_explained(
    run: Run, made: str, tmp_path: Path, manifest: Manifest
) -> None:
    survey = SurveyAnswer(name="s", question="?", document="", points=(), manifest=manifest)
    with RunDirectory.create(tmp_path / "runs", "survey", "s") as folder:
        folder.write_result(survey)
    latest = run("explain").out
    assert latest.startswith(f"{made}#1")
    assert f"{folder.path.name} is newer, and has nothing to explain" in latest
    assert "is newer" not in run("explain", made).out
    refused = run("explain", folder.path.name)
    assert refused.code == 2
    assert "no result to explain" in refused.err


def test_its_own_calibration_is_named(run: Run, made: str) -> None:
    out = run("explain", made).out
    assert f"calibration: {made} (own), " in out
    assert "older model" not in out


def test_port_costs_are_shown_as_when_they_were_measured(
    run: Run, tmp_path: Path, manifest: Manifest
) -> None:
    cost = Estimate(value=30.5, samples=3, unit="cycles/packet", kind="measured")
    port = PortCost(kind="net_null", per_packet=cost, per_byte=cost)
    with RunDirectory.create(tmp_path / "runs", "ports", "testpmd-io") as folder:
        folder.write_json(PORT_COSTS, PortCosts(cpu=1, ports=(port,), manifest=manifest))
    name = folder.path.name
    answer = run("explain", name)
    assert answer.code == 0, answer.err
    assert "net_null" in answer.out
    assert run("explain", name, "--format", "json").json()["ports"][0]["kind"] == "net_null"
    for words in (("report", name), ("explain", name, "-o", "page.html"), ("compare", name, name)):
        refused = run(*words)
        assert (refused.code, refused.out) == (2, "")
        assert "port costs" in refused.err
        assert f"planecast explain {name}" in refused.err
    assert "port costs" in run("explain", name, "--against", name).err
