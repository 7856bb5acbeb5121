"""The data plane program as a person runs it, small tables, packets from pcap files."""

from __future__ import annotations

import contextlib
import json
import os
import signal
import socket
import struct
import subprocess
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from planecast.native import native_folder

TIMEOUT_S = 60
SMALL: dict[str, dict[str, object]] = {
    "tables": {"acl_rules": 64, "flows": 64, "routes": 64},
    "traffic": {"flows": 64},
    "pool": {"mbufs": 4096},
}
"""Tables that are built in no time; one forwarding CPU, the last that there is."""

Sections = Mapping[str, Mapping[str, object]]


def program() -> Path:
    """The program, or the test is skipped: a machine without libdpdk has none."""
    path = native_folder() / "planecast-dataplane"
    if not os.access(path, os.X_OK):
        pytest.skip("planecast-dataplane is not built")
    return path


def config_text(sections: Sections) -> str:
    cpus = sorted(os.sched_getaffinity(0))
    merged: dict[str, dict[str, object]] = {name: dict(keys) for name, keys in SMALL.items()}
    merged["machine"] = {"lcores": cpus[-1], "main_cpu": cpus[0]}
    for name, keys in sections.items():
        merged.setdefault(name, {}).update(keys)
    lines: list[str] = []
    for name, keys in merged.items():
        lines += [f"[{name}]", *(f"{key} = {value}" for key, value in keys.items())]
    return "\n".join(lines) + "\n"


@dataclass
class Program:
    """Runs the program in a folder of the test."""

    folder: Path
    path: Path = field(default_factory=program)
    pids: list[int] = field(default_factory=list)
    """Of all the processes that it was."""

    def config(self, **sections: Mapping[str, object]) -> Path:
        """Writes a configuration over the small one."""
        file = self.folder / "dataplane.ini"
        file.write_text(config_text(sections))
        return file

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

    def once(
        self, *words: str, eal: Iterable[str] = (), **sections: Mapping[str, object]
    ) -> dict[str, Any]:
        """One run that has to end well; its JSON."""
        done = self.run(self.config(**sections), *words, *(("--", *eal) if eal else ()))
        assert done.returncode == 0, done.stderr
        answer: dict[str, Any] = json.loads(done.stdout)
        assert answer["conserved"]
        gone = answer["packets_out"] + sum(answer["drops"].values())
        assert answer["packets_in"] + answer["copies"] == gone + answer["in_flight"]
        return answer

    def control(self, *eal: str, **sections: Mapping[str, object]) -> Control:
        """Starts it under control; a context manager."""
        command = [str(self.path), str(self.config(**sections)), "--control"]
        control = Control([*command, "--", *eal] if eal else command)
        self.pids.append(control.process.pid)
        return control


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
        return self.process.wait(10)


@dataclass(frozen=True)
class Forwarded:
    """What came out of one run over a pcap file."""

    answer: dict[str, Any]
    frames: list[bytes]

    @property
    def drops(self) -> dict[str, int]:
        """The causes that dropped anything."""
        return {cause: count for cause, count in self.answer["drops"].items() if count}


PCAP_HEADER = struct.Struct("<IHHiIII")
RECORD_HEADER = struct.Struct("<IIII")
MAGIC, ETHERNET, SNAPLEN = 0xA1B2C3D4, 1, 65535


def write_pcap(path: Path, frames: Iterable[bytes]) -> None:
    with path.open("wb") as file:
        file.write(PCAP_HEADER.pack(MAGIC, 2, 4, 0, 0, SNAPLEN, ETHERNET))
        for frame in frames:
            file.write(RECORD_HEADER.pack(0, 0, len(frame), len(frame)) + frame)


def read_pcap(path: Path) -> Iterator[bytes]:
    data = path.read_bytes()
    at = PCAP_HEADER.size
    while at < len(data):
        captured, length = RECORD_HEADER.unpack_from(data, at)[2:]
        at += RECORD_HEADER.size
        assert captured == length, "the file cut a frame off"
        yield data[at : at + captured]
        at += captured


@pytest.fixture
def dataplane(tmp_path: Path) -> Program:
    """The program."""
    return Program(tmp_path)


@pytest.fixture
def forward(dataplane: Program) -> Callable[..., Forwarded]:
    """Sends frames through the data plane, by way of pcap files.

    `seconds` end a run whose lcores wait for packets that never come; the clock is looked at only
    after 64 bursts, so that the file's packets are through however slow the machine is.
    """

    def run(
        frames: Iterable[bytes], seconds: float = 5, **sections: Mapping[str, object]
    ) -> Forwarded:
        into, out = dataplane.folder / "in.pcap", dataplane.folder / "out.pcap"
        sent = list(frames)
        write_pcap(into, sent)
        answer = dataplane.once(
            "--packets",
            str(len(sent)),
            "--seconds",
            str(seconds),
            eal=("--vdev", f"net_pcap0,rx_pcap={into},tx_pcap={out}"),
            **(sections | {"ports": {"rx": 0, "tx": 0}}),
        )
        assert answer["packets_in"] == len(sent)
        found = list(read_pcap(out))
        assert answer["packets_out"] == len(found)
        return Forwarded(answer, found)

    return run


@pytest.fixture
def generate(dataplane: Program) -> Callable[..., list[bytes]]:
    """The frames that the in-process source makes."""

    def run(packets: int, **sections: Mapping[str, object]) -> list[bytes]:
        out = dataplane.folder / "out.pcap"
        dataplane.once(
            "--packets",
            str(packets),
            eal=("--vdev", f"net_pcap0,tx_pcap={out}"),
            **({"pipeline": {"stages": "none"}} | sections | {"ports": {"tx": 0}}),
        )
        return list(read_pcap(out))

    return run


def ask_telemetry(path: str, *commands: str) -> list[dict[str, Any]]:
    """Answers of DPDK's telemetry socket."""
    with socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET) as client:
        client.settimeout(10)
        client.connect(path)
        client.recv(4096)  # who it is
        answers = []
        for command in commands:
            client.send(command.encode())
            answers.append(json.loads(client.recv(16384)))
        return answers


@pytest.fixture
def telemetry() -> Callable[..., list[dict[str, Any]]]:
    """Asks DPDK's telemetry socket."""
    return ask_telemetry
