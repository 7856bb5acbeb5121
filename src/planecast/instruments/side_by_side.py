"""Counting runs side by side, a CPU each: counts are exact, whatever else the machine does."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor, as_completed
from contextlib import contextmanager
from threading import BoundedSemaphore, Thread, current_thread
from typing import TypeVar

from planecast.process import children, end_children

_CPUS = max(1, os.cpu_count() or 1)
# Several counts may be under way at once, each with its runs: no more programs than CPUs at a
# time, for each has tables of its own in memory.
_SLOTS = BoundedSemaphore(_CPUS)


Run = TypeVar("Run")
Found = TypeVar("Found")


def side_by_side(
    runs: Sequence[Run],
    one: Callable[[Run], Found],
    progress: Callable[[int, int], None] | None = None,
) -> list[Found]:
    """What `one` finds in each run, in the order of `runs`.

    `progress` is called with runs done and runs in all. After a failure, also a Ctrl-C, no further
    run begins, and the failure is raised when those under way have ended; a Ctrl-C ends them.
    """

    failures: list[BaseException] = []

    def in_a_slot(run: Run) -> Found:
        with _SLOTS:
            # The thread that waits for the answers may hear of a failure late.
            if failures:
                raise failures[0]
            try:
                return one(run)
            except BaseException as error:
                failures.append(error)
                raise

    def report(done: int) -> None:
        if progress is not None:
            progress(done, len(runs))

    with worker_threads() as pool:
        report(0)
        futures: list[Future[Found]] = [pool.submit(in_a_slot, run) for run in runs]
        for done, future in enumerate(as_completed(futures), start=1):
            future.result()
            report(done)
        return [future.result() for future in futures]


@contextmanager
def worker_threads() -> Iterator[ThreadPoolExecutor]:
    """A thread for each CPU. They begin nothing more once the block has failed; an interrupt, which
    comes to the main thread alone, ends the programs that they wait for."""
    workers: list[Thread] = []
    before = children()
    pool = ThreadPoolExecutor(
        max_workers=_CPUS, initializer=lambda: workers.append(current_thread())
    )
    try:
        yield pool
    except KeyboardInterrupt:
        pool.shutdown(wait=False, cancel_futures=True)
        end_children(lambda: not any(worker.is_alive() for worker in workers), but=before)
        raise
    finally:
        pool.shutdown(cancel_futures=True)
