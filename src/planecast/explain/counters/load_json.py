"""Saved: an explanation that was written as JSON before, for one to be compared with."""

from __future__ import annotations

from pathlib import Path

from pydantic import ValidationError

from planecast.errors import InputError, first_refusal
from planecast.explain.counters.explanation import CounterExplanation

_LOOKED_AT = 4096
_OWN = ('"label"', '"architecture"', '"smt"', '"limits"')


def read_saved(path: Path) -> CounterExplanation | None:
    """What ``explain --from``, ``--count`` or ``--published`` wrote with ``-o FILE.json``.

    None for any other file, a missing one too. Raises InputError for one that was changed since.
    """
    if not path.is_file():
        return None  # what a pipe says can be read once
    try:
        with path.open(encoding="utf-8") as file:
            begin = file.read(_LOOKED_AT)
            if not begin.lstrip().startswith("{") or not all(key in begin for key in _OWN):
                return None
            text = begin + file.read()
    except (OSError, UnicodeDecodeError):
        return None  # whoever reads it as a recording says why
    try:
        return CounterExplanation.model_validate_json(text)
    except ValidationError as error:
        raise InputError(
            f"it is not an explanation of this version: {first_refusal(error)}",
            str(path),
            "write it again: planecast explain … -o FILE.json",
        ) from None
