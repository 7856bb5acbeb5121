"""``planecast measure``: as a person meets it, with and without a data plane."""

from __future__ import annotations

import csv
import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from tests.cli.conftest import Run
from tests.dataplanes.conftest import Fake

from planecast.results import ResultSet, RunDirectory, read_parquet

OneRun = Callable[[], Path]


def test_help(run: Run) -> None:
    answer = run("measure", "--help")
    assert answer.code == 0
    assert "Usage: planecast measure [OPTIONS]" in answer.out
    for word in ("SCENARIO", "--set", "--vary", "--seconds", "--restarts", "--dry-run", "EAL"):
        assert word in answer.out


def test_a_table_and_a_run(run: Run, small: Path, fake: Fake, quick: None, one_run: OneRun) -> None:
    answer = run("measure", small, "--wide", "--vary", "traffic.flows=64,128", "--", "--no-huge")
    assert answer.code == 0, answer.err
    assert answer.err == ""
    lines = answer.out.splitlines()
    assert "TSC cycles/packet" in lines[1]
    assert [line.split()[0] for line in lines if " flows=" in f" {line}"][:2] == [
        *("flows=64", "flows=128")
    ]
    assert "measured; 95 % intervals; pages of 4KiB" in answer.out
    assert lines[-1] == f"run: {one_run().relative_to(Path.cwd())}"
    assert all(words[-1] == "--no-huge" for words in fake.starts())
    assert len(fake.starts()) == 3
    assert {path.name for path in one_run().iterdir()} == {"result.json", "trials.parquet"}
    trials = read_parquet(one_run() / "trials.parquet")
    assert set(trials["label"]) == {"flows=64", "flows=128"}
    assert set(trials["restart"]) == {0, 1, 2}


def test_arguments_of_eal_are_of_our_own_data_plane(run: Run, bare: Path) -> None:
    answer = run("measure", bare, "--set", "dataplane.kind=l3fwd", "--dry-run", "--", "--no-huge")
    assert answer.code == 2
    assert "they are for EAL of planecast's own data plane, and l3fwd is measured" in answer.err


def test_what_was_measured_is_explained(
    run: Run, small: Path, fake: Fake, quick: None, tmp_path: Path
) -> None:
    answer = run("measure", small, "--explain")
    assert answer.code == 0, answer.err
    assert answer.out.index(" small ") < answer.out.index("What limits it")
    assert "the most expensive stage is" in answer.out
    page = run("measure", small, "--explain", "-o", "why.html")
    assert (page.code, page.out) == (0, "why.html\n"), page.err
    assert "What limits it, how sure that is" in (tmp_path / "why.html").read_text()
    words = ("--vary", "traffic.flows=64,128", "--format", "json")
    started = len(fake.starts())
    refused = run("measure", small, "--explain", *words)
    assert refused.code == 2
    assert "--explain: a file holds one explanation" in refused.err
    assert len(fake.starts()) == started


@pytest.mark.parametrize("form", ["json", "csv", "parquet"])
def test_answers_for_machines(
    run: Run, small: Path, fake: Fake, quick: None, *, tmp_path: Path, form: str
) -> None:
    answer = run("measure", small, "--seed", "7", "--format", form, "-o", f"out.{form}")
    assert (answer.code, answer.out) == (0, ""), answer.err
    path = tmp_path / f"out.{form}"
    if form == "json":
        (found,) = ResultSet.model_validate_json(path.read_text()).results
        assert found.cycles_per_packet.interval is not None
        assert (found.manifest.seed, found.manifest.engine) == (7, "measure")
        assert found.manifest.command.startswith(f"planecast measure {small}")
        return
    if form == "csv":
        rows: list[dict[str, Any]] = list(csv.DictReader(path.read_text().splitlines()))
    else:
        columns = read_parquet(path)
        rows = [{name: column[0] for name, column in columns.items()}]
    (row,) = rows
    low, value, high = (float(row[f"cycles_per_packet{end}"]) for end in ("_low", "", "_high"))
    assert low <= value <= high
    assert row["scenario"] == "small"


def test_a_dry_run_prints_what_it_would_do_and_does_nothing(
    run: Run, small: Path, fake: Fake, tmp_path: Path
) -> None:
    before = set(tmp_path.iterdir())
    answer = run(
        *("measure", small, "--vary", "workload.routes=64,128", "--dry-run", "--restarts", "2"),
        *("--", "--vdev", "net_null0"),
    )
    assert answer.code == 0, answer.err
    program = fake.folder / "planecast-dataplane"
    parts = answer.out.split("# dataplane")[1:]
    assert len(parts) == 2
    for number, part in enumerate(parts):
        assert part.startswith(
            f"{number}.ini; started 2 times\n[pipeline]\nfunction = vpe-upstream\ncuts = none\n"
            "[tables]\n"
        )
        assert f"\n{program} dataplane{number}.ini --control -- --vdev net_null0\n" in part
        asked = (
            "\ntrial windows=64 packets=2048 warmup=65536 block=16384 settle=0.1 canary=1 burst=32 "
        )
        assert asked in part
    assert "routes = 128" in parts[1]
    assert fake.log() == []
    assert set(tmp_path.iterdir()) == before


def test_a_dry_run_asks_what_a_run_asks(run: Run, tmp_path: Path, fake: Fake, quick: None) -> None:
    """The compute reference has windows of its own length."""
    path = tmp_path / "compute.yaml"
    path.write_text("name: c\nworkload: {kind: compute}\nplacement: {cpus: 0}\n")
    printed = run("measure", path, "--dry-run").out.splitlines()
    assert run("measure", path, "--restarts", "1").code == 0
    asked = {line.partition(" ")[2] for line in fake.log() if " trial " in line}
    assert asked
    assert asked <= set(printed)


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (["--set", "traffic.flwos=4"], "unknown key traffic.flwos; did you mean traffic.flows?"),
        (
            ["--set", "traffic.flows=many"],
            "got 'many', which is not a whole number such as 4096 or 64Ki; allowed is a whole",
        ),
        (["--set", "placement.cpus=1-0"], "1-0 runs backwards"),
        (["--set", "placement.cpus=1023"], "there is no CPU 1023 on this machine; take some of"),
        (["--set", "traffic.flows=512"], "512 flows are active, more than the 256 entries"),
        (["--vary", "traffic.flows"], "write it as KEY=VALUE,VALUE"),
        (["--vary", "traffic.flows=1,x"], "got 'x', which is not a whole number"),
        (["--restarts", "0"], "invalid value for '--restarts'"),
        (["--restarts", "1001"], "invalid value for '--restarts'"),
        (["--seconds", "0.5"], "invalid value for '--seconds'"),
        (["--seconds", "nan"], "invalid value for '--seconds'"),
        (["--format", "parquet"], "parquet is not for a terminal; add -o FILE"),
    ],
)
def test_mistakes_are_sentences(
    run: Run, small: Path, fake: Fake, quick: None, *, words: list[str], sentence: str
) -> None:
    answer = run("measure", small, *words)
    assert answer.code == 2
    assert answer.out == ""
    assert sentence in answer.err


def test_a_mistake_in_the_file_is_named_by_its_line(run: Run, small: Path, fake: Fake) -> None:
    small.write_text(small.read_text() + "brust: 8\n")
    answer = run("measure", small)
    assert (answer.code, answer.out) == (2, "")
    assert answer.err.startswith(f"planecast: {small}:5: unknown key brust")
    small.write_text("name: s\nplacement:\n  burst: 8\ntraffic:\n  flows: a lot\n")
    answer = run("measure", small)
    assert answer.err.startswith(f"planecast: {small}:5: traffic.flows: got 'a lot'")
    assert answer.err.count("\n") == 1


def test_no_such_file(run: Run) -> None:
    answer = run("measure", "nowhere.yaml")
    assert (answer.code, answer.out) == (2, "")
    assert "nowhere.yaml" in answer.err


def test_a_machine_without_the_program(
    run: Run, small: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PLANECAST_NATIVE", str(tmp_path))
    for words in ((), ("--dry-run",)):
        answer = run("measure", small, *words)
        assert (answer.code, answer.out) == (3, "")
        assert "planecast-dataplane is not built; install libdpdk-dev" in answer.err
        assert answer.err.count("\n") == 1


def test_a_data_plane_that_fails_leaves_why(
    run: Run, small: Path, fake: Fake, quick: None, one_run: OneRun
) -> None:
    fake.way(trial="dies", code=1, says="the pool is empty")
    answer = run("measure", small)
    assert (answer.code, answer.out) == (1, "")
    assert answer.err == (
        "planecast: planecast-dataplane: the pool is empty\n"
        "  exit status 1; it wrote last:\n"
        "  EAL: something about hugepages\n"
        "  planecast-dataplane: the pool is empty\n"
    )
    assert "the pool is empty" in (one_run() / "failed").read_text()


def test_a_file_that_cannot_be_written(run: Run, small: Path, fake: Fake, tmp_path: Path) -> None:
    """It is said before the measuring, not after it."""
    answer = run("measure", small, "-o", "no/such/folder/out.json")
    assert answer.code == 2
    assert "out.json: there is no folder no/such/folder; make it first" in answer.err
    answer = run("measure", small, "-o", tmp_path)
    assert (answer.code, "this is a folder; name a file" in answer.err) == (2, True)
    assert not (tmp_path / "runs").exists()
    assert fake.log() == []


def test_bad_input_leaves_no_run(run: Run, small: Path, fake: Fake, tmp_path: Path) -> None:
    answer = run("measure", small, "--set", "placement.cpus=1023")
    assert (answer.code, "there is no CPU 1023" in answer.err) == (2, True)
    assert list((tmp_path / "runs").iterdir()) == []


def test_what_is_missing_leaves_no_run(run: Run, small: Path, fake: Fake, tmp_path: Path) -> None:
    (fake.folder / "planecast-dataplane").unlink()
    answer = run("measure", small)
    assert (answer.code, "is not built" in answer.err) == (3, True)
    assert list((tmp_path / "runs").iterdir()) == []


def test_a_varied_value_is_named_with_its_option(run: Run, small: Path) -> None:
    answer = run("measure", small, "--vary", "traffic.flows=1,x")
    assert "planecast: --vary traffic.flows=x: got 'x'" in answer.err


def spawn(words: list[str], tmp_path: Path, **environment: str) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-m", "planecast.cli.app", *words],
        cwd=tmp_path,
        env={**os.environ, **environment},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def interrupted(process: subprocess.Popen[str], tmp_path: Path) -> RunDirectory:
    """Ctrl-C: the exit code, the sentence, the mark and the trials; the run."""
    process.send_signal(signal.SIGINT)
    out, said = process.communicate(timeout=60)
    assert (process.returncode, out) == (130, "")
    lines = [line for line in said.splitlines() if not line.startswith("planecast: measuring: ")]
    (folder,) = (tmp_path / "runs").iterdir()
    kept = "planecast: stopped; what was measured until then is kept in"
    assert lines == [f"{kept} runs/{folder.name}", "planecast: interrupted"]
    assert (folder / "partial").read_text() == "interrupted\n"
    assert not (folder / "result.json").exists()
    assert len(read_parquet(folder / "trials.parquet")["cycles"]) > 0
    return RunDirectory(folder)


def test_ctrl_c_ends_the_children_and_keeps_the_trials(
    small: Path, fake: Fake, tmp_path: Path
) -> None:
    fake.way(trial_s=0.05)
    words = ["measure", str(small), "--seconds", "60", "--vary", "workload.routes=64,128"]
    process = spawn(words, tmp_path, TMPDIR=str(tmp_path / "rooms"))
    try:
        while sum(" trial " in line for line in fake.log()) < 5:
            time.sleep(0.02)
            assert process.poll() is None, process.communicate()
        interrupted(process, tmp_path)
    finally:
        process.kill()
        process.wait()
    assert len(fake.pids()) == 2
    for pid in fake.pids():
        assert not Path(f"/proc/{pid}").exists()
    assert list((tmp_path / "rooms").iterdir()) == []


def test_sigterm_before_the_first_trial_is_over_leaves_no_run(
    small: Path, fake: Fake, tmp_path: Path
) -> None:
    fake.way(trial_s=5)
    process = spawn(["measure", str(small)], tmp_path, TMPDIR=str(tmp_path / "rooms"))
    runs = tmp_path / "runs"
    try:
        while not list(runs.glob("*/partial")):
            time.sleep(0.02)
            assert process.poll() is None, process.communicate()
        process.terminate()
        out, said = process.communicate(timeout=60)
    finally:
        process.kill()
        process.wait()
    assert (process.returncode, out, said) == (143, "", "planecast: ended by SIGTERM\n")
    assert list(runs.iterdir()) == []


def test_a_full_disk(small: Path, fake: Fake, tmp_path: Path) -> None:
    script = (
        'mkdir runs && mount -t tmpfs -o size=12k none runs && "$@"; code=$?; ls runs/*; exit $code'
    )
    inside = [shutil.which("unshare") or "false", "-Urm", "sh", "-c"]
    probe = [*inside, 'mount -t tmpfs none "$1"', "sh", str(tmp_path)]
    if subprocess.run(probe, check=False, capture_output=True).returncode != 0:
        pytest.skip("no small file system can be mounted here")
    words = ["measure", str(small), "--seconds", "1", "--restarts", "1"]
    answer = subprocess.run(
        [*inside, script, "sh", sys.executable, "-m", "planecast.cli.app", *words],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )
    assert answer.returncode == 1, answer
    assert answer.stderr.startswith("planecast: runs/")
    assert "the disk is full" in answer.stderr
    assert answer.stderr.count("\n") == 1
    assert answer.stdout == "failed\n"


LIVE = pytest.mark.live
REAL = ["measure", "small.yaml", "--vary", "traffic.flows=16,256"]


@pytest.fixture
def real(small: Path) -> None:
    """The compiled data plane, or the test is skipped."""
    from planecast.native import native_folder

    if not os.access(native_folder() / "planecast-dataplane", os.X_OK):
        pytest.skip("planecast-dataplane is not built")


@LIVE
def test_measuring_for_real(run: Run, real: None) -> None:
    found = run(*REAL, "--seconds", "2", "--restarts", "1", "--format", "json").json()["results"]
    assert len(found) == 2
    for result in found:
        cost = result["cycles_per_packet"]
        assert 20 < cost["low"] <= cost["value"] <= cost["high"] < 20000
        assert result["packets_in"] == result["packets_out"] + sum(result["drops"].values())
        stages = [stage["cycles_per_packet"]["value"] for stage in result["stages"].values()]
        assert sum(stages) == pytest.approx(cost["value"])
        assert next(iter(result["stages"])) == "source"


@LIVE
def test_ctrl_c_in_the_middle_of_real_measuring(real: None, tmp_path: Path) -> None:
    process = spawn(["-v", *REAL, "--seconds", "3600"], tmp_path)
    children = Path(f"/proc/{process.pid}/task/{process.pid}/children")
    try:
        assert process.stderr is not None
        # A point is named when a trial of it is over.
        assert any("flows=" in line for line in process.stderr), process.communicate()
        found = children.read_text().split()
        interrupted(process, tmp_path)
    finally:
        process.kill()
        process.wait()
    assert found
    assert not any(Path("/proc", child).exists() for child in found)
