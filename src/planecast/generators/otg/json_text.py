"""JSON that a YAML 1.1 parser reads the same way.

snappi reads answers by PyYAML, for which ``1e-05`` is a string: a number needs a point before its
exponent, and a sign in it. Python's own encoder has no option for it.
"""

from __future__ import annotations

import json
import math
from typing import Any


def json_text(value: Any) -> str:
    """`value` as JSON. Raises ValueError for a number that is not finite."""
    if isinstance(value, dict):
        return "{" + ", ".join(f"{json.dumps(k)}: {json_text(v)}" for k, v in value.items()) + "}"
    if isinstance(value, list | tuple):
        return "[" + ", ".join(map(json_text, value)) + "]"
    if isinstance(value, float):
        return _number(value)
    return json.dumps(value)


def _number(value: float) -> str:
    if not math.isfinite(value):
        raise ValueError(f"{value} is not a number in JSON")
    text = repr(value)
    mantissa, letter, exponent = text.partition("e")
    if not letter:
        return text
    if "." not in mantissa:
        mantissa += ".0"
    return f"{mantissa}e{int(exponent):+03d}"
