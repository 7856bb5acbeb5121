"""Bytes and transactions a packet against the document's Table 16 and its sums."""

from __future__ import annotations

import pytest

from planecast.explain.pcie import Ports, expected

# Benchmarking and Analysis of Software Data Planes, Table 16: frame, Mpps, read and write MB/s.
TABLE_16 = [
    (64, 14.88, 1429, 1205),
    (128, 8.45, 1351, 1225),
    (200, 5.68, 1318, 1233),
    (256, 4.53, 1304, 1236),
    (384, 3.09, 1287, 1241),
    (512, 2.35, 1278, 1243),
    (768, 1.59, 1269, 1245),
    (1024, 1.20, 1264, 1246),
    (1280, 0.96, 1262, 1247),
    (1518, 0.81, 1260, 1248),
]


@pytest.mark.parametrize(("frame", "mpps", "read", "write"), TABLE_16)
def test_table_16(frame: int, mpps: float, read: int, write: int) -> None:
    line_rate = 10e9 / (8 * (frame + 20))
    assert line_rate / 1e6 == pytest.approx(mpps, abs=0.006)
    as_printed = expected(Ports(frame_bytes=frame, card_adds_fcs=False))
    assert as_printed.read_bytes * line_rate / 1e6 == pytest.approx(read, abs=0.6)
    assert as_printed.write_bytes * line_rate / 1e6 == pytest.approx(write, abs=0.6)
    # By the document's own formula the card adds 4 bytes, which its table doesn't take off.
    by_formula = expected(Ports(frame_bytes=frame))
    assert as_printed.read_bytes - by_formula.read_bytes == 4


def test_extended_descriptors_are_read_and_written_too() -> None:
    usual, extended = (expected(Ports(rx_descriptor_bytes=size)) for size in (16, 32))
    assert extended.read_bytes - usual.read_bytes == 16
    assert extended.write_bytes - usual.write_bytes == 16
    assert extended.read_lines - usual.read_lines == 0.25


def test_lines_and_tail_updates_of_64_byte_frames() -> None:
    found = expected(Ports())
    assert found.read_lines == 1 + 1 / 4 + 1 / 4
    assert (found.full_lines_least, found.full_lines_most) == (1, 1.25)
    assert found.partial_writes_least == 1 / 16
    assert found.mmio_writes == 2 / 32
