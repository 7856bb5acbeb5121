"""A run of planecast-probe: what it prints, its failures as sentences."""

from __future__ import annotations

import subprocess
from collections.abc import Sequence

from planecast.errors import RunError
from planecast.native import native_program

PROBE = "planecast-probe"


def probe_words(*options: object) -> list[str]:
    """Its command. Raises MissingError when the program is not built."""
    return [str(native_program(PROBE)), *map(str, options)]


def run_probe(command: Sequence[str], timeout_s: float) -> str:
    """What it prints. Raises RunError with its last words when it fails."""
    try:
        done = subprocess.run(
            command, capture_output=True, text=True, check=False, timeout=timeout_s
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        raise RunError(f"{PROBE} could not be run: {error}") from error
    if done.returncode != 0:
        said = done.stderr.strip().splitlines()
        raise RunError(said[-1] if said else f"{PROBE} ended with {done.returncode}")
    return done.stdout
