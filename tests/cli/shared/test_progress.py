"""What is said of long work: in a log, and in a terminal."""

from __future__ import annotations

import io
import logging

import pytest

from planecast.cli.shared import progress as module
from planecast.cli.shared.progress import TimeLeft, progress_bar


class Clock:
    """A clock that a test sets."""

    def __init__(self) -> None:
        self.now = 100.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    made = Clock()
    monkeypatch.setattr(module.time, "monotonic", made)
    return made


def test_a_log_has_a_line_now_and_then(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture, clock: Clock
) -> None:
    monkeypatch.setattr("sys.stderr.isatty", lambda: False)
    with caplog.at_level(logging.INFO), progress_bar("measuring") as progress:
        for step in range(9):
            clock.now = 100.0 + step * module.LINE_EVERY_S / 4
            progress(step, 8, f"point {step}")
    assert caplog.messages == [
        "measuring: 0 %, 0:00 so far, point 0",
        "measuring: 50 %, about 0:02 left, point 4",
        "measuring: 100 %, 0:04 so far, point 8",
    ]


def test_time_left_follows_the_pace_of_what_is_new(clock: Clock) -> None:
    left = TimeLeft()
    left.update(600, 1000)  # resumed: these were done before
    clock.now += 5
    assert str(left) == "0:05 so far"
    left.update(700, 1000)
    assert str(left) == "about 0:15 left"
    clock.now += 3595
    left.update(701, 1000)
    assert str(left) == "about 2:57:37 left"
    left.update(1000, 1000)
    assert str(left) == "1:00:00 so far", "at the end nothing of it is left, and it isn't over"


def test_no_pace_is_known_from_what_was_done_at_once(clock: Clock) -> None:
    left = TimeLeft()
    left.update(0, 100)
    clock.now += 0.1
    left.update(4, 100)  # a remembered probe
    assert str(left) == "0:00 so far", "not 2 s left"
    clock.now += 50
    assert str(left) == "0:50 so far", "and no 20 minutes either"
    left.update(20, 100)
    assert str(left) == "about 3:20 left"
    clock.now += 60
    assert str(left) == "about 3:20 left", "no pace is learned while nothing is done"


def test_a_bar_says_what_is_done_how_long_and_what_now(
    monkeypatch: pytest.MonkeyPatch, clock: Clock
) -> None:
    terminal = io.StringIO()
    monkeypatch.setattr(terminal, "isatty", lambda: True)
    monkeypatch.setattr("sys.stderr", terminal)
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setenv("COLUMNS", "80")
    with progress_bar("sweeping") as progress:
        progress(0, 4, "starting")
        clock.now += 10
        progress(1, 4, "[red] a point with a very long name " + "x" * 80)
    said = terminal.getvalue()
    assert "25 %" in said
    assert "about 0:30 left" in said
    assert "[red] a point" in said, "words are no markup"
    assert "…" in said, "and stay on their line"
