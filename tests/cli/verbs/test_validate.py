"""``planecast validate``: calibrate, predict, measure, state the error."""

from __future__ import annotations

import csv
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

from tests.cli.conftest import Run
from tests.dataplanes.conftest import Fake

from planecast.results import read_parquet
from planecast.results.validation import Validation

OneRun = Callable[[], Path]


def test_help(run: Run) -> None:
    answer = run("validate", "--help")
    assert answer.code == 0
    assert "Usage: planecast validate [OPTIONS] [STUDY]" in answer.out


def test_the_table_ends_with_the_error_and_the_report(
    run: Run, study_file: Path, machine: Fake, quick: None, one_run: OneRun, *, tmp_path: Path
) -> None:
    answer = run("validate", study_file)
    assert answer.code == 0, answer.err
    *_, summary, floor, units, twice, ran, report = answer.out.splitlines()
    assert summary.startswith("held-out points: 4; mean error ")
    assert floor.startswith("noise floor ")
    assert "no skill" in floor
    assert "predicted: computed" in units
    assert twice.startswith("one point measured twice, in the same blocks: ratio ")
    folder = one_run().relative_to(tmp_path)
    assert (ran, report) == (f"run: {folder}", f"report: {folder / 'report.html'}")
    rows = [line for line in answer.out.splitlines() if "calibrated" in line or "held out " in line]
    assert len(rows) >= 17 + 4
    assert {path.name for path in one_run().iterdir()} == {
        *("calibration.json", "predictions.json", "report.html", "result.json", "trials.parquet"),
        *("host-state.json", "scenario.yaml"),  # the base, for the study holds it inside
    }
    found = Validation.model_validate_json((one_run() / "result.json").read_text())
    assert all(point.measured.manifest.engine == "measure" for point in found.points)
    assert all(point.predicted.manifest.engine == "solve" for point in found.points)


def test_answers_for_machines(
    run: Run, study_file: Path, machine: Fake, quick: None, *, tmp_path: Path
) -> None:
    answer = run("validate", study_file, "--format", "json", "-o", "out")
    assert (answer.code, answer.out) == (0, ""), answer.err
    found = Validation.model_validate_json((tmp_path / "out").read_text())
    assert len(found.points) == 21
    errors = [abs(point.error_percent) for point in found.points if point.held_out]
    assert len(errors) == 4
    assert max(errors) == found.max_error_percent >= found.mean_error_percent
    assert 0 <= found.coverage_percent <= 100
    answer = run("validate", study_file, "--format", "csv")
    rows = list(csv.DictReader(answer.out.splitlines()))
    assert [row["held_out"] for row in rows].count("True") == 4
    assert all(float(row["predicted_low"]) <= float(row["predicted_high"]) for row in rows)


def test_a_dry_run_has_all_points_in_the_same_processes(
    run: Run, study_file: Path, machine: Fake
) -> None:
    answer = run("validate", study_file, "--dry-run")
    assert answer.code == 0, answer.err
    before, after = answer.out.split("# calibration points and held-out points, in turns\n")
    assert "--control" not in before
    assert after.count("\ntrial ") == 17 + 4
    # Another flow table is another process, and so is another ring.
    assert after.count("--control") == 3
    assert machine.log() == []


def test_nothing_held_out(run: Run, study_file: Path) -> None:
    text = study_file.read_text()
    study_file.write_text(text[: text.index("hold_out:")] + "hold_out: []\n")
    answer = run("validate", study_file)
    assert (answer.code, answer.out) == (2, "")
    assert answer.err == (
        f"planecast: {study_file}:15: nothing is held out, so no prediction would be tested; "
        "list at least one point under hold_out:\n"
    )


def test_a_machine_without_the_programs(run: Run, study_file: Path, machine: Fake) -> None:
    for program in machine.folder.iterdir():
        program.unlink()
    for words in ((), ("--dry-run",)):
        answer = run("validate", study_file, *words)
        assert (answer.code, answer.out) == (3, "")
        assert "is not built; install libdpdk-dev" in answer.err


def test_ctrl_c_marks_the_run_and_keeps_the_trials(
    study_file: Path, machine: Fake, tmp_path: Path
) -> None:
    machine.way(trial_s=0.03)
    process = subprocess.Popen(
        [
            *(sys.executable, "-m", "planecast.cli.app", "validate", str(study_file)),
            *("--set", "budget.seconds=60"),
        ],
        cwd=tmp_path,
        env={**os.environ, "TMPDIR": str(tmp_path / "rooms")},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    try:
        while sum(" trial " in line for line in machine.log()) < 5:
            time.sleep(0.02)
            assert process.poll() is None, process.communicate()
        process.send_signal(signal.SIGINT)
        out, said = process.communicate(timeout=60)
    finally:
        process.kill()
        process.wait()
    assert (process.returncode, out) == (130, "")
    kept, ended = said.splitlines()
    assert kept.startswith("planecast: stopped; what was measured until then is kept in runs/")
    assert ended == "planecast: interrupted"
    (folder,) = (tmp_path / "runs").iterdir()
    assert (folder / "partial").read_text() == "interrupted\n"
    assert set(read_parquet(folder / "trials.parquet")["phase"]) == {0}
    assert not (folder / "predictions.json").exists()
    running = [line.split()[0] for line in machine.log() if " start " in line]
    assert not any(Path("/proc", pid).exists() for pid in running)
    assert list((tmp_path / "rooms").iterdir()) == []
