"""Run directories: whole or not there, marked while partial, found by name."""

from __future__ import annotations

import errno
import shutil
import subprocess
import sys
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path

import numpy as np
import pytest

from planecast.errors import InputError, RunError
from planecast.results import (
    Result,
    ResultSet,
    RunDirectory,
    find_run,
    list_runs,
    read_parquet,
    runs_folder,
)
from planecast.results.content import read_result, results_of
from planecast.results.validation import Validation, ValidationPoint

MakeResult = Callable[..., Result]
MOMENT = datetime(2026, 1, 2, 3, 4, 5, tzinfo=UTC)


def test_a_run_is_named_by_time_verb_and_scenario(tmp_path: Path) -> None:
    first = RunDirectory.create(tmp_path / "deep/runs", "measure", "vpe-upstream", MOMENT)
    second = RunDirectory.create(tmp_path / "deep/runs", "measure", "vpe-upstream", MOMENT)
    assert first.path.name == "20260102T030405Z-measure-vpe-upstream"
    assert second.path.name == "20260102T030405Z-measure-vpe-upstream-2"
    assert first.verb == "measure"


def test_a_run_is_partial_until_its_block_ends(tmp_path: Path, make_result: MakeResult) -> None:
    with RunDirectory.create(tmp_path, "measure", "x") as run:
        assert run.partial
        run.write_result(make_result())
        assert run.partial
    assert not run.partial


@pytest.mark.parametrize(
    ("error", "why"),
    [(KeyboardInterrupt(), "interrupted\n"), (RunError("it died"), "RunError: it died\n")],
)
def test_a_run_that_ends_early_says_why(tmp_path: Path, error: BaseException, why: str) -> None:
    run = RunDirectory.create(tmp_path, "measure", "x")
    run.write_json("begun.json", {"a": 1})
    with pytest.raises(type(error)), run:
        raise error
    assert (run.path / "partial").read_text() == why


def test_a_failed_start_is_no_partial_run_and_keeps_what_the_program_wrote(tmp_path: Path) -> None:
    run = RunDirectory.create(tmp_path, "measure", "x")
    with pytest.raises(RunError), run:
        raise RunError("it died", said=("exit status 7; it wrote last:", "no memory"))
    assert (list_runs(tmp_path), run.partial) == ([], False)
    kept = (run.path / "failed").read_text()
    assert kept == "RunError: it died\n  exit status 7; it wrote last:\n  no memory\n"


@pytest.mark.parametrize("error", [KeyboardInterrupt(), InputError("no such key")])
def test_a_run_that_ended_before_it_had_anything_leaves_nothing(
    tmp_path: Path, error: BaseException, make_result: MakeResult
) -> None:
    run = RunDirectory.create(tmp_path, "sweep", "x")
    run.write_aside("question.json", make_result())
    (run.path / "parts").mkdir()
    with pytest.raises(type(error)), run:
        raise error
    assert list(tmp_path.iterdir()) == []


def test_every_kind_of_content_comes_back_as_it_was(
    tmp_path: Path, make_result: MakeResult
) -> None:
    result = make_result(point={"workload.stages": ["acl", "key"]})
    predicted = make_result(240.0, kind="computed")
    point = ValidationPoint.of(
        {"workload.stages": ("acl", "key"), "traffic.flows": 8, "placement.lcores": 1},
        result,
        predicted,
        held_out=True,
        extrapolates=False,
        reproduce="planecast measure …",
    )
    validation = Validation.of("s", [point], {"cpi": result.cycles_per_packet}, result.manifest)
    run = RunDirectory.create(tmp_path, "validate", "x")
    for content in (result, ResultSet(results=(result, predicted)), validation):
        run.write_result(content)
        assert run.read() == content
    assert results_of(validation) == [result]
    run.write_result([result, predicted])
    assert results_of(run.read()) == [result, predicted]


def test_trials_come_back_column_by_column(tmp_path: Path) -> None:
    run = RunDirectory.create(tmp_path / "it's here", "measure", "x")
    columns = {
        "cycles": np.arange(5, dtype=np.uint64),
        "canary": np.linspace(0, 1, 5),
        "disturbed": np.array([True, False, True, False, False]),
        "point": np.array(["flows=1", "flows=2", "a", "b", "c"]),
    }
    found = read_parquet(run.write_trials(columns))
    assert list(found) == list(columns)
    for name, column in columns.items():
        assert np.array_equal(found[name], column)
    with pytest.raises(ValueError, match="columns of one length"):
        run.write_trials({"a": np.arange(2), "b": np.arange(3)})
    with pytest.raises(ValueError, match="columns of one length"):
        run.write_trials({})
    assert {path.name for path in run.path.iterdir()} == {"partial", "trials.parquet"}


def test_a_full_disk_leaves_nothing_half_written(
    tmp_path: Path, make_result: MakeResult, monkeypatch: pytest.MonkeyPatch
) -> None:
    run = RunDirectory.create(tmp_path, "measure", "x")
    run.write_result(make_result(250.0))

    def full(_: int) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr("os.fsync", full)
    with pytest.raises(RunError, match=r"result.json: the disk is full; free some space") as error:
        run.write_result(make_result(999.0))
    assert error.value.exit_code == 1
    assert results_of(run.read())[0].cycles_per_packet.value == 250.0
    assert {path.name for path in run.path.iterdir()} == {"partial", "result.json"}


_FILL = """
import sys, numpy as np
from pathlib import Path
from planecast.errors import RunError
from planecast.results import RunDirectory
run = RunDirectory.create(Path(sys.argv[1]), "measure", "x")
try:
    if sys.argv[2] == "trials":
        run.write_trials({"noise": np.random.default_rng(1).random(2_000_000)})
    else:
        run.write_json("big.json", {"text": "x" * 4_000_000})
except RunError as error:
    print(sorted(path.name for path in run.path.iterdir()), error)
"""


@pytest.mark.parametrize("what", ["trials", "json"])
def test_a_disk_that_is_really_full(tmp_path: Path, what: str) -> None:
    script = 'mount -t tmpfs -o size=256k none "$1" && exec "$2" -c "$3" "$1" "$4"'
    unshare = shutil.which("unshare")
    probe = [
        unshare or "false",
        "-Urm",
        "sh",
        "-c",
        'mount -t tmpfs none "$1"',
        "sh",
        str(tmp_path),
    ]
    if subprocess.run(probe, check=False, capture_output=True).returncode != 0:
        pytest.skip("no small file system can be mounted here")
    answer = subprocess.run(
        [
            unshare or "",
            "-Urm",
            "sh",
            "-c",
            script,
            "sh",
            str(tmp_path),
            sys.executable,
            _FILL,
            what,
        ],
        check=False,
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert answer.stdout.startswith("['partial'] "), answer
    assert "the disk is full" in answer.stdout


def test_runs_are_found_by_folder_name_and_latest(tmp_path: Path, make_result: MakeResult) -> None:
    assert list_runs(tmp_path / "absent") == []
    with pytest.raises(InputError, match="there is no complete run; make one"):
        find_run("latest", tmp_path)
    with pytest.raises(InputError, match="absent: there is no complete run: there is no such fold"):
        find_run("latest", tmp_path / "absent")
    with pytest.raises(InputError, match=r"there is no folder .*absent to look in: name a run's"):
        find_run("nope", tmp_path / "absent")
    (tmp_path / "file").touch()
    with pytest.raises(InputError, match="there is no complete run: this is no folder"):
        find_run("latest", tmp_path / "file")
    with RunDirectory.create(tmp_path, "measure", "x", MOMENT) as old:
        old.write_result(make_result())
    later = MOMENT.replace(hour=5)
    with RunDirectory.create(tmp_path, "compare", "x", later) as new:
        new.write_result(make_result())
    RunDirectory.create(tmp_path, "measure", "x", MOMENT.replace(hour=6))
    (tmp_path / "not-a-run").mkdir()
    assert [run.path.name[:16] for run in list_runs(tmp_path)] == [
        "20260102T030405Z",
        "20260102T050405Z",
        "20260102T060405Z",
    ]
    assert find_run("latest", tmp_path).path == new.path
    for name in (str(old.path), str(old.path / "result.json"), old.path.name):
        assert find_run(name, tmp_path).path == old.path
    with pytest.raises(InputError, match="there is no such run; the last ones are 2026"):
        find_run("nope", tmp_path)


def test_a_result_that_cannot_be_read_says_so(tmp_path: Path) -> None:
    path = tmp_path / "result.json"
    with pytest.raises(InputError, match="the run may have been interrupted"):
        read_result(path)
    for text, fragment in (
        ("{", "the file is not JSON"),
        ("[]", "this is not a Result"),
        ('{"points": 1}', "this is not a Validation"),
        ('{"results": [{}]}', "this is not a ResultSet: results.0.scenario: Field required"),
    ):
        path.write_text(text)
        with pytest.raises(InputError, match=fragment):
            read_result(path)


def test_the_runs_folder_is_named_by_option_then_environment(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.delenv("PLANECAST_RUNS", raising=False)
    assert runs_folder() == Path("runs")
    monkeypatch.setenv("PLANECAST_RUNS", "elsewhere")
    assert runs_folder() == Path("elsewhere")
    assert runs_folder("named") == Path("named")


@pytest.mark.parametrize("name", ["/dev/null", "file", "file/below", "loop", "x" * 300])
def test_where_no_folder_can_be_is_bad_input(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("file").write_text("kept")
    Path("loop").symlink_to("loop")
    with pytest.raises(InputError, match="no folder can be made there: "):
        RunDirectory.create(Path(name), "predict", "a")
    assert Path("file").read_text() == "kept"
