"""A number as tools print it, in whatever locale, and the reason where there is none."""

from __future__ import annotations

import math
import re

_PLAIN = re.compile(r"[-+]?\d+(\.\d*)?([eE][-+]?\d+)?|[-+]?\.\d+")
_COMMA = re.compile(r"[-+]?\d+,\d+")
_GROUPED = re.compile(r"[-+]?\d{1,3}((?P<mark>[.,' \u00a0\u202f])\d{3})((?P=mark)\d{3})+")
_NOTHING = re.compile(r"<[a-z ]+>|[-+]?nan|[-+]?inf(inity)?|", re.IGNORECASE)
_PREFIXES = {"K": 1e3, "M": 1e6, "G": 1e9, "T": 1e12}


def number(text: str) -> float | None:
    """The number that `text` is, or None for what is none (``<not counted>``, ``-nan``).

    A comma is a decimal mark; marks between groups of three, at least twice, are left out. Raises
    ValueError for text that is neither.
    """
    plain = text.strip()
    if _NOTHING.fullmatch(plain):
        return None
    if _GROUPED.fullmatch(plain):
        plain = re.sub(r"[.,' \u00a0\u202f]", "", plain)
    elif _COMMA.fullmatch(plain):
        plain = plain.replace(",", ".")
    if not _PLAIN.fullmatch(plain) or len(plain) > 60:
        raise ValueError(f"'{text[:30]}' is not a number")
    value = float(plain)
    return value if math.isfinite(value) else None


def is_number(text: str) -> bool:
    """Whether `number` can read it."""
    try:
        number(text)
    except ValueError:
        return False
    return True


def scaled_number(text: str) -> float | None:
    """As `number`, with pcm's units behind it: ``45 M``, ``1.2G``, ``35 %``. A percent is of 1."""
    plain = text.strip()
    if plain.endswith("%"):
        value = number(plain[:-1])
        return None if value is None else value / 100
    if plain and plain[-1] in _PREFIXES and len(plain) > 1:
        value = number(plain[:-1])
        return None if value is None else value * _PREFIXES[plain[-1]]
    return number(plain)
