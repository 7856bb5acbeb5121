"""Data between sockets: from flits to bytes a packet, whatever counted them."""

from __future__ import annotations

from pathlib import Path

import pytest

from planecast.errors import InputError
from planecast.explain.counters.uncore import Setup, read_uncore
from planecast.explain.links import explain_links
from planecast.explain.shown import Shown
from planecast.instruments.recorded import Count, Recording, read_recording

PCM = """\
System,,SKT0,SKT0dataIn,SKT0dataIn,SKT1dataIn,SKT0dataOut
Date,Time,IPC,UPI0,UPI1,UPI0,UPI0
2026-11-22,08:00:00,1.5,100,50,20,30
2026-11-22,08:00:01,1.5,200,50,20,30
"""


def test_nine_flits_of_upi_are_a_line() -> None:
    found = explain_links(
        {"UNC_UPI_TxL_FLITS.ALL_DATA": 9e6, "unc_upi_rxl_flits.all_data": 4.5e6}, 1e6
    )
    assert "0.064 GB/s sent and 0.032 GB/s received, 64 B a packet" in found.findings[0]
    assert "bind cores, memory and card" in found.out_of_line[0]


def test_a_flit_of_qpi_is_eight_bytes() -> None:
    found = explain_links({"UNC_Q_TxL_FLITS_G0.DATA": 1e6}, 10e6)
    assert found.findings == ("data between sockets: 0.008 GB/s sent, 0.8 B a packet",)
    assert found.out_of_line == ()


def test_reads_from_other_sockets_are_a_share() -> None:
    events = {
        "UNC_CHA_TOR_INSERTS.IA_MISS_DRD_LOCAL": 6e6,
        "UNC_CHA_TOR_INSERTS.IA_MISS_DRD_PREF_LOCAL": 2e6,
        "UNC_CHA_TOR_INSERTS.IA_MISS_DRD_REMOTE": 2e6,
    }
    found = explain_links(events, None)
    assert found.findings == ("20.0% of the reads from memory went to another socket's",)
    assert "20% of the reads" in found.out_of_line[0]
    local = {name: value for name, value in events.items() if name.endswith("LOCAL")}
    assert explain_links(local, None) == Shown()


def test_what_can_not_be_is_refused() -> None:
    with pytest.raises(InputError, match=r"impossible.*; record it again"):
        explain_links({"UNC_UPI_TxL_FLITS.ALL_DATA": 1.8e19}, 1e6)


def test_perf_and_pcm_report_links(tmp_path: Path) -> None:
    counts = (Count("UNC_UPI_TxL_FLITS.ALL_DATA", 18e6, round=2.0, place="S0"),)
    perf = read_uncore(Recording("perf stat", counts=counts, seconds=2.0), Setup(pps=1e6))
    assert "64 B a packet" in perf.findings[0]
    file = tmp_path / "pcm.csv"
    file.write_text(PCM)
    pcm = read_uncore(read_recording(file), Setup(pps=1e6))
    assert "0.03 GB/s sent and 0.22 GB/s received, 30 B a packet" in pcm.findings[0]
