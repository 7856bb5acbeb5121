"""The marked window: what the hook is asked, and what it reports."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest

from planecast.errors import RunError
from planecast.instruments.window import Window, first_frame, read_report, window_environment
from planecast.scenario.dataplanes.packets import Packets
from planecast.scenario.scenario import Scenario
from planecast.scenario.traffic import Traffic


@pytest.fixture
def window(tmp_path: Path) -> Window:
    return Window(
        packets=64,
        burst=32,
        lead=128,
        warmup=32,
        mark="callgrind",
        slower=60.0,
        report=tmp_path / "report.json",
    )


def test_what_the_hook_is_asked(window: Window) -> None:
    traffic = Traffic(frame_bytes=128, flows=7, seed=3)
    scenario = Scenario(name="s", traffic=traffic)
    given = window_environment(Path("/x/planecast-meter.so"), window, scenario)
    assert given["LD_PRELOAD"] == "/x/planecast-meter.so"
    assert given["PLANECAST_SLOWER"] == "60"
    asked = dict(word.split("=", 1) for word in given["PLANECAST_COUNT"].split())
    assert asked["frame"] == first_frame(128, Packets()).hex()
    del asked["frame"]
    assert asked == {
        "port": "0",
        "burst": "32",
        "lead": "128",
        "warmup": "32",
        "packets": "64",
        "report": str(window.report),
        "mark": "callgrind",
        "length": "124",
        "flows": "7",
        "seed": "3",
        "source_step": "1",
        "destination_step": "1",
    }


def test_headers_are_ethernet_ipv4_and_udp() -> None:
    frame = first_frame(128, Packets())
    assert len(frame) == 42
    assert frame[12:16] == b"\x08\x00\x45\x00"
    assert int.from_bytes(frame[16:18], "big") == 128 - 4 - 14
    assert frame[26:34] == bytes([10, 0, 0, 1, 11, 0, 0, 1])
    assert int.from_bytes(frame[38:40], "big") == 128 - 4 - 14 - 20


def write(window: Window, **changes: int) -> None:
    report = {"packets": 64, "polls": 2, "empty_polls": 0, "sent": 64} | changes
    window.report.write_text(json.dumps(report))


def test_a_whole_window(window: Window) -> None:
    write(window)
    assert read_report(window).polls == 2
    write(window, packets=96, polls=5, empty_polls=2)
    assert read_report(replace(window, packets=96)).packets == 96


def test_a_program_that_asks_for_fewer_at_a_time(window: Window) -> None:
    write(window, polls=4)
    with pytest.raises(RunError, match="64 packets came in 4 bursts and not 64 in bursts of 32"):
        read_report(window)


@pytest.mark.parametrize("text", [None, "", '{"packets": 64}'])
def test_no_window(window: Window, text: str | None) -> None:
    if text is not None:
        window.report.write_text(text)
    with pytest.raises(RunError, match="ended before its window of packets did"):
        read_report(window)
