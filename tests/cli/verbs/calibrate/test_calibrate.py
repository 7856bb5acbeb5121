"""``planecast calibrate``: fits the model to a machine that is made up."""

from __future__ import annotations

import csv
from collections.abc import Callable
from pathlib import Path

import pytest
from tests.cli.conftest import Run
from tests.dataplanes.conftest import Fake

from planecast.model.calibration import Calibration
from planecast.results import ResultSet

OneRun = Callable[[], Path]


def test_help(run: Run) -> None:
    answer = run("calibrate", "--help")
    assert answer.code == 0
    assert "Usage: planecast calibrate [OPTIONS] [STUDY]" in answer.out


def test_a_calibration_is_shown_and_kept(
    run: Run, study_file: Path, machine: Fake, quick: None, one_run: OneRun
) -> None:
    answer = run("calibrate", study_file)
    assert answer.code == 0, answer.err
    assert "core.cpi:acl" in answer.out
    assert "fitted to 17 points" in answer.out
    assert "the model's own error: " in answer.out
    assert "neighbour.stream keeps its prior: add a point with" in answer.out
    assert answer.out.splitlines()[-1] == f"run: {one_run().relative_to(Path.cwd())}"
    assert {path.name for path in one_run().iterdir()} == {
        *("calibration.json", "result.json", "trials.parquet")
    }
    kept = Calibration.model_validate_json((one_run() / "calibration.json").read_text())
    assert kept.points == 17
    assert kept.manifest.command == f"planecast calibrate {study_file}"
    results = ResultSet.model_validate_json((one_run() / "result.json").read_text()).results
    assert len(results) == 17
    assert results[0].instructions_per_packet is not None
    # What is held out is not measured.
    assert not any("flows=1024 " in line for line in machine.log())


@pytest.mark.parametrize("form", ["json", "csv"])
def test_answers_for_machines(
    run: Run, study_file: Path, machine: Fake, quick: None, *, tmp_path: Path, form: str
) -> None:
    answer = run("calibrate", study_file, "-o", f"out.{form}")
    assert (answer.code, answer.out) == (0, ""), answer.err
    text = (tmp_path / f"out.{form}").read_text()
    if form == "json":
        rows = [p.model_dump() for p in Calibration.model_validate_json(text).parameters]
        names = [row["name"] for row in rows]
    else:
        rows = list(csv.DictReader(text.splitlines()))
        names = [row["parameter"] for row in rows]
    assert "overlap.prefetched" in names
    for row in rows:
        assert 0 <= float(row["informed"]) <= 1
        assert 0 <= float(row["low"]) <= float(row["value"]) <= float(row["high"])


def test_a_dry_run_names_the_probe_and_the_points(
    run: Run, study_file: Path, machine: Fake, tmp_path: Path
) -> None:
    answer = run("calibrate", study_file, "--dry-run", "--set", "budget.restarts=5")
    assert answer.code == 0, answer.err
    first, rest = answer.out.split("\n", 1)
    assert first == f"{machine.folder / 'planecast-probe'} --seconds 12.0 --cpu 0"
    assert rest.startswith("\n# calibration points\n# dataplane0.ini; started 5 times\n")
    assert rest.count("\ntrial ") == 17
    assert "held-out" not in rest
    assert machine.log() == []
    assert not (tmp_path / "runs").exists()


def test_two_points_are_too_few(
    run: Run, study_file: Path, machine: Fake, quick: None, one_run: OneRun
) -> None:
    text = study_file.read_text()
    head, tail = text.index("  - vary"), text.index("hold_out")
    study_file.write_text(text[:head] + "  - {traffic.flows: 64}\n" + text[tail:])
    answer = run("calibrate", study_file)
    assert (answer.code, answer.out) == (2, "")
    assert answer.err == (
        "planecast: calibrate: 2 points are too few to calibrate on; give 3 or more\n"
    )
    assert "2 points are too few" in (one_run() / "partial").read_text()
    assert not (one_run() / "calibration.json").exists()


@pytest.mark.parametrize(
    ("old", "new", "line", "sentence"),
    [
        ("traffic.flows: 1024", "traffic.flwos: 1024", 16, "unknown key traffic.flwos; did you"),
        ("traffic.flows: 1024", "traffic.flows: much", 16, "traffic.flows: got 'much', which is"),
        ("restarts: 1", "restart: 1", 20, "unknown key budget.restart; did you mean"),
        ("restarts: 1", "restarts: 0", 20, "budget.restarts: got 0; allowed is"),
        ("calibrate:", "calibrte:", 5, "unknown key calibrte; did you mean calibrate?"),
    ],
)
def test_a_mistake_in_the_study_is_named_by_its_line(
    run: Run, study_file: Path, *, old: str, new: str, line: int, sentence: str
) -> None:
    study_file.write_text(study_file.read_text().replace(old, new))
    answer = run("calibrate", study_file)
    assert (answer.code, answer.out) == (2, "")
    assert answer.err.startswith(f"planecast: {study_file}:{line}: {sentence}")
    assert answer.err.count("\n") == 1


@pytest.mark.parametrize(
    "missing", ["planecast-dataplane", "planecast-singlestep", "planecast-probe"]
)
def test_a_machine_without_the_programs(
    run: Run, study_file: Path, machine: Fake, quick: None, *, missing: str
) -> None:
    (machine.folder / missing).unlink()
    answer = run("calibrate", study_file)
    assert (answer.code, answer.out) == (3, "")
    assert f"{missing} is not built; install libdpdk-dev" in answer.err


def test_a_cpu_that_is_not_there(run: Run, study_file: Path, machine: Fake) -> None:
    answer = run("calibrate", study_file, "--set", "placement.cpus=1023")
    assert (answer.code, answer.out) == (2, "")
    assert "1023" in answer.err
