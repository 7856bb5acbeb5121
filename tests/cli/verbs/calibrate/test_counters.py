"""``planecast calibrate --from``: imports counters, which predict takes."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.calibrate.made_counters import Truth, perf_file
from tests.cli.conftest import SMALL, Run

from planecast.scenario.machine import machine_of

TRUTH = Truth(machine_of("gold-6152"))


@pytest.fixture
def files(tmp_path: Path) -> list[str]:
    """What --from is given: three runs."""
    found = []
    for ways in (11, 5, 2):
        file = perf_file(tmp_path / f"w{ways}.csv", TRUTH.counts(ways, 2.1, 4e6))
        found += ["--from", f"{file.name},packets=4e6,llc_ways={ways},core_ghz=2.1"]
    (tmp_path / "small.yaml").write_text(SMALL)
    return found


def test_imported_counters_answer_predict(run: Run, files: list[str]) -> None:
    answer = run("calibrate", *files, "--machine", "gold-6152")
    assert answer.code == 0, answer.err
    assert "overlap.counted" in answer.out
    assert "900 instructions a packet" in answer.out
    name = answer.out.splitlines()[-1].removeprefix("run: runs/")
    assert "calibrate-counters-gold-6152" in name
    pps = 2.5e9 / TRUTH.cycles(11, 2.5)
    for machine in ("host", "gold-6152"):  # it is the one that was counted on
        changes = ("--set", "placement.core_ghz=2.5", "--set", f"machine={machine}")
        (result,) = run("predict", "small.yaml", *changes, "--format", "json").json()["results"]
        assert result["throughput_pps"]["value"] == pytest.approx(pps, rel=0.02)
        assert not any("transferred to" in note for note in result["notes"])
    assert any("calibrated from counters of w11.csv" in note for note in result["notes"])


def test_a_sweep_takes_them(run: Run, files: list[str]) -> None:
    run("calibrate", *files, "--machine", "gold-6152")
    answer = run("sweep", "small.yaml", "--vary", "placement.llc_ways=2,5,11", "--format", "json")
    assert answer.code == 0, answer.err
    sql = "SELECT placement_llc_ways AS ways, throughput_pps AS pps FROM sweeps ORDER BY ways"
    for row in run("query", sql, "--format", "json").json():
        expected = 2.1e9 / TRUTH.cycles(row["ways"], 2.1)
        assert row["pps"] == pytest.approx(expected, rel=0.03)


def test_what_needs_stages_refuses_them(run: Run, files: list[str]) -> None:
    run("calibrate", *files, "--machine", "gold-6152")
    (name,) = Path("runs").iterdir()
    for words in (
        ("bounds", "small.yaml", "--calibration", name.name),
        ("predict", "small.yaml", "--engine", "simulate", "--calibration", name.name),
    ):
        answer = run(*words)
        assert answer.code == 2
        assert "is of counters and knows no stages" in answer.err
    # The latest that it could take is looked for; there is none.
    assert "no run has a calibration" in run("bounds", "small.yaml").err


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (["--from", "w11.csv,packets=4e6"], "the counted machine is not named"),
        (
            ["--from", "w11.csv", "--machine", "gold-6152"],
            "the number of packets is missing",
        ),
        (["--from", "w11.csv,pakets=4", "--machine", "gold-6152"], "unknown key pakets"),
        (["--from", "w11.csv,packets=x", "--machine", "gold-6152"], "packets: got 'x'"),
        (["--from", "w11.csv,packets=-1", "--machine", "gold-6152"], "packets: got -1"),
        (["--from", "w11.csv,packets=1,pps=1", "--machine", "gold-6152"], "are both given"),
        (["--from", "w11.csv,cores=1,cores=2", "--machine", "gold-6152"], "cores appears twice"),
        (["--from", "w11.csv,llc_ways=12", "--machine", "gold-6152"], "has 11 ways"),
        (["--from", "none.csv,packets=1", "--machine", "gold-6152"], "there is no such file"),
        (["--from", "w11.csv,packets=1", "--machine", "nix"], "nix"),
        (["small.yaml", "--from", "w11.csv"], "imported counters do not use it"),
        (["small.yaml", "--machine", "gold-6152"], "a study is measured on this host"),
        ([], "there is nothing to calibrate on"),
    ],
)
def test_wrong_words_are_refused(
    run: Run, files: list[str], words: list[str], sentence: str
) -> None:
    answer = run("calibrate", *words)
    assert answer.code == 2
    assert sentence in answer.err
    assert answer.err.count("\n") == 1
    assert not Path("runs").exists()


def test_they_answer_for_the_workload_that_was_counted(run: Run, files: list[str]) -> None:
    answer = run("calibrate", *files, "--machine", "gold-6152", "--of", "small.yaml")
    assert answer.code == 0, answer.err
    found = run("predict", "small.yaml", "--set", "placement.llc_ways=5")
    assert found.code == 0, found.err
    assert "(latest, of another host)" in found.out
    assert "of Intel Xeon Gold 6152; not validated" in " ".join(found.out.split())
    for words in (
        ("predict", "small.yaml", "--set", "workload.acl_rules=128"),
        ("predict", "small.yaml", "--vary", "placement.burst=4,32"),
        ("sweep", "small.yaml", "--vary", "traffic.flows=64,128"),
        ("sweep", "small.yaml", "--vary", "placement.page_size=4KiB,2MiB"),
    ):
        refused = run(*words)
        assert (refused.code, refused.out) == (2, "")
        assert "the calibration is of counters of small, and the scenario differs" in refused.err


def test_of_a_workload_that_nobody_named_they_answer_one_question(
    run: Run, files: list[str]
) -> None:
    run("calibrate", *files, "--machine", "gold-6152")
    for key, values in (("traffic.flows", "64,128"), ("placement.burst", "4,32")):
        refused = run("predict", "small.yaml", "--vary", f"{key}={values}")
        assert refused.code == 2
        assert f"planecast: {key}: the calibration is of counters of one" in refused.err
