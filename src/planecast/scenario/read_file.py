"""A file that a person names or a run holds: bounded in size and time, whatever it turns out to be.

A device may never end, a pipe may have no writer: both end here with a sentence.
"""

from __future__ import annotations

import json
import os
import stat
import time
from pathlib import Path
from typing import Any, TypeVar

from pydantic import BaseModel, ValidationError

from planecast.errors import InputError, first_refusal

Model = TypeVar("Model", bound=BaseModel)

SILENCE_S = 1.0
"""How long a pipe that nobody has opened for writing, or a terminal, may say nothing."""
WRITER_S = 60.0
"""How long a pipe's writer may say nothing."""
MOST_OF_A_RUN = 1 << 28
"""Bytes of a file of a run: ten thousand results are a quarter of it."""
MOST_OF_A_DEVICE = 1 << 20
"""Bytes of a device, which may never end: a terminal's worth, not a run's."""
_CHUNK = 1 << 16


def read_bytes(path: Path, most_bytes: int) -> bytes:
    """What is in a file, a pipe or a device, if that isn't more than `most_bytes`, and in a device
    no more than `MOST_OF_A_DEVICE`.

    Raises InputError for more, for a pipe that says nothing, and for what can't be read.
    """
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_NOCTTY | os.O_CLOEXEC)
    except FileNotFoundError:
        raise InputError("there is no such file", str(path), "check the name") from None
    except (OSError, ValueError) as error:
        raise _unreadable(path, error) from None
    try:
        return _read(descriptor, path, most_bytes)
    except OSError as error:
        raise _unreadable(path, error) from None
    finally:
        os.close(descriptor)


def read_text(path: Path, most_bytes: int) -> str:
    """The same as UTF-8 text, without a byte order mark. Raises InputError for what is none."""
    try:
        return read_bytes(path, most_bytes).decode("utf-8-sig")
    except UnicodeDecodeError:
        raise InputError("the file is not UTF-8 text", str(path), "name a text file") from None


def read_of_run(path: Path) -> str:
    """A text file of a run's folder."""
    return read_text(path, MOST_OF_A_RUN)


def read_model(path: Path, model: type[Model], what: str, what_to_do: str = "") -> Model:
    """A file of a run's folder as JSON of a model; `what` it should be is for the sentence."""
    text = read_of_run(path)
    try:
        return model.model_validate_json(text)
    except ValidationError as error:
        raise InputError(
            f"can't read {what}: {first_refusal(error)}", str(path), what_to_do
        ) from None


def parsed_json(text: str, path: Path) -> Any:
    """What JSON text holds. Raises InputError for what is none, and for what is nested too deeply
    or has numbers of thousands of digits."""
    try:
        return json.loads(text)
    except RecursionError:
        raise InputError("the file is nested too deeply", str(path)) from None
    except ValueError as error:
        reason = str(error).splitlines()[0].partition(";")[0]
        raise InputError(f"the file is not JSON: {reason}", str(path)) from None


def _unreadable(path: Path, error: Exception) -> InputError:
    reason = getattr(error, "strerror", None) or str(error)
    return InputError(f"can't read the file: {reason}", str(path), "name another file")


def _read(descriptor: int, path: Path, most_bytes: int) -> bytes:
    mode = os.fstat(descriptor).st_mode
    pipe = stat.S_ISFIFO(mode)
    if stat.S_ISCHR(mode):
        most_bytes = min(most_bytes, MOST_OF_A_DEVICE)
    found = bytearray()
    since = time.monotonic()
    while True:
        chunk = _chunk(descriptor)
        if chunk:
            found += chunk
            since = time.monotonic()
            if len(found) > most_bytes:
                raise InputError(f"it is larger than {most_bytes >> 10:,} KiB", str(path))
            continue
        if chunk is not None and (found or not pipe):
            return bytes(found)
        # A pipe without a writer so far, or nothing to read yet.
        if time.monotonic() - since > (WRITER_S if pipe and chunk is None else SILENCE_S):
            raise InputError("nothing is written to this pipe or terminal", str(path))
        time.sleep(0.01)


def _chunk(descriptor: int) -> bytes | None:
    """What can be read now; empty at the end and for a pipe without a writer, None for nothing
    yet."""
    try:
        return os.read(descriptor, _CHUNK)
    except BlockingIOError:
        return None
