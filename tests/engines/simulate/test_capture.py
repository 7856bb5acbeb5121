"""Captures: what is read of a pcap file, and the RSS hash of its packets."""

from __future__ import annotations

import struct
from pathlib import Path

import pytest

from planecast.engines.simulate import _simulator as sim
from planecast.engines.simulate.capture import read_capture, rss_hash
from planecast.errors import InputError


def pcap(frames: list[tuple[int, bytes]], order: str = "<", unit: int = 1) -> bytes:
    """A capture of (time in ns, frame); `unit` is 1 for nanoseconds, 1000 for microseconds."""
    magic = 0xA1B23C4D if unit == 1 else 0xA1B2C3D4
    data = struct.pack(f"{order}IHHiIII", magic, 2, 4, 0, 0, 65535, 1)
    for time, frame in frames:
        seconds, rest = divmod(time, 10**9)
        data += struct.pack(f"{order}IIII", seconds, rest // unit, len(frame), len(frame)) + frame
    return data


def udp(source: int, destination: int, ports: tuple[int, int], tags: int = 0) -> bytes:
    frame = bytes(12) + b"\x81\x00\x00\x01" * tags + b"\x08\x00"
    ip = struct.pack(">BBHHHBBHII", 0x45, 0, 28, 0, 0, 64, 17, 0, source, destination)
    return frame + ip + struct.pack(">HHHH", *ports, 8, 0)


@pytest.mark.parametrize("order", ["<", ">"])
@pytest.mark.parametrize("unit", [1, 1000])
def test_times_and_sizes(tmp_path: Path, order: str, unit: int) -> None:
    path = tmp_path / "c.pcap"
    start = 1_700_000_000_123_456_000
    path.write_bytes(
        pcap([(start, bytes(60)), (start + 5000, bytes(30)), (start + 15000, bytes(1514))], order,
             unit)
    )  # fmt: skip
    capture = read_capture(path)
    assert capture.times_ns == (0.0, 5000.0, 15000.0)
    assert capture.frame_bytes == (64, 64, 1518)
    assert capture.rate_pps == pytest.approx(2 / 15e-6)
    faster = capture.at_rate(1e6)
    assert faster.times_ns == pytest.approx((0, 2000 / 3, 2000))
    assert faster.rate_pps == pytest.approx(1e6)


@pytest.mark.parametrize("packets", [1, 4])
def test_packets_of_one_instant_come_once_a_second_or_at_the_rate_that_is_asked(
    tmp_path: Path, packets: int
) -> None:
    path = tmp_path / "c.pcap"
    path.write_bytes(pcap([(1_000_000_000, bytes(60))] * packets, "<", 1))
    capture = read_capture(path)
    assert capture.rate_pps == pytest.approx(packets)
    faster = capture.at_rate(1e6)
    assert faster.rate_pps == pytest.approx(1e6)
    assert faster.gap_ns == pytest.approx(packets * 1000)


def test_the_hash_is_the_one_that_microsoft_published() -> None:
    """Verification values of "Verifying the RSS Hash Calculation", IPv4 with and without ports."""
    source, destination = bytes([66, 9, 149, 187]), bytes([161, 142, 100, 80])
    ports = struct.pack(">HH", 2794, 1766)
    assert sim.toeplitz(source + destination + ports) == 0x51CCC178
    assert sim.toeplitz(source + destination) == 0x323E8FC2


@pytest.mark.parametrize("tags", [0, 1, 2])
def test_the_hash_of_frames_is_that_of_the_core(tags: int) -> None:
    """The core steers flow 0 of one class to the queue that our hash of the same tuple says."""
    for host in range(20):
        frame = udp(0x0A000001, 0xC6120001 + host, (1024, 80), tags)
        flow = sim.FlowClass(destination_ip=0xC6120001 + host)
        model = sim.Model(
            sources=[sim.Source(port="p", arrivals=sim.Arrivals(rate_pps=1e6), classes=[flow])],
            ports=[sim.Port(name="p", rx_queues=4)],
            cores=[
                sim.Core(
                    name=f"c{q}",
                    tasks=[sim.Task(name="t", input=sim.Input(name="p", queue=q))],
                )
                for q in range(4)
            ],
            run=sim.Run(duration_ns=1e4),
        )
        entered = [queue.entered for queue in sim.simulate(model).queues]
        assert entered.index(max(entered)) == rss_hash(frame) % 128 % 4


def test_what_is_no_ipv4_has_no_hash() -> None:
    assert rss_hash(bytes(60)) == 0
    assert rss_hash(b"") == 0
    assert rss_hash(udp(1, 2, (3, 4))[:20]) == 0


@pytest.mark.parametrize(
    ("data", "sentence"),
    [
        (b"", "this is not a pcap file"),
        (b"\x0a\x0d\x0d\x0a" + bytes(40), "pcapng format; convert it: editcap -F pcap"),
        (pcap([]), "the capture has no packets"),
        (pcap([(0, bytes(60))])[:-1], "the capture ends within a packet"),
        (pcap([(0, bytes(60))])[:30], "the capture ends within a packet"),
        (pcap([])[:20] + struct.pack("<I", 113), "link type 113, not Ethernet"),
    ],
)
def test_other_files_are_sentences(tmp_path: Path, data: bytes, sentence: str) -> None:
    path = tmp_path / "c.pcap"
    path.write_bytes(data)
    with pytest.raises(InputError) as error:
        read_capture(path)
    assert str(error.value).startswith(str(path))
    assert sentence in str(error.value)


def test_no_file(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="can't read the capture: No such file"):
        read_capture(tmp_path / "absent")
