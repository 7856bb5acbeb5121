"""The program in this process, on a machine that is made up."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from tests.study.conftest import fake, machine, study_file

from planecast.cli import app as program

__all__ = ["fake", "machine", "study_file"]

SMALL = """\
name: small
workload: {acl_rules: 64, flows: 256, routes: 64}
traffic: {flows: 256}
placement: {cpus: 0}
"""


@dataclass(frozen=True)
class Answer:
    """What the program said and how it ended."""

    code: int
    out: str
    err: str

    def json(self) -> Any:
        assert self.code == 0, self.err
        return json.loads(self.out)


Run = Callable[..., Answer]


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Run:
    """Runs ``planecast`` in an empty folder, without the time that a process takes to start."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("NO_COLOR", "1")
    monkeypatch.setenv("COLUMNS", "100")
    for name in ("PLANECAST_RUNS", "PLANECAST_DEBUG"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setattr("gc.freeze", lambda: None)  # this process has more to do

    def answer(*words: str | Path) -> Answer:
        monkeypatch.setattr(sys, "argv", ["planecast", *map(str, words)])
        capsys.readouterr()
        with pytest.raises(SystemExit) as end:
            program.main()
        said = capsys.readouterr()
        assert "Traceback" not in said.err
        return Answer(int(end.value.code or 0), said.out, said.err)

    return answer


@pytest.fixture
def small(tmp_path: Path) -> Path:
    """A scenario whose tables are built in no time, on CPU 0."""
    path = tmp_path / "small.yaml"
    path.write_text(SMALL)
    return path


@pytest.fixture
def bare(tmp_path: Path) -> Path:
    """A scenario that leaves open what forwards, on CPU 0."""
    path = tmp_path / "bare.yaml"
    path.write_text("{name: bare, traffic: {flows: 64}, placement: {cpus: 0}}\n")
    return path


@pytest.fixture
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    """Measuring takes no longer than two visits of every point."""
    monkeypatch.setattr(
        "planecast.engines.measure.schedule.Schedule.turns",
        lambda self, until, patience, look, enough: iter(list(range(len(self._cpus))) * 2),
    )


@pytest.fixture
def one_run(tmp_path: Path) -> Callable[[], Path]:
    """The only run's folder."""

    def find() -> Path:
        (found,) = (tmp_path / "runs").iterdir()
        return found

    return find
