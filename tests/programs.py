"""Our programs on DPDK as a person runs them: configured, run, asked, watched, ended; and what one
leaves behind."""

from __future__ import annotations

import contextlib
import json
import os
import re
import signal
import socket
import subprocess
import time
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Self

import pytest

from planecast.native import native_folder

TIMEOUT_S = 60
"""For what takes a second at the most when nothing else runs."""

Sections = Mapping[str, Mapping[str, object]]


def built(name: str) -> Path:
    """A program, or the test is skipped: a machine without libdpdk has none."""
    path = native_folder() / name
    if not os.access(path, os.X_OK):
        pytest.skip(f"{name} is not built")
    return path


def cpus() -> tuple[int, int]:
    """The first CPU, where main lcores sleep, and the last, where one works."""
    there = sorted(os.sched_getaffinity(0))
    return there[0], there[-1]


def ini_text(*parts: Sections) -> str:
    """A configuration file; what a later part says of a key holds."""
    merged: dict[str, dict[str, object]] = {}
    for part in parts:
        for name, keys in part.items():
            merged.setdefault(name, {}).update(keys)
    lines: list[str] = []
    for name, keys in merged.items():
        lines += [f"[{name}]", *(f"{key} = {value}" for key, value in keys.items())]
    return "\n".join(lines) + "\n"


def memif(role: str, path: Path, number: int = 0) -> str:
    """What names one end of a memory interface, after --vdev."""
    return f"net_memif{number},role={role},socket={path},socket-abstract=no"


class Control:
    """A program that answers requests. Leaving the block ends it."""

    def __init__(self, command: list[str]) -> None:
        self.process = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE
        )

    def __enter__(self) -> Self:
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

    def say(self, request: str | bytes) -> None:
        assert self.process.stdin is not None
        self.process.stdin.write(request if isinstance(request, bytes) else request.encode())
        self.process.stdin.write(b"\n")
        self.process.stdin.flush()

    def answer(self) -> dict[str, Any]:
        assert self.process.stdout is not None
        line = self.process.stdout.readline()
        assert line, self.process.stderr and self.process.stderr.read()
        answer: dict[str, Any] = json.loads(line)
        return answer

    def ask(self, request: str | bytes) -> dict[str, Any]:
        self.say(request)
        return self.answer()

    def end(self, number: signal.Signals | None = None) -> int:
        """Closes its input, or sends a signal; the exit code."""
        if number is None:
            assert self.process.stdin is not None
            self.process.stdin.close()
        else:
            self.process.send_signal(number)
        return self.process.wait(20)


@dataclass
class Program:
    """Runs a program in a folder of the test."""

    folder: Path
    path: Path
    pids: list[int] = field(default_factory=list)
    """Of all the processes that it was."""

    def run(
        self, *words: str | Path, before: tuple[str, ...] = (), stdin: str = ""
    ) -> subprocess.CompletedProcess[str]:
        """Runs it to its end, with these words as they are."""
        process = subprocess.Popen(
            [*before, str(self.path), *map(str, words)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        self.pids.append(process.pid)
        try:
            out, err = process.communicate(stdin, timeout=TIMEOUT_S)
        except subprocess.TimeoutExpired:
            process.kill()
            process.communicate()
            raise
        return subprocess.CompletedProcess(process.args, process.returncode, out, err)


def wait_until(holds: Callable[[], bool], what: str) -> None:
    """Tries until it holds; a busy machine takes its time."""
    deadline = time.monotonic() + TIMEOUT_S
    while not holds():
        assert time.monotonic() < deadline, f"for {TIMEOUT_S} s, it was not so that {what}"
        time.sleep(0.01)


def cpu_seconds(process: subprocess.Popen[Any]) -> dict[int, float]:
    """How long each of its threads has worked, by number; the main one has the process's."""
    seconds: dict[int, float] = {}
    for task in Path(f"/proc/{process.pid}/task").iterdir():
        with contextlib.suppress(OSError):  # it has just ended
            after_name = (task / "stat").read_text().rpartition(")")[2].split()
            seconds[int(task.name)] = int(after_name[11]) / os.sysconf("SC_CLK_TCK")
    return seconds


def wait_until_it_forwards(process: subprocess.Popen[Any]) -> None:
    """Until a thread other than the main one has worked for 0.1 s from now on: idle, all sleep."""
    before = cpu_seconds(process)

    def forwards() -> bool:
        assert process.poll() is None, "it has ended"
        return any(
            thread != process.pid and seconds >= before.get(thread, 0) + 0.1
            for thread, seconds in cpu_seconds(process).items()
        )

    wait_until(forwards, "it forwarded")


def ask_telemetry(path: str, *commands: str) -> list[dict[str, Any]]:
    """Answers of DPDK's telemetry socket."""
    with socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET) as client:
        client.settimeout(TIMEOUT_S)
        client.connect(path)
        client.recv(4096)  # who it is
        answers = []
        for command in commands:
            client.send(command.encode())
            answers.append(json.loads(client.recv(16384)))
        return answers


def left_behind(pids: Collection[int], *folders: Path) -> set[Path]:
    """Files of these processes, which are gone: a trace has its process's number in its name.

    Looked for in shared memory, among hugepages, where DPDK may keep its folders of sockets
    (eal_filesystem.c), and in `folders`.
    """
    named = (os.environ.get(name) for name in ("RUNTIME_DIRECTORY", "XDG_RUNTIME_DIR"))
    runtime = {Path(base) / "dpdk" for base in (*named, "/var/run", "/tmp") if base}
    looked_at = {Path("/dev/shm"), Path("/dev/hugepages"), *runtime, *folders}
    there = {path for folder in looked_at if folder.is_dir() for path in folder.iterdir()}
    there |= {path for name in ("*planecast*", "rte*") for path in Path("/tmp").glob(name)}
    ours = {str(pid) for pid in pids}
    number = re.compile(r"(?<![0-9A-Za-z])\d+(?![0-9A-Za-z])")
    return {path for path in there if ours & set(number.findall(path.name))}
