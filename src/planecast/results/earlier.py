"""Recordings of earlier editions, as this one reads them.

Until lcores became a count, ``placement.lcores`` was a CPU list, always written as text; what it
said stands in ``placement.cpus`` now. CPU 1 was its default, and is a count of one.
"""

from __future__ import annotations

import re

_LIST = r"[0-9][0-9,-]*"
_FIELD = re.compile(rf'"lcores":(\s*)"({_LIST})"')
_OVERRIDE = re.compile(rf'"placement\.lcores":(\s*)"({_LIST})"')
_TYPED = re.compile(rf"\bplacement\.lcores=({_LIST})")
_USUAL = "1"


def as_of_today(text: str) -> str:
    """The JSON text of a recording in today's keys; one of today stays as it is."""
    if _FIELD.search(text) is None:
        return text
    text = _FIELD.sub(lambda m: _renamed(m[1], m[2], "cpus", "lcores"), text)
    text = _OVERRIDE.sub(lambda m: _renamed(m[1], m[2], "placement.cpus", "placement.lcores"), text)
    return _TYPED.sub(lambda m: f"placement.{'lcores' if m[1] == _USUAL else 'cpus'}={m[1]}", text)


def _renamed(space: str, cpus: str, name: str, count: str) -> str:
    return f'"{count}":{space}1' if cpus == _USUAL else f'"{name}":{space}"{cpus}"'
