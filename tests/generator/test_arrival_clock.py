"""When a packet came: the clock is read after the loads that brought it.

A processor may read the clock first, so that latencies are too short; no run shows that for
certain. So the compiled code is looked at: in the receiver's loop a fence stands before the clock
that packets are timed by.
"""

from __future__ import annotations

import re
import shutil
import subprocess

import pytest
from tests.programs import built


@pytest.mark.parametrize("program", ["planecast-generator", "planecast-generator-v3"])
def test_a_fence_stands_before_the_clock_of_arrivals(program: str) -> None:
    objdump = shutil.which("objdump")
    if objdump is None:
        pytest.skip("objdump is not here (package binutils)")
    words = [objdump, "-d", "--no-show-raw-insn", "--disassemble=receiver_turn", built(program)]
    text = subprocess.run(words, capture_output=True, text=True, check=True).stdout
    code = [found[1] for found in re.finditer(r"^\s+[0-9a-f]+:\s+(\w+)", text, re.M)]
    assert "rdtsc" in code, "the receiver's loop is not in receiver_turn any more"
    after = [code[place + 1 : place + 4] for place, word in enumerate(code) if word == "lfence"]
    assert any("rdtsc" in words_after for words_after in after)
