"""Runs of a program until its window is over: what is seen of the packets that it sent."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from planecast.errors import RunError
from planecast.scenario import Scenario
from planecast.study import window_run
from planecast.study.window_run import run_window, window_of

Make = Callable[..., Scenario]
COMMAND = {"dataplane.kind": "command", "dataplane.command": "true {in_eal} {out_eal}"}


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
    asked = scenario(COMMAND if kind == "command" else {"dataplane.kind": kind})
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


def test_no_packet_comes_before_a_program_says_that_it_is_up(
    scenario: Make, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The file that the library waits for is there only then; the program here waits for it."""
    ready, own = tmp_path / "ready", tmp_path / "program"
    own.mkdir()
    code = (
        "import pathlib, time\n"
        f"ready = pathlib.Path({str(ready)!r})\n"
        "time.sleep(0.3)\n"
        "assert not ready.exists()\n"
        "print('routes are there', flush=True)\n"
        "while not ready.exists(): time.sleep(0.01)\n"
    )
    words = [sys.executable, "-c", code]
    asked = scenario(COMMAND | {"dataplane.ready": "routes are there"})
    window = window_of(asked, tmp_path, 100, 4, warmup=4, mark="callgrind", slower=1.0)
    assert (window.go, window.ready) == (None, ready)
    window_run._run(asked, words, own, window)
    assert ready.exists()
    monkeypatch.setattr(window_run, "_START_S", 0.5)
    asked = scenario(COMMAND)
    window = window_of(asked, tmp_path, 100, 4, warmup=4, mark="callgrind", slower=1.0)
    assert window.ready is None
    words = ["sh", "-c", "echo no such file: routes.txt; sleep 60"]
    with pytest.raises(RunError, match="counted no window of packets in 0 s") as late:
        window_run._run(asked, words, own, window)
    assert late.value.said == ("it still ran; it wrote last:", "no such file: routes.txt")
