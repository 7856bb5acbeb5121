"""A line of programs is ready when the program that forwards polls."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from types import SimpleNamespace
from typing import Any

import pytest

from planecast.dataplanes.dut_chain import DutChain
from planecast.errors import RunError
from planecast.host.cpu_time import pinned_seconds
from planecast.scenario import Scenario, with_overrides

LATE = """
import os, threading, time
def poll():
    os.sched_setaffinity(0, {CPU})
    time.sleep(0.2)
    while True: pass
threading.Thread(target=poll).start()
"""


def _system(process: subprocess.Popen[bytes]) -> Any:
    def check() -> None:
        if process.poll() is not None:
            raise RunError("it ended")

    return SimpleNamespace(pid=process.pid, name="late", check=check)


def test_a_thread_that_does_not_poll_yet_is_waited_for() -> None:
    cpu = max(os.sched_getaffinity(0))
    line = DutChain(with_overrides(Scenario(name="s"), {"placement.cpus": str(cpu)}), 0)
    began = time.monotonic()
    with subprocess.Popen([sys.executable, "-c", LATE.replace("CPU", str(cpu))]) as process:
        try:
            line._wait_until_polling(_system(process), cpu)
            assert time.monotonic() - began > 0.2
            assert (pinned_seconds(process.pid, cpu) or 0) > 0.004
        finally:
            process.kill()
        process.wait()
        with pytest.raises(RunError, match="it ended"):
            line._wait_until_polling(_system(process), cpu)
