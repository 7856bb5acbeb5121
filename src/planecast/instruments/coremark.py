"""Runs a CoreMark binary that the user built and names, and reads its score.

CoreMark is EEMBC's; none comes with planecast, whose own compute reference is another program with
another unit. The output is read by the names of its lines, so a version that orders them otherwise,
or adds some, is read all the same.
"""

from __future__ import annotations

import os
import subprocess
from dataclasses import dataclass
from pathlib import Path

from planecast.errors import MissingError, RunError

TIMEOUT_S = 600.0
"""CoreMark runs for at least ten seconds, by its rules; on one core."""

_RATE, _SECONDS, _VALIDATED = "Iterations/Sec", "Total time (secs)", "Correct operation validated"


@dataclass(frozen=True)
class CoreMarkScore:
    """What a run said."""

    iterations_per_s: float
    """Iterations a second of CoreMark, which is the score."""
    seconds: float
    """How long it ran for."""
    compiler: str
    """Its line "Compiler version", or nothing: a score is published with it."""
    flags: str
    """Its line "Compiler flags", or nothing."""


def run_coremark(path: Path, cpu: int | None = None) -> CoreMarkScore:
    """Runs the binary, on `cpu` alone when one is given, and reads its standard output.

    Raises MissingError when there is no such program or it can't be executed here, RunError when it
    fails, takes longer than TIMEOUT_S, did not validate its results, or says no score.
    """
    if not path.is_file():
        raise MissingError(
            "there is no such file",
            str(path),
            "build CoreMark (make compile) and name its coremark.exe",
        )
    if not os.access(path, os.X_OK):
        raise MissingError("it is not executable", str(path), "chmod +x it")
    try:
        done = subprocess.run(
            [str(path.absolute())],
            capture_output=True,
            text=True,
            errors="replace",
            timeout=TIMEOUT_S,
            check=False,
            preexec_fn=None if cpu is None else lambda: os.sched_setaffinity(0, {cpu}),
        )
    except OSError as error:
        raise MissingError(
            f"it can't be executed here: {error.strerror}",
            str(path),
            "build CoreMark on this machine",
        ) from error
    except subprocess.TimeoutExpired as error:
        raise RunError(f"it was not done after {TIMEOUT_S:.0f} s", str(path)) from error
    if done.returncode != 0:
        said = (done.stderr or done.stdout).strip().splitlines()
        raise RunError(
            f"it ended with {done.returncode}" + (f", saying: {said[-1]}" if said else ""),
            str(path),
        )
    return read_score(done.stdout, str(path))


def read_score(output: str, name: str) -> CoreMarkScore:
    """The score in CoreMark's standard output. `name` is for the sentences. Raises RunError."""
    said = dict(_fields(output))
    for line in output.splitlines():
        if line.startswith(("ERROR", "Errors detected")) or "]ERROR" in line:
            raise RunError(f"no valid score, it says: {line.strip()}", name)
    for label in (_RATE, _SECONDS):
        if label not in said:
            raise RunError(f"it printed no line '{label}'", name, "is it CoreMark?")
    if _VALIDATED not in output:
        raise RunError(f"it did not print '{_VALIDATED}', so its score is not valid", name)
    return CoreMarkScore(
        iterations_per_s=_number(said[_RATE], _RATE, name),
        seconds=_number(said[_SECONDS], _SECONDS, name),
        compiler=said.get("Compiler version", ""),
        flags=said.get("Compiler flags", ""),
    )


def _fields(output: str) -> list[tuple[str, str]]:
    """Label and value of every line that has a colon between them."""
    pairs = (line.partition(":") for line in output.splitlines())
    return [(label.strip(), value.strip()) for label, colon, value in pairs if colon]


def _number(text: str, label: str, name: str) -> float:
    try:
        value = float(text)
    except ValueError:
        value = 0.0
    if not 0 < value < float("inf"):
        raise RunError(f"it says '{text}' as '{label}', which is not a number above 0", name)
    return value
