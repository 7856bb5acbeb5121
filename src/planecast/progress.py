"""Progress: how long work tells how far it is, whoever shows it."""

from __future__ import annotations

from collections.abc import Callable

Progress = Callable[[float, float, str], None]
"""Called with what is done, the whole (in the same unit) and a few words on what is going on."""
