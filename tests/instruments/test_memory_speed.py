"""Memory as measured against what the machine should have."""

from __future__ import annotations

from pathlib import Path

import pytest

from planecast.host.root import Root
from planecast.instruments import memory_speed
from planecast.instruments.memory_speed import (
    MemorySpeed,
    check_memory_speed,
    expected_latency_ns,
)


def machine(folder: Path, model: str) -> Root:
    (folder / "proc").mkdir()
    (folder / "proc/cpuinfo").write_text(f"processor : 0\nmodel name : {model}\n")
    return Root(folder)


@pytest.mark.parametrize(
    ("model", "ns"),
    [
        ("Intel(R) Xeon(R) Gold 6140 CPU @ 2.30GHz", 80.8),
        ("Intel(R) Xeon(R) CPU E5-2699 v4 @ 2.20GHz", 90.0),
        ("AMD EPYC 9354 32-Core Processor", 110.0),
        ("Intel(R) Xeon(R) Processor", None),
        ("Intel(R) Xeon(R) CPU E5-2600 v9", None),
    ],
)
def test_the_catalogue_knows_some_processors(tmp_path: Path, model: str, ns: float | None) -> None:
    found = expected_latency_ns(machine(tmp_path, model))
    assert (found and found[0]) == ns


@pytest.mark.parametrize(
    ("expected", "all_cores", "state"),
    [
        (100e9, 70e9, "good"),
        (100e9, 19e9, "note"),  # two CPUs of 10 GB/s each can't ask for more
        (100e9, 12e9, "limits"),
        (None, 12e9, "note"),
    ],
)
def test_bandwidth_against_the_channels(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    expected: float | None,
    all_cores: float,
    state: str,
) -> None:
    monkeypatch.setattr(memory_speed, "expected_bytes_per_second", lambda found: expected)
    speed = MemorySpeed(latency_ns=90.0, one_core=10e9, all_cores=all_cores, cpus=2)
    bandwidth, latency = check_memory_speed(machine(tmp_path, "Unknown"), speed)
    assert bandwidth.state == state
    assert ("expected: unknown" in bandwidth.found) == (expected is None)
    assert "expected: unknown" in latency.found


@pytest.mark.parametrize(("ns", "state"), [(95.0, "good"), (138.0, "limits")])
def test_latency_against_the_catalogue(tmp_path: Path, ns: float, state: str) -> None:
    speed = MemorySpeed(latency_ns=ns, one_core=10e9, all_cores=20e9, cpus=2)
    _, latency = check_memory_speed(machine(tmp_path, "Xeon(R) Gold 6140"), speed)
    assert latency.state == state
    assert "expected of Intel Xeon Gold 6140: 81" in latency.found


def test_what_was_not_measured_says_how(tmp_path: Path) -> None:
    for check in check_memory_speed(machine(tmp_path, "x"), None):
        assert (check.state, check.found) == ("note", "not measured")
        assert "--probe" in check.meaning
