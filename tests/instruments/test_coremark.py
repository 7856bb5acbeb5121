"""Reading a CoreMark binary that somebody else built: what it prints, and what can go wrong."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from planecast.errors import MissingError, RunError
from planecast.instruments import coremark
from planecast.instruments.coremark import read_score, run_coremark

OUTPUT = """2K performance run parameters for coremark.
CoreMark Size    : 666
Total ticks      : 13265
Total time (secs): 13.265000
Iterations/Sec   : 30154.542028
Iterations       : 400000
Compiler version : GCC12.2.0
Compiler flags   : -O2 -DPERFORMANCE_RUN=1  -lrt
Memory location  : Please put data memory location here
\t\t\t(e.g. code in flash, data on heap etc)
seedcrc          : 0xe9f5
[0]crclist       : 0xe714
[0]crcmatrix     : 0x1fd7
[0]crcstate      : 0x8e3a
[0]crcfinal      : 0x65c5
Correct operation validated. See README.md for run and reporting rules.
CoreMark 1.0 : 30154.542028 / GCC12.2.0 -O2 -DPERFORMANCE_RUN=1  -lrt / Heap
"""


def program(folder: Path, script: str) -> Path:
    path = folder / "coremark.exe"
    path.write_text(f"#!/bin/sh\n{script}\n")
    path.chmod(0o755)
    return path


def test_a_score(tmp_path: Path) -> None:
    (tmp_path / "said").write_text(OUTPUT)
    score = run_coremark(program(tmp_path, f"cat {tmp_path}/said"), cpu=0)
    assert (score.iterations_per_s, score.seconds) == (30154.542028, 13.265)
    assert (score.compiler, score.flags) == ("GCC12.2.0", "-O2 -DPERFORMANCE_RUN=1  -lrt")


def test_lines_are_found_by_name() -> None:
    """In any order, with lines more, and without those that only describe."""
    lines = [line for line in OUTPUT.splitlines() if not line.startswith("Compiler")]
    score = read_score("\n".join(["new : 1", *reversed(lines)]), "it")
    assert (score.iterations_per_s, score.compiler, score.flags) == (30154.542028, "", "")


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        ("Iterations/Sec", "Iterations per s", "it: it printed no line 'Iterations/Sec'"),
        ("Total time", "Time", "it printed no line 'Total time (secs)'"),
        ("30154.542028\nIter", "inf\nIter", "it says 'inf' as 'Iterations/Sec'"),
        ("30154.542028\nIter", "fast\nIter", "it says 'fast' as 'Iterations/Sec'"),
        ("30154.542028\nIter", "0\nIter", "not a number above 0"),
        ("Correct operation validated", "Done", "so its score is not valid"),
        ("Correct op", "Errors detected\nCorrect op", "it says: Errors detected"),
        (
            "Correct op",
            "ERROR! Must execute for at least 10 secs for a valid result!\nCorrect op",
            "at least 10 secs",
        ),
        ("[0]crclist       : 0xe714", "[0]ERROR! list crc 0x0000 - should be 0xe714", "list crc"),
    ],
)
def test_an_output_that_is_no_score(old: str, new: str, words: str) -> None:
    assert old in OUTPUT
    with pytest.raises(RunError, match=re.escape(words)):
        read_score(OUTPUT.replace(old, new, 1), "it")


def test_a_program_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(MissingError, match=r"coremark\.exe: there is no such file; build"):
        run_coremark(tmp_path / "coremark.exe")
    with pytest.raises(MissingError, match="there is no such file"):
        run_coremark(tmp_path)


def test_a_file_that_is_no_program(tmp_path: Path) -> None:
    path = program(tmp_path, "")
    path.chmod(0o644)
    with pytest.raises(MissingError, match="it is not executable; chmod"):
        run_coremark(path)
    path.write_bytes(b"\x7fELF of another machine")
    path.chmod(0o755)
    with pytest.raises(MissingError, match="can't be executed here"):
        run_coremark(path)


def test_a_program_that_fails(tmp_path: Path) -> None:
    path = program(tmp_path, "echo no memory >&2; exit 7")
    with pytest.raises(RunError, match="it ended with 7, saying: no memory"):
        run_coremark(path)
    with pytest.raises(RunError, match=r"it ended with 3$"):
        run_coremark(program(tmp_path, "exit 3"))


def test_a_program_that_does_not_end(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(coremark, "TIMEOUT_S", 0.2)
    with pytest.raises(RunError, match="not done after"):
        run_coremark(program(tmp_path, "exec sleep 60"))
