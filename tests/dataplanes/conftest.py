"""A folder of programs that stand in for the compiled ones."""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from planecast.dataplanes import DataplaneConfig, configs_for
from planecast.scenario import Scenario, with_overrides

PROGRAMS = Path(__file__).parent / "programs"


class Fake:
    """The folder that PLANECAST_NATIVE names, with the data plane in it."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        text = (PROGRAMS / "planecast-dataplane.py").read_text()
        program = folder / "planecast-dataplane"
        program.write_text(f"#!{sys.executable} -IS\n{text}")
        program.chmod(0o755)
        self.way()

    def way(self, **way: Any) -> None:
        """How the next one that is started behaves."""
        (self.folder / "way.json").write_text(json.dumps(way))

    def log(self) -> list[str]:
        path = self.folder / "log"
        return path.read_text().splitlines() if path.exists() else []

    def pids(self) -> list[int]:
        return list(dict.fromkeys(int(line.split()[0]) for line in self.log()))

    def starts(self) -> list[list[str]]:
        """The words that each one was started with."""
        return [line.split()[2:] for line in self.log() if line.split()[1] == "start"]

    def wait_for(self, word: str) -> None:
        """Until the log has a line with that word."""
        until = time.monotonic() + 60
        while not any(word in line for line in self.log()):
            assert time.monotonic() < until, f"no {word} in {self.log()}"
            time.sleep(0.01)


@pytest.fixture
def fake(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Fake:
    """A data plane that behaves as the test says."""
    folder = tmp_path / "native"
    folder.mkdir()
    monkeypatch.setenv("PLANECAST_NATIVE", str(folder))
    # Where temporary folders are made: a test sees what is left of them.
    rooms = tmp_path / "rooms"
    rooms.mkdir()
    monkeypatch.setattr("tempfile.tempdir", str(rooms))
    return Fake(folder)


MakeScenario = Callable[..., Scenario]


@pytest.fixture
def scenario() -> MakeScenario:
    """Makes scenarios on CPU 0, which every machine has."""

    def make(point: dict[str, Any] | None = None) -> Scenario:
        return with_overrides(Scenario(name="s"), {"placement.cpus": "0", **(point or {})})

    return make


@pytest.fixture
def config(scenario: MakeScenario) -> DataplaneConfig:
    """The configuration of the base scenario's process."""
    return configs_for([scenario()])[0]
