"""``planecast predict``: the model's answer, from a calibration that a run left."""

from __future__ import annotations

import csv
import json
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from tests.cli.conftest import Run
from tests.dataplanes.conftest import Fake

from planecast.results import ResultSet

BIG = """\
name: asked
placement: {cpus: 0}
"""


@pytest.fixture
def asked(tmp_path: Path) -> Path:
    """A scenario like those of the study."""
    path = tmp_path / "asked.yaml"
    path.write_text(BIG)
    return path


@pytest.fixture(scope="session")
def kept(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder for the one calibration that all of these tests use."""
    return tmp_path_factory.mktemp("calibrated")


@pytest.fixture
def calibrated(
    run: Run, study_file: Path, machine: Fake, quick: None, *, tmp_path: Path, kept: Path
) -> Path:
    """The run of a calibration, made when the first test asks for it."""
    if not any(kept.iterdir()):
        answer = run("calibrate", study_file)
        assert answer.code == 0, answer.err
        (made,) = (tmp_path / "runs").iterdir()
        shutil.copytree(made, kept / made.name)
        return made
    (made,) = kept.iterdir()
    return Path(shutil.copytree(made, tmp_path / "runs" / made.name))


def test_help(run: Run) -> None:
    answer = run("predict", "--help")
    assert answer.code == 0
    assert "Usage: planecast predict [OPTIONS] {SCENARIO}" in answer.out
    assert "--calibration" in answer.out


def test_the_closed_form_loads_no_library_that_takes_long(asked: Path, calibrated: Path) -> None:
    """Start-up is held by what is imported: time itself depends on the machine."""
    code = (
        "import sys, planecast.cli.app as app\n"
        f"sys.argv = ['planecast', 'predict', {str(asked)!r}]\n"
        "try: app.main()\nexcept SystemExit: pass\n"
        "heavy = {'scipy', 'duckdb', 'plotly', 'rich', 'starlette', 'importlib.metadata'}\n"
        "heavy &= set(sys.modules)\n"
        "print(sorted(heavy))\n"
    )
    answer = subprocess.run(
        [sys.executable, "-c", code],
        cwd=calibrated.parent.parent,
        capture_output=True,
        text=True,
        check=True,
    )
    assert answer.stdout.splitlines()[-1] == "[]"
    assert "Mpps" in answer.stdout


def test_a_prediction_has_an_interval_and_needs_no_data_plane(
    run: Run, asked: Path, calibrated: Path, machine: Fake, tmp_path: Path
) -> None:
    shutil.rmtree(machine.folder)
    answer = run("predict", asked, "--vary", "traffic.flows=1024,32Ki")
    assert answer.code == 0, answer.err
    assert "flows=1024" in answer.out
    assert "flows=32768" in answer.out
    assert "computed; 95 % intervals" in answer.out
    runs = sorted(path.name.split("-")[1] for path in (tmp_path / "runs").iterdir())
    assert runs == ["calibrate", "predict"]


@pytest.mark.parametrize("form", ["json", "csv"])
def test_answers_for_machines(
    run: Run, asked: Path, calibrated: Path, *, tmp_path: Path, form: str
) -> None:
    answer = run("predict", asked, "--format", form, "-o", "out")
    assert (answer.code, answer.out) == (0, ""), answer.err
    text = (tmp_path / "out").read_text()
    if form == "csv":
        (row,) = csv.DictReader(text.splitlines())
        low, value, high = (float(row[f"cycles_per_packet{e}"]) for e in ("_low", "", "_high"))
        assert (row["kind"], row["scenario"]) == ("computed", "asked")
    else:
        (found,) = ResultSet.model_validate_json(text).results
        cost = found.cycles_per_packet
        assert cost.low is not None
        assert cost.high is not None
        low, value, high = cost.low, cost.value, cost.high
        assert found.manifest.engine == "solve"
    assert 0 < low < value < high


def test_beyond_the_calibrated_range_it_says_so(run: Run, asked: Path, calibrated: Path) -> None:
    beyond = ("--set", "workload.flows=1Mi", "--set", "traffic.flows=1Mi")
    answer = run("predict", asked, *beyond)
    assert answer.code == 0, answer.err
    assert "traffic.flows=1048576 lies outside the calibrated 256 to 65536" in answer.out


def test_a_calibration_is_named_by_its_run(
    run: Run, asked: Path, calibrated: Path, tmp_path: Path
) -> None:
    first = run("predict", asked, "--format", "csv").out
    for name in (calibrated.name, str(calibrated)):
        assert run("predict", asked, "--calibration", name, "--format", "csv").out == first
    elsewhere = tmp_path / "elsewhere"
    shutil.move(calibrated, elsewhere)
    answer = run("predict", asked)
    assert (answer.code, answer.out) == (2, "")
    answer = run("predict", asked, "--calibration", str(elsewhere), "--format", "csv")
    assert answer.out == first


def test_another_machines_calibration_is_said_to_be_one(
    run: Run, asked: Path, calibrated: Path
) -> None:
    assert run("predict", asked).err == ""
    file = calibrated / "calibration.json"
    kept = json.loads(file.read_text())
    kept["manifest"]["host"]["cpu"] = "Other CPU"
    file.write_text(json.dumps(kept))
    assert "Other CPU" in run("predict", asked).err


def test_the_latest_of_this_host_answers_and_is_named(
    run: Run, asked: Path, calibrated: Path, tmp_path: Path
) -> None:
    later = Path(
        shutil.copytree(calibrated, tmp_path / "runs" / "29991231T000000Z-calibrate-other")
    )
    kept = json.loads((later / "calibration.json").read_text())
    kept["manifest"]["host"]["cpu"] = "Other CPU"
    (later / "calibration.json").write_text(json.dumps(kept))
    bridge = Path(shutil.copytree(calibrated, tmp_path / "runs" / "29991231T000001Z-calibrate-b"))
    of_bridge = json.loads((calibrated / "calibration.json").read_text()) | {"kind": "l2bridge"}
    (bridge / "calibration.json").write_text(json.dumps(of_bridge))
    answer = run("predict", asked)
    assert f"calibration: {calibrated.name} (latest of this host), " in answer.out
    assert "this host; not validated" in answer.out
    (path,) = tmp_path.glob("runs/*-predict-*/result.json")
    (result,) = ResultSet.model_validate_json(path.read_text()).results
    assert result.manifest.calibration is not None
    assert result.manifest.calibration.run == calibrated.name
    assert (
        run("predict", asked, "--calibration", later.name).out.count(f"{later.name} (named)") == 1
    )


def test_without_any_calibration(run: Run, asked: Path) -> None:
    answer = run("predict", asked)
    assert (answer.code, answer.out) == (2, "")
    assert answer.err.startswith("planecast: runs: ")
    assert answer.err.endswith("planecast calibrate STUDY\n")


def test_a_run_without_a_calibration(run: Run, asked: Path, calibrated: Path) -> None:
    (calibrated / "calibration.json").unlink()
    answer = run("predict", asked, "--calibration", calibrated.name)
    assert (answer.code, answer.out) == (2, "")
    assert "has no calibration" in answer.err
    answer = run("predict", asked, "--calibration", "nowhere")
    assert (answer.code, answer.out) == (2, "")
    assert "nowhere: there is no such run" in answer.err


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (b"", "the file is not JSON"),
        (b"\xff", "the file is not UTF-8 text"),
        (b"{}", "this is not a calibration of this model"),
        (b'{"parameters": 3}', "this is not a calibration of this model"),
    ],
)
def test_a_broken_calibration_says_where_it_is(
    run: Run, asked: Path, calibrated: Path, *, text: bytes, said: str
) -> None:
    (calibrated / "calibration.json").write_bytes(text)
    answer = run("predict", asked)
    assert (answer.code, answer.out) == (2, "")
    assert f"{calibrated.name}/calibration.json: {said}" in answer.err
    assert answer.err.count("\n") == 1


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (["--set", "traffic.flwos=4"], "unknown key traffic.flwos; did you mean traffic.flows?"),
        (["--set", "traffic.flows=some"], "got 'some', which is not a whole number such as 4096"),
        (["--vary", "placement.burst=0,8"], "got 0; allowed is a whole number from 1 to 256"),
    ],
)
def test_mistakes_are_sentences(run: Run, asked: Path, *, words: list[str], sentence: str) -> None:
    answer = run("predict", asked, *words)
    assert (answer.code, answer.out) == (2, "")
    assert sentence in answer.err


def test_a_partial_run_with_a_calibration_will_do(run: Run, asked: Path, calibrated: Path) -> None:
    (calibrated / "partial").write_text("interrupted\n")
    assert run("predict", asked).code == 0
