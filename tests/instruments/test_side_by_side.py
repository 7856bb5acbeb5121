"""Runs side by side: order, progress, and an end after a failure."""

from __future__ import annotations

import threading

import pytest

from planecast.errors import RunError
from planecast.instruments import side_by_side as room
from planecast.instruments.side_by_side import side_by_side


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
