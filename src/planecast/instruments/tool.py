"""Starting an instrument around a program, with its failures as sentences."""

from __future__ import annotations

import shlex
import shutil
import subprocess
from collections.abc import Sequence

from planecast.errors import (
    EXIT_BAD_INPUT,
    EXIT_INTERRUPTED,
    EXIT_MISSING,
    MissingError,
    RunError,
    last_words,
)


def find_valgrind() -> str:
    """The path of valgrind. Raises MissingError when it is not installed."""
    path = shutil.which("valgrind")
    if path is None:
        raise MissingError(
            "valgrind is not installed, so instructions can't be counted with it",
            what_to_do="apt-get install valgrind, or count with singlestep",
        )
    return path


def run_tool(command: Sequence[str], timeout_s: float) -> str:
    """Runs a command to its end; what it printed on stdout.

    Raises MissingError when it says that the machine lacks something, KeyboardInterrupt when it was
    interrupted, and RunError with the last line that it said when it fails or takes longer than
    `timeout_s` seconds. The program is ended with us.
    """
    shown = shlex.join(command)
    try:
        done = subprocess.run(
            list(command), capture_output=True, text=True, check=False, timeout=timeout_s
        )
    except subprocess.TimeoutExpired as error:
        raise RunError(
            f"it took more than {timeout_s:.0f} s: {shown}", what_to_do="count fewer packets"
        ) from error
    except OSError as error:
        raise RunError(f"{error.strerror or error}: {shown}") from error
    if done.returncode == 0:
        return done.stdout
    if done.returncode == EXIT_INTERRUPTED:
        raise KeyboardInterrupt
    said = [line for line in done.stderr.splitlines() if line.strip()]
    reason = said[-1].strip() if said else f"it ended with {done.returncode}"
    if done.returncode == EXIT_MISSING:
        raise MissingError(reason)
    where = "the configuration" if done.returncode == EXIT_BAD_INPUT else ""
    words = last_words(done.returncode, done.stderr, reason)
    raise RunError(f"{reason} ({shown})", where=where, said=words)
