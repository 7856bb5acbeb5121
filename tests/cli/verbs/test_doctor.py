"""``planecast doctor`` in every format."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path

import pytest
from tests.cli.conftest import Run

from planecast.host.check import Check, Setting
from planecast.results import read_parquet


def test_a_table_for_people(run: Run) -> None:
    answer = run("doctor", "--sample", "0", "--wide")
    assert answer.code == 0, answer.err
    assert answer.out.splitlines()[1].split()[:3] == ["what", "state", "found"]
    assert "\x1b" not in answer.out
    assert " limits" in answer.out


def test_another_machine(run: Run, tmp_path: Path) -> None:
    (tmp_path / "root/proc").mkdir(parents=True)
    (tmp_path / "root/proc/cpuinfo").write_text("processor: 0\nmodel name: Small CPU\nflags: tsc\n")
    answer = run("doctor", "--root", "root", "--format", "json")
    rows = {row["what"]: row for row in json.loads(answer.out)["checks"]}
    assert rows["cores"]["found"] == "Small CPU, 1 CPUs online"
    assert rows["cores"]["state"] == "limits"
    assert rows["libdpdk"]["fix"].startswith("sudo apt-get install")


@pytest.mark.parametrize(("user", "sudo"), [(0, False), (1000, True)])
def test_root_is_not_asked_to_become_root(
    run: Run, monkeypatch: pytest.MonkeyPatch, user: int, sudo: bool
) -> None:
    fix = "echo 1 | sudo tee /sys/x"
    check = Check("pages", "limits", "none", "slow", fix, settings=(Setting("sys/x", "1"),))
    monkeypatch.setattr("planecast.host.examine", lambda *_: [check])
    monkeypatch.setattr("os.geteuid", lambda: user)
    answer = run("doctor", "--sample", "0")
    assert "doctor --apply would change: pages" in answer.out
    assert ("sudo" in answer.out) == sudo


def test_formats_for_machines(run: Run, tmp_path: Path) -> None:
    answer = run("doctor", "--sample", "0", "--format", "csv")
    (first, *_) = csv.DictReader(io.StringIO(answer.out))
    assert list(first) == ["what", "state", "found", "meaning", "fix", "source"]
    for name in ("d.json", "d.csv", "d.parquet", "d.txt"):
        answer = run("doctor", "--sample", "0", "-o", name)
        assert (answer.code, answer.out) == (0, ""), answer.err
    assert json.loads((tmp_path / "d.json").read_text())["checks"][0]["what"] == "cores"
    assert read_parquet(tmp_path / "d.parquet")["what"][0] == "cores"
    assert "How to fix it:" in (tmp_path / "d.txt").read_text()
    assert not list(tmp_path.glob(".*"))


def test_apply_and_undo(run: Run, tmp_path: Path) -> None:
    watchdog = tmp_path / "root/proc/sys/kernel/nmi_watchdog"
    watchdog.parent.mkdir(parents=True)
    watchdog.write_text("1\n")
    there = ("doctor", "--root", "root", "--sample", "0")
    assert "--apply would change: NMI watchdog" in run(*there).out
    assert watchdog.read_text() == "1\n"
    (change,) = run(*there, "--only", "NMI watchdog", "--apply", "--format", "json").json()
    assert (change["before"], change["after"], watchdog.read_text()) == ("1", "0", "0\n")
    assert "1 settings are changed; planecast doctor --undo" in run(*there).out
    assert run("doctor", "--root", "root", "--undo").code == 0
    assert watchdog.read_text() == "1\n"
    assert "nothing was changed" in run("doctor", "--root", "root", "--undo").out


def test_what_cannot_be_asked(run: Run, tmp_path: Path) -> None:
    (tmp_path / "root").mkdir()
    there = ("doctor", "--root", "root", "--sample", "0")
    assert "--undo restores everything" in run(*there, "--undo", "--apply").err
    answer = run(*there, "--only", "weather")
    assert (answer.code, "there is no row 'weather'; the rows are" in answer.err) == (2, True)
