"""What is said of long work where nobody watches a bar."""

from __future__ import annotations

import logging

import pytest

from planecast.cli.shared import progress as module
from planecast.cli.shared.progress import progress_bar


def test_a_log_has_a_line_now_and_then(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    now = 100.0
    monkeypatch.setattr(module.time, "monotonic", lambda: now)
    monkeypatch.setattr("sys.stderr.isatty", lambda: False)
    with caplog.at_level(logging.INFO), progress_bar("measuring") as progress:
        for step in range(9):
            now = 100.0 + step * module.LINE_EVERY_S / 4
            progress(step, 8, f"point {step}")
    assert caplog.messages == [
        "measuring: 0 %, point 0",
        "measuring: 50 %, point 4",
        "measuring: 100 %, point 8",
    ]
