"""The generator program as a person runs it: over rings, capture files and memory interfaces."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
from tests.programs import Control, Program, Sections, built, cpus, ini_text, wait_until

PATIENT = {"catch_up_us": 5e6, "drain_ms": 50}
"""On a busy machine nothing is given up, so that counts are certain."""

RING = ("--vdev", "net_ring0")


class Asked(Control):
    """The generator under control."""

    def run(self, words: str = "") -> dict[str, Any]:
        """A run that has to be fine; its answer."""
        answer = self.ask(f"run {words}")
        assert "error" not in answer, answer
        return answer


def sent_beyond(control: Control, packets: int) -> dict[str, Any]:
    """What it reports its run once more than so many packets are sent."""
    reported: dict[str, Any] = {}

    def more() -> bool:
        reported.update(control.ask("stats"))
        return bool(reported["total"]["sent"] > packets)

    wait_until(more, f"more than {packets} packets were sent")
    return reported


@dataclass
class Generator(Program):
    """Runs the generator in a folder of the test."""

    path: Path = field(default_factory=lambda: built("planecast-generator"))
    files: int = 0

    def config(self, streams: Sections | None = None, **sections: Mapping[str, object]) -> Path:
        """Writes a configuration with one stream, or with these; one CPU sends and receives."""
        main, last = cpus()
        self.files += 1
        file = self.folder / f"generator{self.files}.ini"
        usual: Sections = {
            "ports": {"tx": 0, "rx": 0},
            "run": {"loop_check": "off", **PATIENT},
            "machine": {"lcores": last, "main_cpu": main},
        }
        named = {f"stream {name}": keys for name, keys in (streams or {"a": {}}).items()}
        file.write_text(ini_text(usual, sections, named))
        return file

    def once(
        self,
        *words: str,
        eal: tuple[str, ...] = RING,
        streams: Sections | None = None,
        **sections: Mapping[str, object],
    ) -> dict[str, Any]:
        """One run that has to end well; its answer."""
        done = self.run(self.config(streams, **sections), *words, "--", *eal)
        assert done.returncode == 0, done.stderr
        answer: dict[str, Any] = json.loads(done.stdout)
        return answer

    def control(
        self,
        *eal: str,
        streams: Sections | None = None,
        **sections: Mapping[str, object],
    ) -> Asked:
        """Starts it under control; a context manager."""
        config = self.config(streams, **sections)
        return Asked([str(self.path), str(config), "--control", "--", *(eal or RING)])


@pytest.fixture
def generator(tmp_path: Path) -> Generator:
    """The program."""
    return Generator(tmp_path)
