"""CPU time of pinned threads, in a tree that is made up and in our own process."""

from __future__ import annotations

import os
from pathlib import Path

from planecast.host.cpu_time import away_seconds, pinned_seconds, pinned_slices


def _task(proc: Path, number: int, allowed: str, nanoseconds: int) -> None:
    task = proc / "7/task" / str(number)
    task.mkdir(parents=True)
    (task / "status").write_text(f"Name:\tx\nCpus_allowed_list:\t{allowed}\nMems_allowed:\t1\n")
    (task / "schedstat").write_text(f"{nanoseconds} 5 6\n")


def test_threads_that_are_pinned_there_alone_count(tmp_path: Path) -> None:
    _task(tmp_path, 7, "0-1", 9_000_000_000)
    _task(tmp_path, 8, "1", 1_500_000_000)
    _task(tmp_path, 9, "0", 4_000_000_000)
    assert pinned_seconds(7, 1, tmp_path) == 1.5
    assert pinned_slices(7, 1, tmp_path) == 6
    assert pinned_seconds(7, 3, tmp_path) is None
    assert pinned_seconds(8, 1, tmp_path) is None


def test_time_away_is_what_it_waited_and_what_the_host_took(tmp_path: Path) -> None:
    _task(tmp_path, 8, "1", 1_500_000_000)
    waited_ns, ticks = 5, os.sysconf("SC_CLK_TCK")
    (tmp_path / "stat").write_text(f"cpu 0\ncpu0 0 0 0 0 0 0 0 7\ncpu1 0 0 0 0 0 0 0 {2 * ticks}\n")
    assert away_seconds(7, 1, tmp_path) == 2 + waited_ns / 1e9
    assert away_seconds(7, 0, tmp_path) is None


def test_the_kernel_counts_ours() -> None:
    allowed = os.sched_getaffinity(0)
    cpu = min(allowed)
    os.sched_setaffinity(0, {cpu})
    try:
        before = pinned_seconds(os.getpid(), cpu)
        sum(range(5_000_000))
        after = pinned_seconds(os.getpid(), cpu)
    finally:
        os.sched_setaffinity(0, allowed)
    assert before is not None
    assert after is not None
    assert after > before
