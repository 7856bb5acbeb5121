"""The data plane program as a person runs it, small tables, packets from pcap files."""

from __future__ import annotations

import json
import struct
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
from tests.programs import Control, Program, ask_telemetry, built, cpus, ini_text

SMALL: dict[str, dict[str, object]] = {
    "tables": {"acl_rules": 64, "flows": 64, "routes": 64},
    "traffic": {"flows": 64},
    "pool": {"mbufs": 4096},
}
"""Tables that are built in no time."""


@dataclass
class DataPlane(Program):
    """Runs the data plane in a folder of the test."""

    path: Path = field(default_factory=lambda: built("planecast-dataplane"))

    def config(self, **sections: Mapping[str, object]) -> Path:
        """Writes a configuration over the small one; one CPU forwards."""
        main, last = cpus()
        file = self.folder / "dataplane.ini"
        file.write_text(ini_text(SMALL, {"machine": {"lcores": last, "main_cpu": main}}, sections))
        return file

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
def dataplane(tmp_path: Path) -> DataPlane:
    """The program."""
    return DataPlane(tmp_path)


@pytest.fixture
def forward(dataplane: DataPlane) -> Callable[..., Forwarded]:
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
def generate(dataplane: DataPlane) -> Callable[..., list[bytes]]:
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


@pytest.fixture
def telemetry() -> Callable[..., list[dict[str, Any]]]:
    """Asks DPDK's telemetry socket."""
    return ask_telemetry
