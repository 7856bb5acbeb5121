"""``planecast doctor`` in every format."""

from __future__ import annotations

import csv
import io
import json
import subprocess
from collections.abc import Callable
from pathlib import Path

from planecast.results import read_parquet

Planecast = Callable[..., subprocess.CompletedProcess[str]]


def test_a_table_for_people(planecast: Planecast) -> None:
    answer = planecast("doctor", "--sample", "0")
    assert answer.returncode == 0, answer.stderr
    assert answer.stdout.splitlines()[1].split()[:3] == ["what", "state", "found"]
    assert "\x1b" not in answer.stdout
    assert " limits" in answer.stdout


def test_another_machine(planecast: Planecast, tmp_path: Path) -> None:
    (tmp_path / "root/proc").mkdir(parents=True)
    (tmp_path / "root/proc/cpuinfo").write_text("processor: 0\nmodel name: Small CPU\nflags: tsc\n")
    answer = planecast("doctor", "--root", "root", "--format", "json")
    rows = {row["what"]: row for row in json.loads(answer.stdout)["checks"]}
    assert rows["cores"]["found"] == "Small CPU, 1 CPUs online"
    assert rows["cores"]["state"] == "limits"
    assert rows["libdpdk"]["fix"].startswith("sudo apt-get install")


def test_formats_for_machines(planecast: Planecast, tmp_path: Path) -> None:
    answer = planecast("doctor", "--sample", "0", "--format", "csv")
    (first, *_) = csv.DictReader(io.StringIO(answer.stdout))
    assert list(first) == ["what", "state", "found", "meaning", "fix"]
    for name in ("d.json", "d.csv", "d.parquet", "d.txt"):
        answer = planecast("doctor", "--sample", "0", "-o", name)
        assert (answer.returncode, answer.stdout) == (0, ""), answer.stderr
    assert json.loads((tmp_path / "d.json").read_text())["checks"][0]["what"] == "cores"
    assert read_parquet(tmp_path / "d.parquet")["what"][0] == "cores"
    assert "How to better it:" in (tmp_path / "d.txt").read_text()
    assert not list(tmp_path.glob(".*"))
