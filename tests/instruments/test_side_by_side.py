"""Runs side by side: order, progress, and an end after a failure."""

from __future__ import annotations

import subprocess
import sys
import threading
import time

import pytest

from planecast.errors import RunError
from planecast.instruments import side_by_side as room
from planecast.instruments.side_by_side import side_by_side, worker_threads
from planecast.instruments.tool import run_tool


def test_answers_come_in_the_order_of_the_runs() -> None:
    second_is_done = threading.Event()

    def one(run: int) -> int:
        if run == 1 and room._CPUS > 1:
            assert second_is_done.wait(30)
        else:
            second_is_done.set()
        return 10 * run

    seen: list[tuple[int, int]] = []
    found = side_by_side([1, 2, 3], one, lambda done, total: seen.append((done, total)))
    assert found == [10, 20, 30]
    assert seen == [(0, 3), (1, 3), (2, 3), (3, 3)]


def test_a_failure_begins_no_further_run(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(room, "_CPUS", 1)
    begun = []

    def one(run: int) -> int:
        begun.append(run)
        raise RunError(f"run {run} failed")

    with pytest.raises(RunError, match="run 0 failed"):
        side_by_side(range(100), one)
    assert begun == [0]


def test_counts_under_way_together_share_the_cpus(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(room, "_CPUS", 4)
    monkeypatch.setattr(room, "_SLOTS", threading.BoundedSemaphore(1))
    running, most = 0, 0

    def one(run: int) -> int:
        nonlocal running, most
        running += 1
        most = max(most, running)
        running -= 1
        return run

    assert side_by_side([1, 2, 3, 4], one) == [1, 2, 3, 4]
    assert most == 1


def test_an_interrupt_ends_what_threads_wait_for() -> None:
    """It reaches the main thread alone; a trace may take a quarter of an hour. One thread has a
    next program to start, another one ignores SIGTERM."""

    deaf = "import signal, time; signal.signal(15, signal.SIG_IGN); time.sleep(60)"

    def interrupted() -> None:
        with worker_threads() as pool:
            pool.submit(lambda: [run_tool(["sleep", "60"], 120.0) for _ in range(2)])
            pool.submit(run_tool, [sys.executable, "-c", deaf], 120.0)
            time.sleep(0.5)
            raise KeyboardInterrupt

    began = time.monotonic()
    with subprocess.Popen(["sleep", "60"]) as another:
        with pytest.raises(KeyboardInterrupt):
            interrupted()
        assert time.monotonic() - began < 30
        assert another.poll() is None
        another.kill()


def test_a_failure_ends_nothing_that_is_under_way() -> None:
    found: list[str] = []

    def failed() -> None:
        with worker_threads() as pool:
            pool.submit(lambda: found.append(run_tool(["sh", "-c", "sleep 0.5; echo done"], 60.0)))
            time.sleep(0.1)
            raise RunError("no")

    with pytest.raises(RunError, match="no"):
        failed()
    assert found == ["done\n"]
