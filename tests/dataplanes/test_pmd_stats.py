"""A switch's own counters of its work."""

import pytest

from planecast.dataplanes.pmd_stats import PmdWork, parse_pmd_work

STATS = """\
pmd thread numa_id 0 core_id 1:
  packets received: 2778144
  avg. packets per output batch: 32.00
  idle cycles: 388965330 (55.35%)
  processing cycles: 313732562 (44.65%)
  avg cycles per packet: 252.94 (702697892/2778144)
  avg processing cycles per packet: 112.93 (313732562/2778144)
pmd thread numa_id 0 core_id 2:
  packets received: 1000
  processing cycles: 438 (1.00%)
pmd thread numa_id 0 core_id 3:
  packets received: 0
main thread:
  packets received: 9999999
"""


def test_all_threads_together() -> None:
    assert parse_pmd_work(STATS) == PmdWork(2779144, 313733000)
    assert parse_pmd_work("main thread:\n  packets received: 0\n") == PmdWork(0, 0)


def test_cycles_a_packet_between_two_readings() -> None:
    before = PmdWork(1000, 100_000)
    assert PmdWork(3000, 300_000).since(before) == pytest.approx(100)
    assert before.since(before) is None
    # Cleared between them, or another thread.
    assert PmdWork(200, 20_000).since(before) is None
