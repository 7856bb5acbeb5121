"""Signals that end a command."""

from __future__ import annotations

import signal
import subprocess
import sys

import pytest

LATE = """
import os, time
from planecast.cli import app

class Late:
    def __del__(self):
        os.kill(os.getpid(), {number})
        for _ in range(1000):
            pass  # the handler runs here, where nothing can be raised

def verb():
    Late()
    time.sleep(30)

app._run = verb
app.main()
"""


@pytest.mark.parametrize(
    ("number", "code", "said"),
    [(signal.SIGTERM, 143, "ended by SIGTERM"), (signal.SIGINT, 130, "interrupted")],
)
def test_an_interrupt_within_a_finaliser_is_not_lost(number: int, code: int, said: str) -> None:
    script = LATE.format(number=int(number))
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, timeout=25, check=False
    )
    assert (done.returncode, done.stderr) == (code, f"planecast: {said}\n")
