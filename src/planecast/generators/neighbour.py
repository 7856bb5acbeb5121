"""A neighbour on another CPU: takes cache, memory bandwidth or a thread, as it is asked to."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Literal, Self

from planecast.errors import RunError
from planecast.json_process import JsonProcess
from planecast.scenario.model import Noun
from planecast.scenario.neighbour import Busy
from planecast.scenario.neighbour import Neighbour as ScenarioNeighbour

Mode = Literal["idle", "walk", "stream", "spin"]

TOUCHING = ("walk", "stream")
"""Modes whose lines are lines of memory: a spin's are rounds."""

_TIMEOUT_S = 120.0
"""A walk of gigabytes is built, and walked once, before it is answered."""


class Work(Noun):
    """What a neighbour does."""

    mode: Mode = "idle"
    """walk: chases pointers through a working set. stream: reads memory in order."""
    bytes: int = 0
    """Of the working set or the memory."""
    lines_per_s: float = 0.0
    """Cache lines a second at most; 0: as fast as it goes."""
    width: int = 8
    """walk: misses in flight."""
    write: bool = False
    """stream: writes what it read."""

    @classmethod
    def of(cls, busy: Busy) -> Self:
        """The work that a scenario or a study says."""
        if not busy.touched_bytes:
            return cls(mode="spin" if busy.spin else "idle")
        return cls(
            mode="walk" if busy.walk is not None else "stream",
            bytes=busy.touched_bytes,
            lines_per_s=busy.rate,
            width=busy.width,
            write=busy.write,
        )

    def as_scenario_has_it(self, cpu: int | None = None) -> ScenarioNeighbour:
        """The same as a scenario's section."""
        return ScenarioNeighbour(
            walk=self.bytes if self.mode == "walk" else None,
            stream=self.bytes if self.mode == "stream" else None,
            spin=self.mode == "spin",
            rate=self.lines_per_s,
            width=self.width,
            write=self.write,
            cpu=cpu,
        )

    def request(self) -> str:
        """As the program is asked."""
        words = [str(self.mode)]
        if self.mode in TOUCHING:
            words += [f"bytes={self.bytes}", f"lines_per_s={self.lines_per_s:.0f}"]
        if self.mode == "walk":
            words.append(f"width={self.width}")
        if self.mode == "stream":
            words.append(f"write={int(self.write)}")
        return " ".join(words)


class Done(Noun):
    """What it has done of its last work."""

    mode: Mode
    bytes: int
    lines: int
    seconds: float
    lines_per_s: float


class Neighbour(JsonProcess):
    """A running neighbour; idle at first. A context manager: it never outlives its block."""

    def __init__(self, cpu: int) -> None:
        super().__init__("planecast-neighbour", "the neighbour", "")
        self._cpu = cpu

    def _command(self, program: Path, configuration: Path) -> list[str]:
        return [str(program), "--cpu", str(self._cpu)]

    def do(self, work: Work) -> None:
        """From now on; its working set has been walked once when this returns. Raises RunError."""
        self._asked(work.request())

    def done(self) -> Done:
        """What it has done of it so far. Raises RunError."""
        return Done.model_validate(self._asked("stats")["neighbour"])

    @contextmanager
    def doing(self, work: Work) -> Iterator[None]:
        """Next to the block, and idle again afterwards."""
        if work.mode == "idle":
            yield
            return
        self.do(work)
        try:
            yield
        finally:
            self.do(Work())

    def _asked(self, request: str) -> dict[str, Any]:
        answer = self.ask(request, _TIMEOUT_S)
        if "error" in answer:
            raise RunError(f"the neighbour refused a request: {answer['error']}")
        return answer
