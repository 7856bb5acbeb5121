"""Progress: how long work reports it, whoever shows it."""

from __future__ import annotations

from collections.abc import Callable

Progress = Callable[[float, float, str], None]
"""Called with what is done, the whole (in the same unit) and a few words on the work under way."""
