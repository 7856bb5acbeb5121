"""What no counter can have counted."""

from __future__ import annotations

from planecast.errors import InputError

_LARGEST = 1e12
"""A second: more than any machine moves, so the counter ran over or was read wrongly."""


def checked_rate(name: str, rate: float, where: str) -> float:
    """An event's rate a second. Raises InputError for one that can't be; `where` it was counted."""
    if not 0 <= rate <= _LARGEST:
        raise InputError(
            f"{name} is {rate:g} a second, which is impossible: the counter ran over or was read "
            "wrongly",
            where,
            "record it again",
        )
    return rate
