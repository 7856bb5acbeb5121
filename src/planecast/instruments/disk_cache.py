"""What was measured once and holds for long: kept in the user's cache folder."""

from __future__ import annotations

import os
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import TypeVar

from pydantic import BaseModel, ValidationError

from planecast.errors import RunError
from planecast.results.atomic import write_text

Model = TypeVar("Model", bound=BaseModel)


def cache_folder() -> Path:
    """Where this user's remembered measurements are; it may not be there yet."""
    home = os.environ.get("XDG_CACHE_HOME", "")
    # The specification: a relative path is to be ignored.
    folder = Path(home) if home.startswith("/") else Path.home() / ".cache"
    return folder / "planecast"


def recall(path: Path, kind: type[Model]) -> Model | None:
    """What is kept there; None when there is nothing, or nothing that can be read."""
    try:
        return kind.model_validate_json(path.read_text(encoding="utf-8"))
    except (OSError, ValidationError, UnicodeDecodeError):
        return None


def remembered(path: Path, kind: type[Model], make: Callable[[], Model]) -> Model:
    """What is kept there, else what is made now, which is kept."""
    known = recall(path, kind)
    if known is None:
        known = make()
        remember(path, known)
    return known


def remember(path: Path, what: BaseModel) -> None:
    """Keeps it. A folder that can't be written costs the next run its time, no more."""
    with suppress(OSError, RunError):
        path.parent.mkdir(parents=True, exist_ok=True)
        write_text(path, what.model_dump_json())
