"""VPP as a data plane under test: an L2 cross-connect of two memory interfaces.

VPP is in no Debian archive, so an installed one is used as it comes; a private start-up file and
command socket keep it apart from one that already runs. `show runtime` is its second opinion.
"""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Self

from planecast.controlled import Planned
from planecast.dataplanes.command import CommandProgram
from planecast.dataplanes.end import End
from planecast.errors import MissingError, RunError
from planecast.results.estimate import Estimate

PACKAGE = "install VPP (FD.io has packages), or name the binary (dataplane.program)"
_CALL_TIMEOUT_S = 30.0
_STARTUP = """\
unix {{ nodaemon cli-listen {folder}/cli.sock runtime-dir {folder} }}
api-segment {{ prefix planecast-{number} }}
cpu {{ main-core {main_cpu} corelist-workers {cpu} }}
plugins {{ plugin dpdk_plugin.so {{ disable }} }}
"""


@dataclass(frozen=True)
class NodeRuntime:
    """A graph node's row of ``show runtime``."""

    thread: str
    name: str
    calls: int
    vectors: int
    """Packets."""
    clocks: float
    """TSC cycles a packet; of a node without packets, a call."""
    vectors_per_call: float


class Vpp:
    """Two memory interfaces, cross-connected."""

    name = "VPP"

    def __init__(
        self, ends: Sequence[End], folder: Path, *, cpu: int, main_cpu: int, program: str | None
    ) -> None:
        """`folder` is empty, private, and the caller's; `ends` are memory interfaces."""
        self._ends = ends
        self._folder = folder
        self._cpus = {"cpu": cpu, "main_cpu": main_cpu}
        self._program = program or "vpp"
        self._running: CommandProgram | None = None

    def planned(self) -> list[Planned]:
        """One process. Raises MissingError when it isn't installed."""
        path = shutil.which(self._program)
        if path is None:
            raise MissingError("VPP is not installed", self._program, PACKAGE)
        startup = str(self._folder / "startup.conf")
        number = self._folder.name.rpartition("-")[2]
        text = _STARTUP.format(folder=self._folder, number=number, **self._cpus)
        return [Planned((path, "-c", startup), startup, text)]

    def __enter__(self) -> Self:
        (plan,) = self.planned()
        Path(plan.file).write_text(plan.text, encoding="utf-8")
        self._running = CommandProgram(plan.words, self._folder, name=self.name)
        try:
            self._running.__enter__()
            self._connect()
        except BaseException:
            self._running.stop()
            raise
        return self

    def __exit__(self, *about: object) -> None:
        if self._running is not None:
            self._running.stop()

    def ports(self) -> Mapping[str, int]:
        """Nothing."""
        return {}

    def check(self) -> None:
        """Raises RunError with its last words when it has ended."""
        assert self._running is not None
        self._running.check()

    def begin_opinion(self) -> None:
        """Clears the counts of all nodes."""
        self._cli("clear runtime")

    def opinion(self) -> Mapping[str, Estimate]:
        """Clocks a packet, all nodes of the worker together, and the vectors of a call."""
        return opinion_of(parse_runtime(self._cli("show runtime")))

    def _connect(self) -> None:
        names = []
        for number, end in enumerate(self._ends, 1):
            role = "master" if end.server else "slave"
            self._cli(f"create memif socket id {number} filename {end.address}")
            self._cli(
                f"create interface memif id {number - 1} socket-id {number} {role} "
                f"ring-size {end.ring}"
            )
            names.append(f"memif{number}/{number - 1}")
        for one, other in (names, names[::-1]):
            self._cli(f"set interface state {one} up")
            self._cli(f"set interface l2 xconnect {one} {other}")

    def _cli(self, command: str) -> str:
        program = shutil.which("vppctl")
        if program is None:
            raise MissingError("vppctl is not installed", "VPP", PACKAGE)
        try:
            done = subprocess.run(
                [program, "-s", str(self._folder / "cli.sock"), *command.split()],
                capture_output=True,
                text=True,
                timeout=_CALL_TIMEOUT_S,
                check=False,
            )
        except subprocess.TimeoutExpired:
            raise RunError(f"'{command}' was not answered", self.name) from None
        if done.returncode != 0:
            self.check()
            raise RunError((done.stderr or done.stdout).strip()[:200], f"{self.name}: {command}")
        return done.stdout


def parse_runtime(text: str) -> list[NodeRuntime]:
    """The rows of ``show runtime``, by thread. Raises RunError for a header that isn't known."""
    found: list[NodeRuntime] = []
    thread, columns = "", list[str]()
    for line in text.splitlines():
        words = line.split()
        if line.startswith("Thread "):
            thread = words[2] if len(words) > 2 else words[1]
        elif words[:1] == ["Name"]:
            columns = _columns(line)
        elif columns and len(words) >= len(columns):
            row = dict(zip(columns, [words[0], " ".join(words[1:-5]), *words[-5:]], strict=False))
            with suppress(ValueError):
                found.append(
                    NodeRuntime(
                        thread,
                        row["Name"],
                        int(row["Calls"]),
                        int(row["Vectors"]),
                        float(row["Clocks"]),
                        float(row["Vectors/Call"]),
                    )
                )
    if not found:
        raise RunError("this is no output of 'show runtime'", "VPP", "tell us VPP's version")
    return found


def opinion_of(nodes: Sequence[NodeRuntime]) -> dict[str, Estimate]:
    """Cycles a packet of the thread that moved most: over all nodes that packets passed, and of
    each."""
    vectors: dict[str, int] = {}
    for node in nodes:
        vectors[node.thread] = max(vectors.get(node.thread, 0), node.vectors)
    busiest = max(vectors, key=lambda thread: vectors[thread])
    packets = vectors[busiest]
    if packets == 0:
        return {}
    mine = [node for node in nodes if node.thread == busiest and node.vectors]
    clocks = sum(node.clocks * node.vectors for node in mine) / packets
    size = max(mine, key=lambda node: node.vectors).vectors_per_call
    return {
        "clocks": Estimate(value=clocks, samples=packets, unit="cycles/packet", kind="measured"),
        "vectors/call": Estimate(value=size, samples=packets, unit="packets", kind="measured"),
        **{
            f"node {node.name}": Estimate(
                value=node.clocks * node.vectors / packets,
                samples=node.vectors,
                unit="cycles/packet",
                kind="measured",
            )
            for node in mine
        },
    }


def _columns(line: str) -> list[str]:
    known = ("Name", "State", "Calls", "Vectors", "Suspends", "Clocks", "Vectors/Call")
    words = line.split()
    missing = [name for name in known if name not in words]
    if missing:
        raise RunError(f"'show runtime' has no column {missing[0]}", "VPP", "tell us its version")
    return [word for word in words if word in known]
