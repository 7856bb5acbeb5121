"""A sweep's processes that are killed leave no folder that the next command doesn't take away."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from planecast.cleanup import sweep_leftovers

POOL = """
import time
from planecast.sweep.workers import Workers
with Workers(2).executor() as (executor, _):
    print(executor.submit(len, "four").result(), flush=True)
    time.sleep(60)
"""


def test_a_killed_pool_leaves_no_folder(
    short_folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    environment = os.environ | {"TMPDIR": str(short_folder)}
    with subprocess.Popen(
        [sys.executable, "-c", POOL], stdout=subprocess.PIPE, env=environment
    ) as pool:
        assert pool.stdout is not None
        assert pool.stdout.readline() == b"4\n"
        pool.send_signal(signal.SIGKILL)
        pool.wait()
    (left,) = short_folder.iterdir()
    assert left.name.startswith(f"planecast-{pool.pid}-")
    monkeypatch.setattr("tempfile.tempdir", str(short_folder))
    monkeypatch.setattr("planecast.cleanup._runtime_bases", list)
    assert sweep_leftovers() == [left]
    until = time.monotonic() + 60
    while list(short_folder.iterdir()) and time.monotonic() < until:
        sweep_leftovers()  # a worker that is about to end may still write
    assert list(short_folder.iterdir()) == []
