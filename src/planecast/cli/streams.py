"""The program's own streams: closed ones lead nowhere, and what can't be written is a sentence."""

from __future__ import annotations

import errno
import io
import os
import sys
from pathlib import Path
from typing import Any, TextIO

from planecast.errors import RunError

_REFUSED = {errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EIO, errno.EBADF}


class _Remarks(io.TextIOWrapper):
    """stderr: remarks that nobody can take are no reason to end a run."""

    def write(self, text: str) -> int:
        try:
            return super().write(text)
        except OSError:
            discard(self)
            return len(text)

    def flush(self) -> None:
        try:
            super().flush()
        except OSError:
            discard(self)


def open_streams() -> None:
    """Opens what the program was started without, and makes the others take any character.

    With a closed stdout the next file that is opened would take its place, and receive the output
    of every program that is started.
    """
    for number in range(3):
        try:
            os.fstat(number)
        except OSError:
            os.set_inheritable(os.open(os.devnull, os.O_RDWR), True)  # the lowest free number
    if sys.stdin is None:
        sys.stdin = Path(os.devnull).open(encoding="utf-8")  # noqa: SIM115
    for name in ("stdout", "stderr"):
        stream: Any = getattr(sys, name)
        if stream is None:
            setattr(sys, name, Path(os.devnull).open("w", encoding="utf-8"))  # noqa: SIM115
        elif isinstance(stream, io.TextIOWrapper):  # a terminal without UTF-8 shows ? for × and –
            stream.reconfigure(errors="replace")
    if type(sys.stderr) is io.TextIOWrapper:
        encoding = sys.stderr.encoding
        sys.stderr = _Remarks(
            sys.stderr.detach(), encoding=encoding, errors="replace", line_buffering=True
        )


def discard(stream: TextIO) -> None:
    """Nothing more comes of a stream; what it holds would be refused once more at the end."""
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, stream.fileno())
    os.close(nowhere)


def refused_output(error: OSError) -> RunError | None:
    """The sentence for an answer that stdout doesn't take; None for any other error."""
    if error.filename is not None or error.errno not in _REFUSED:
        return None
    return RunError(f"can't write: {error.strerror}", "stdout", "name a file: -o FILE")
