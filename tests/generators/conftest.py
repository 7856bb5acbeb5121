"""A generator that behaves as the test says, and configurations of the model."""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path
from typing import Any

import pytest

PROGRAMS = Path(__file__).parent / "programs"


class Fake:
    """The folder that PLANECAST_NATIVE names, with the generator in it."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        text = (PROGRAMS / "planecast-generator.py").read_text()
        program = folder / "planecast-generator"
        program.write_text(f"#!{sys.executable} -IS\n{text}")
        program.chmod(0o755)
        self.way()

    def way(self, **way: Any) -> None:
        """How the next one that is started behaves."""
        (self.folder / "way.json").write_text(json.dumps(way))

    def log(self) -> list[str]:
        """A line for every start and request, without the pid."""
        path = self.folder / "log"
        lines = path.read_text().splitlines() if path.exists() else []
        return [line.partition(" ")[2] for line in lines]

    def pids(self) -> list[int]:
        path = self.folder / "log"
        lines = path.read_text().splitlines() if path.exists() else []
        return list(dict.fromkeys(int(line.split()[0]) for line in lines))


@pytest.fixture
def fake(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Any:
    """A generator that behaves as the test says; nothing of it is left afterwards."""
    folder = tmp_path / "native"
    folder.mkdir()
    monkeypatch.setenv("PLANECAST_NATIVE", str(folder))
    rooms = tmp_path / "rooms"
    rooms.mkdir()
    monkeypatch.setattr("tempfile.tempdir", str(rooms))
    made = Fake(folder)
    yield made
    for pid in made.pids():
        with pytest.raises(ProcessLookupError):
            os.kill(pid, 0)
    assert list(rooms.iterdir()) == []
