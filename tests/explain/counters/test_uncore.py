"""PCIe, memory and other cores out of recordings, as the tools wrote them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from planecast.errors import InputError
from planecast.explain.counters.uncore import Setup, explain_uncore, read_uncore
from planecast.explain.memory import MemoryLimits
from planecast.instruments.recorded import Count, Recording, read_recording

PCIE = """\
Skt,PCIeRdCur,RFO,CRd,DRd,ItoM,PRd,WiL
0,45 M,8587 K,449 K,102 M,33 M,0,1891 K,(Total)
0,0,0,24,3276,0,0,1892 K,(Miss)
0,45 M,8587 K,449 K,102 M,33 M,0,0,(Hit)
1,0,0,79 K,66 K,0,0,0,(Total)
1,0,0,0,5532,0,0,0,(Miss)
1,0,0,79 K,61 K,0,0,0,(Hit)
"""
MEMORY = """\
,,SKT0,SKT0,SKT0,SKT0,SKT1,SKT1
Date,Time,Ch0Read,Ch0Write,Ch1Read,Ch1Write,Ch0Read,Ch0Write
2026-11-22,08:00:00.1,1000,500,1000,500,0,0
2026-11-22,08:00:01.1,3000,500,3000,500,0,0
"""


def recorded(folder: Path, text: str) -> Recording:
    path = folder / "recorded.csv"
    path.write_text(text)
    return read_recording(path)


def test_the_documents_pcie_table_as_the_tool_writes_it(tmp_path: Path, printed: Any) -> None:
    found = read_uncore(recorded(tmp_path, PCIE), Setup(pps=printed.pps))
    text = " ".join(found.findings)
    assert "all that devices move is on socket 0" in text
    assert "43% of the Rx descriptors (less than half)" in text
    assert found.out_of_line == ()


def test_channels_are_averaged_over_the_intervals(tmp_path: Path) -> None:
    limits = MemoryLimits(channels=2, transfers=2400e6, reached=30e9, idle_ns=90.0)
    setup = Setup(pps=1e6, memory=limits)
    found = read_uncore(recorded(tmp_path, MEMORY), setup)
    assert (
        "socket 0: 4 GB/s read, 1 GB/s written, 13% of 8 B × MT/s × channels" in found.findings[0]
    )
    assert "5,000 bytes a packet" in " ".join(found.findings)
    # a sixth of what is reached: a little above the idle latency
    assert "a line takes about 95 ns at this load" in found.findings[1]


def test_perfs_memory_controllers_are_channels() -> None:
    counts = tuple(
        Count(f"uncore_imc_{channel}/cas_count_{way}/", mebibytes, round=2.0, place=place)
        for place in ("S0-D0", "S1-D0")
        for channel in (0, 3)
        for way, mebibytes in (("read", 2000.0), ("write", 1000.0))
    )
    found = read_uncore(Recording("perf stat", counts=counts, seconds=2.0), Setup(pps=1e6))
    assert found.findings[0].startswith("socket 0: 2.1 GB/s read, 1.05 GB/s written")
    assert found.findings[1].startswith("socket 1: 2.1 GB/s read")
    assert "6,291 bytes a packet" in found.findings[2]


def test_perfs_counts_become_rates() -> None:
    counts = tuple(
        Count(name, value, round=at)
        for at in (1.0, 2.0)
        for name, value in (
            ("MEM_LOAD_L3_HIT_RETIRED.XSNP_HITM", 2e6),
            ("UNC_CHA_TOR_INSERTS.IO_HIT_ITOM", 1e6),
            ("UNC_CHA_TOR_INSERTS.IO_MISS_ITOM", 1e6),
        )
    )
    recording = Recording("perf stat", counts=counts, seconds=2.0)
    found = read_uncore(recording, Setup(pps=1e6))
    text = " ".join((*found.findings, *found.out_of_line))
    assert "2 loads found a line modified in another core's cache (HITM) a packet" in text
    assert "50% of the card's writes miss" in text
    assert read_uncore(recording, Setup()).findings == ()
    assert len(read_uncore(recording, Setup()).unknown) == 2


def test_a_recording_of_the_cores_alone_has_no_rest() -> None:
    recording = Recording("perf stat", counts=(Count("cycles", 1e9),), seconds=1.0)
    found = read_uncore(recording, Setup(pps=1e6))
    assert (found.findings, found.out_of_line, found.unknown) == ((), (), ())


def test_what_is_impossible_is_refused(tmp_path: Path) -> None:
    broken = PCIE.replace("33 M,0,1891 K,(Total)", "18446744073709551615,0,1891 K,(Total)")
    with pytest.raises(InputError, match="impossible"):
        explain_uncore(recorded(tmp_path, broken), "x", Setup(pps=1e6))


@pytest.mark.parametrize("value", ["-3000", "5e30"])
def test_a_channel_that_can_not_be_is_refused(tmp_path: Path, value: str) -> None:
    broken = recorded(tmp_path, MEMORY.replace("3000,500,3000", f"{value},500,3000"))
    with pytest.raises(InputError, match="which no memory channel moves; the counter ran over"):
        explain_uncore(broken, "x", Setup(pps=1e6))
