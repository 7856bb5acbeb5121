"""Runs of a program until its window is over: what is seen of the packets that it sent."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from planecast.errors import RunError
from planecast.scenario import Scenario
from planecast.study import window_run
from planecast.study.window_run import run_window, window_of

Make = Callable[..., Scenario]


@pytest.mark.parametrize(
    ("sent", "reported", "notes"), [(95, "true", 0), (0, "false", 1), (80, "true", None)]
)
@pytest.mark.parametrize("kind", ["testpmd", "command"])
def test_what_no_port_sent_is_refused_whatever_the_program(
    scenario: Make,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    *,
    kind: str,
    sent: int,
    reported: str,
    notes: int | None,
) -> None:
    changes = {"dataplane.kind": kind}
    if kind == "command":
        changes["dataplane.command"] = "true {in_eal} {out_eal}"
    asked = scenario(changes)
    window = window_of(asked, tmp_path, 100, 4, warmup=4, mark="callgrind", slower=1.0)
    saw = f'"polls": 25, "empty_polls": 0, "sent": {sent}, "sent_reported": {reported}'
    window.report.write_text(f'{{"packets": 100, {saw}}}')
    monkeypatch.setattr(window_run, "meter_library", lambda kind: tmp_path / "meter.so")
    monkeypatch.setattr(window_run, "program_words", lambda *_: ["program"])
    monkeypatch.setattr(window_run, "_run", lambda *_: None)
    if notes is None:
        with pytest.raises(RunError, match="only 80 of 100 packets came out"):
            run_window(asked, tmp_path, lambda given: [], window)
    else:
        assert len(run_window(asked, tmp_path, lambda given: [], window)) == notes
