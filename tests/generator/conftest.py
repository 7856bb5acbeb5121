"""The generator program as a person runs it: over rings, capture files and memory interfaces."""

from __future__ import annotations

import contextlib
import json
import os
import signal
import subprocess
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from planecast.native import native_folder

TIMEOUT_S = 60
PATIENT = {"catch_up_us": 5e6, "drain_ms": 50}
"""On a busy machine nothing is given up, so that counts are certain."""

RING = ("--vdev", "net_ring0")

Sections = Mapping[str, Mapping[str, object]]


def program(name: str = "planecast-generator") -> Path:
    """The program, or the test is skipped: a machine without libdpdk has none."""
    path = native_folder() / name
    if not os.access(path, os.X_OK):
        pytest.skip(f"{name} is not built")
    return path


def cpus() -> tuple[int, int]:
    """The first CPU, where main lcores sleep, and the last."""
    there = sorted(os.sched_getaffinity(0))
    return there[0], there[-1]


def config_text(sections: Sections, streams: Sections) -> str:
    main, last = cpus()
    merged: dict[str, dict[str, object]] = {
        "ports": {"tx": 0, "rx": 0},
        "run": {"loop_check": "off", **PATIENT},
        "machine": {"lcores": last, "main_cpu": main},
    }
    for name, keys in sections.items():
        merged.setdefault(name, {}).update(keys)
    lines: list[str] = []
    for name, keys in [
        *merged.items(),
        *((f"stream {name}", keys) for name, keys in streams.items()),
    ]:
        lines += [f"[{name}]", *(f"{key} = {value}" for key, value in keys.items())]
    return "\n".join(lines) + "\n"


def memif(role: str, socket: Path) -> tuple[str, str]:
    return "--vdev", f"net_memif0,role={role},socket={socket},socket-abstract=no"


class Control:
    """A program that answers requests. Leaving the block ends it."""

    def __init__(self, command: list[str]) -> None:
        self.process = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE
        )

    def __enter__(self) -> Control:
        self.ready: dict[str, Any] = self.answer()["ready"]
        return self

    def __exit__(self, *_: object) -> None:
        if self.process.poll() is None:
            self.process.kill()
        self.process.wait()
        for stream in (self.process.stdin, self.process.stdout, self.process.stderr):
            assert stream is not None
            with contextlib.suppress(BrokenPipeError):
                stream.close()

    def say(self, request: str) -> None:
        assert self.process.stdin is not None
        self.process.stdin.write(request.encode() + b"\n")
        self.process.stdin.flush()

    def answer(self) -> dict[str, Any]:
        assert self.process.stdout is not None
        line = self.process.stdout.readline()
        assert line, self.process.stderr and self.process.stderr.read()
        answer: dict[str, Any] = json.loads(line)
        return answer

    def ask(self, request: str) -> dict[str, Any]:
        self.say(request)
        return self.answer()

    def run(self, words: str = "") -> dict[str, Any]:
        """A run that has to be fine; its answer."""
        answer = self.ask(f"run {words}")
        assert "error" not in answer, answer
        return answer

    def end(self, number: signal.Signals | None = None) -> int:
        """Closes its input, or sends a signal; the exit code."""
        if number is None:
            assert self.process.stdin is not None
            self.process.stdin.close()
        else:
            self.process.send_signal(number)
        return self.process.wait(20)


@dataclass
class Generator:
    """Runs the program in a folder of the test."""

    folder: Path
    path: Path = field(default_factory=program)
    files: int = 0

    def config(self, streams: Sections | None = None, **sections: Mapping[str, object]) -> Path:
        self.files += 1
        file = self.folder / f"generator{self.files}.ini"
        file.write_text(config_text(sections, streams or {"a": {}}))
        return file

    def run(self, *words: str | Path) -> subprocess.CompletedProcess[str]:
        """Runs it to its end, with these words as they are."""
        return subprocess.run(
            [str(self.path), *map(str, words)],
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=TIMEOUT_S,
            check=False,
        )

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
    ) -> Control:
        """Starts it under control; a context manager."""
        config = self.config(streams, **sections)
        return Control([str(self.path), str(config), "--control", "--", *(eal or RING)])


@pytest.fixture
def generator(tmp_path: Path) -> Generator:
    """The program."""
    return Generator(tmp_path)
